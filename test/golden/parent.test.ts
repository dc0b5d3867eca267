import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { at, isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../function/json.ts';
import { judgeOf } from '../api/judge.ts';
import { examplePath } from './files.ts';

const load = (path: string): JsonObject => parse(readFileSync(path, 'utf8'));
const definition = load(examplePath('parent', 'definition.yaml'));
const composition = load(examplePath('parent', 'composition.yaml'));
const environment = load(examplePath('parent', 'environment.yaml'));
const crd = load('crds/platforminstances.platform.di-framework.dev.yaml');

const schemaOf = (object: JsonObject): Json | undefined => {
  return at(listAt(object, 'spec', 'versions')[0], 'schema', 'openAPIV3Schema');
};
const step = listAt(composition, 'spec', 'pipeline')[0];
const resources = listAt(step, 'input', 'resources').filter(isObject);

/** Whether a schema has a field at a dotted path. */
function has(schema: Json | undefined, path: string): boolean {
  const found = path.split('.').reduce<Json | undefined>((below, field) => at(below, 'properties', field), schema);
  return found !== undefined;
}

function patches(resource: JsonObject, type: string): readonly { from: string; to: string }[] {
  return listAt(resource, 'patches')
    .filter((patch) => stringAt(patch, 'type') === type)
    .map((patch) => ({ from: stringAt(patch, 'fromFieldPath') ?? '', to: stringAt(patch, 'toFieldPath') ?? '' }));
}

describe('the example of a composition over PlatformInstances', () => {
  test('composes two', () => {
    expect(resources.map(({ name }) => name)).toEqual(['stage', 'production']);
  });

  test.each(resources)('$name is an instance that the API server takes', (resource) => {
    const base: JsonObject = structuredClone(objectAt(resource, 'base') ?? {});
    const spec: JsonObject = { ...objectAt(base, 'spec') };
    for (const { from, to } of patches(resource, 'FromCompositeFieldPath')) {
      expect(has(schemaOf(definition), from)).toBe(true);
      const value = at(environment, ...from.split('.'));
      const [top, field = ''] = to.split('.');
      expect(top).toBe('spec');
      spec[field] = value ?? null;
    }
    const metadata = { namespace: 'team-a', name: `shop-${resource['name']}` };
    const whole = { ...base, metadata, spec };
    const { issues, stored } = judgeOf(crd)(whole);
    expect(issues).toEqual([]);
    expect(stored).toMatchObject(whole);
  });

  test.each(resources)('$name is read by status fields that both APIs have', (resource) => {
    const read = patches(resource, 'ToCompositeFieldPath');
    expect(read.length).toBeGreaterThan(0);
    for (const { from, to } of read) {
      expect([from, has(schemaOf(crd), from)]).toEqual([from, true]);
      expect([to, has(schemaOf(definition), to)]).toEqual([to, true]);
    }
  });
});
