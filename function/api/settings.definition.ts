import { type JsonObject, objectAt } from '../json.ts';
import { SETTINGS_API, settings } from './settings.ts';
import { structural } from './structural.ts';

const PLURAL = 'settings';

/** Nobody installs it: a Function package carries a CustomResourceDefinition to say what its input looks like. */
export function settingsDefinition(): JsonObject {
  const { group, version, kind } = SETTINGS_API;
  const schema = structural(settings);
  const properties = { ...objectAt(schema, 'properties'), ...STANDARD };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${PLURAL}.${group}` },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural: PLURAL, singular: PLURAL, categories: ['crossplane'] },
      scope: 'Namespaced',
      versions: [
        { name: version, served: true, storage: true, schema: { openAPIV3Schema: { ...schema, properties } } },
      ],
    },
  };
}

/** As every resource has them; a schema may say nothing more about them. */
const STANDARD: JsonObject = {
  apiVersion: { type: 'string', description: 'API version of the settings.' },
  kind: { type: 'string', description: 'Kind of the settings.' },
  metadata: { type: 'object' },
};
