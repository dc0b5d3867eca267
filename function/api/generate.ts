import { stringify } from 'yaml';
import type { JsonObject } from '../json.ts';
import { compositeResourceDefinition } from './definition.ts';
import { derivedDefinition } from './derived.ts';
import { settingsDefinition } from './settings.definition.ts';

export interface GeneratedFile {
  /** from the root of the repository */
  readonly path: string;
  readonly content: string;
}

const HEADER = '# Written by `npm run generate` from the schemas in function/api: change those, not this file.\n';

/** All files that are written from the schemas. */
export function generatedFiles(): GeneratedFile[] {
  const definition = compositeResourceDefinition();
  return [
    file('package/configuration/definition.yaml', definition),
    file('crds/platforminstances.platform.di-framework.dev.yaml', derivedDefinition(definition)),
    file('package/function/input/settings.platform.di-framework.dev.yaml', settingsDefinition()),
  ];
}

function file(path: string, object: JsonObject): GeneratedFile {
  const options = { version: '1.1', sortMapEntries: true, lineWidth: 120, aliasDuplicateObjects: false } as const;
  return { path, content: HEADER + stringify(object, options) };
}
