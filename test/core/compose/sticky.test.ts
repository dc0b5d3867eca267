import { describe, expect, it } from 'vitest';
import { Annotation, KEYS } from '../../../function/core/keys.ts';
import { instanceNames } from '../../../function/core/names.ts';
import { at, type Json, type JsonObject, objectAt, stringAt } from '../../../function/json.ts';
import { MINIMAL, type World } from '../world.ts';
import { desired, desiredAt, FULL, readyWorld } from './fixtures.ts';

/** The specs and data of all that is desired. */
function contents(world: World): JsonObject {
  return Object.fromEntries(
    Object.entries(desired(world)).map(([key, { metadata: _, ...rest }]) => [key, rest] as const),
  );
}

/** The same of what is observed, but for what others write. */
function withoutMetadata(world: World): JsonObject {
  return Object.fromEntries([...world.composed].map(([key, { metadata: _, status: __, ...rest }]) => [key, rest]));
}

/** Marks of the composed set replaced in place, as if another release had named things. */
function renamed(world: World, from: string, to: string): void {
  for (const [key, resource] of world.composed) {
    world.composed.set(key, JSON.parse(JSON.stringify(resource).replaceAll(from, to)) as JsonObject);
  }
  for (const [identity, object] of [...world.cluster]) {
    world.cluster.delete(identity);
    world.cluster.set(
      identity.replaceAll(from, to),
      JSON.parse(JSON.stringify(object).replaceAll(from, to)) as JsonObject,
    );
  }
}

describe('[X03] what is fixed once it is in use', () => {
  it.each<[string, JsonObject]>([
    ['storageRootBase', { storageRootBase: '/elsewhere' }],
    ['the volume of the control plane', { vcluster: { volumeSize: '50Gi', storageClassName: 'other' } }],
    ['the volume of the state', { workspace: { stateSize: '50Gi', stateStorageClassName: 'other' } }],
    ['the state backend', { workspace: { backend: 's3://bucket' } }],
  ])('keeps every composed resource when %s changes', (_, input) => {
    const world = readyWorld(MINIMAL);
    world.step();
    const before = contents(world);
    world.input = input;
    expect(contents(world)).toEqual(before);
  });

  it('stays as it is through a run that renders the rest anew', () => {
    const world = readyWorld(MINIMAL, { workspace: { backend: 's3://old' } });
    world.step();
    const stack = objectAt(world.composed.get('platform-stack'), 'spec');
    if (stack !== undefined) stack['stack'] = 'of-another-release';
    const token = world.token;
    world.input = { storageRootBase: '/elsewhere', workspace: { backend: 's3://new' } };
    world.edit((spec) => {
      spec['version'] = '6.0.23';
    });
    world.step();
    expect(world.token).not.toBe(token);
    const spec = objectAt(world.composed.get('platform-stack'), 'spec');
    expect([spec?.['stack'], spec?.['backend'], stringAt(spec, 'config', 'storageRoot')]).toEqual([
      'of-another-release',
      's3://old',
      '/var/lib/di-framework/instances/team-a/blue',
    ]);
    expect(stringAt(desired(world)['stack-program'], 'data', 'package.json')).toContain('"6.0.23"');
  });

  it('is every name, whatever the rule of today: what refers to a resource says its old name', () => {
    const { id } = instanceNames('team-a', 'blue');
    const world = readyWorld(FULL);
    world.step();
    renamed(world, `blue-${id}`, 'blue-oldrule1');
    const before = contents(world);
    expect(JSON.stringify(before)).not.toContain(`blue-${id}`);
    expect(before).toEqual(withoutMetadata(world));
    const run = world.edit((spec) => {
      spec['version'] = '6.0.23';
    });
    const after = desired(run);
    expect(Object.keys(after)).toEqual([...KEYS]);
    expect(JSON.stringify(Object.values(after))).not.toContain(`blue-${id}`);
    expect(world.ask().requirements.resources.get('workspace')?.matchName).toBe('pi-blue-oldrule1');
  });
});

describe('[X03] what may change', () => {
  it.each<[string, JsonObject, readonly string[], Json]>([
    ['chart version', { chart: { version: '0.37.0' } }, ['chart', 'version'], '0.37.0'],
    [
      'Kubernetes version',
      { vcluster: { kubernetesVersion: 'v1.34.0' } },
      ['values', 'controlPlane', 'distro', 'k8s', 'image', 'tag'],
      'v1.34.0',
    ],
    [
      'resources',
      { vcluster: { resources: { limits: { memory: '1Gi' } } } },
      ['values', 'controlPlane', 'statefulSet', 'resources'],
      { limits: { memory: '1Gi' } },
    ],
  ])('is applied when it is set: %s', (_, input, path, value) => {
    const world = readyWorld(MINIMAL);
    world.step();
    world.input = input;
    expect(desiredAt(world, 'vcluster', 'spec', 'forProvider', ...path)).toEqual(value);
  });

  it('stays what it was when it was never set, whatever the default of today', () => {
    const world = readyWorld(MINIMAL);
    world.step();
    const provider = objectAt(world.composed.get('vcluster'), 'spec', 'forProvider') ?? {};
    provider['chart'] = { name: 'vcluster', repository: 'https://charts.example', version: '0.30.0' };
    expect(desiredAt(world, 'vcluster', 'spec', 'forProvider', 'chart')).toEqual(provider['chart']);
  });
});

describe('the memory on the host namespace', () => {
  const memory = (world: World): Json | undefined =>
    desiredAt(world, 'host-namespace', 'spec', 'forProvider', 'manifest', 'metadata', 'annotations');

  it('says whose it is, what it stores where, and what was applied', () => {
    const world = readyWorld(MINIMAL);
    world.step();
    const written = memory(world);
    expect(written).toEqual({
      [Annotation.Instance]: 'team-a/blue',
      [Annotation.StorageRoot]: '/var/lib/di-framework/instances/team-a/blue',
      [Annotation.Restart]: '0',
      [Annotation.ChartVersion]: stringAt(world.composed.get('vcluster'), 'spec', 'forProvider', 'chart', 'version'),
      [Annotation.Applied]: expect.stringContaining('"version":"6.0.22"'),
    });
  });

  it('keeps the storage root in use while the spec names one that is refused', () => {
    const world = readyWorld(FULL);
    world.step();
    world.edit((spec) => {
      (at(spec, 'platform') as JsonObject)['storageRoot'] = '/var/lib/di-framework/instances/team-b';
    });
    expect(at(memory(world), Annotation.StorageRoot)).toBe('/srv/blue');
  });

  it('keeps what was applied when the Stack is lost', () => {
    const world = readyWorld(MINIMAL);
    world.step();
    const before = at(memory(world), Annotation.Applied);
    world.composed.delete('platform-stack');
    expect(at(memory(world), Annotation.Applied)).toBe(before);
  });
});
