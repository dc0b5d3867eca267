import { describe, expect, it } from 'vitest';
import { carry } from '../../../function/core/compose/carry.ts';
import { KEYS, type Key } from '../../../function/core/keys.ts';
import { isObject, type Json, type JsonObject, objectAt } from '../../../function/json.ts';
import { MINIMAL, type World } from '../world.ts';
import { desired, FULL, readyWorld, SETTINGS } from './fixtures.ts';

/** A resource as the API server hands it back, with everything that others write. */
function observedOf(resource: JsonObject): JsonObject {
  const metadata = objectAt(resource, 'metadata') ?? {};
  return {
    ...structuredClone(resource),
    metadata: {
      ...structuredClone(metadata),
      uid: 'uid',
      resourceVersion: '9',
      generation: 4,
      creationTimestamp: '2026-06-01T12:00:00Z',
      finalizers: ['somebody.example/finalizer'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'y' }],
      labels: {
        ...objectAt(metadata, 'labels'),
        'crossplane.io/composite': 'blue',
        'argocd.argoproj.io/instance': 'a',
      },
      annotations: { ...objectAt(metadata, 'annotations'), 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
    },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

function* values(value: Json | undefined): Generator<Json | undefined> {
  yield value;
  if (Array.isArray(value)) for (const item of value) yield* values(item);
  if (isObject(value)) for (const item of Object.values(value)) yield* values(item);
}

/** Makes the spec unreadable, so that nothing can be rendered. */
function broken(world: World): World {
  return world.edit((spec) => {
    spec['version'] = 'not a version';
  });
}

describe.each<[string, JsonObject, JsonObject | undefined]>([
  ['minimal', MINIMAL, undefined],
  ['full', FULL, SETTINGS],
])('the composed set of a %s instance', (_, spec, input) => {
  it('[X05] is carried exactly as it was rendered, and takes nothing over from others', () => {
    const rendered = desired(readyWorld(spec, input));
    expect(Object.keys(rendered).sort()).toEqual([...KEYS].sort());
    for (const [key, resource] of Object.entries(rendered)) {
      expect(carry(key as Key, observedOf(resource))).toEqual(resource);
    }
  });

  it('[X05] fed back as observed comes out the same once more', () => {
    const world = readyWorld(spec, input);
    world.step();
    const first = desired(world);
    world.step();
    expect(desired(world)).toEqual(first);
  });

  it('stays whole while its spec cannot be read', () => {
    const world = readyWorld(spec, input);
    world.step();
    const before = desired(world);
    expect(desired(broken(world))).toEqual(before);
  });

  it('stays whole, and gains nothing, while the instance is being deleted', () => {
    const world = readyWorld(spec, input);
    world.step();
    world.composed.delete('target-probe');
    world.composed.delete('platform-stack');
    const before = Object.fromEntries([...world.composed].map(([key, resource]) => [key, carry(key as Key, resource)]));
    // Settings that a rendered resource would show.
    world.input = { ...input, intervals: { probe: '7s' }, chart: { version: '0.37.0' } };
    world.xr['metadata'] = { ...objectAt(world.xr, 'metadata'), deletionTimestamp: '2026-06-01T13:00:00Z' };
    expect(desired(world)).toEqual(before);
  });

  it('holds no null, no status and nothing that the API server gives', () => {
    for (const resource of Object.values(desired(readyWorld(spec, input)))) {
      expect([...values(resource)].filter((value) => value === null || value === undefined)).toEqual([]);
      expect(Object.keys(resource)).not.toContain('status');
      const metadata = Object.keys(objectAt(resource, 'metadata') ?? {});
      expect(metadata.filter((field) => !['name', 'namespace', 'labels', 'annotations'].includes(field))).toEqual([]);
    }
  });
});

describe('management policies', () => {
  it('that somebody opened by hand are closed again, also when nothing can be rendered', () => {
    const world = readyWorld(MINIMAL);
    world.step();
    for (const resource of world.composed.values()) {
      const spec = objectAt(resource, 'spec');
      if (spec?.['managementPolicies'] !== undefined) spec['managementPolicies'] = ['*'];
    }
    const policies = Object.entries(desired(broken(world))).flatMap(([key, resource]) => {
      const found = objectAt(resource, 'spec')?.['managementPolicies'];
      return found === undefined ? [] : [[key, found]];
    });
    const orphan = ['Observe', 'Create', 'Update'];
    expect(Object.fromEntries(policies)).toEqual({
      'host-namespace': orphan,
      'owner-service-policy': orphan,
      'owner-service-policy-binding': orphan,
      vcluster: orphan,
      'target-probe': ['Observe'],
      'stack-auth-delegator': orphan,
      'stack-state': orphan,
    });
  });
});
