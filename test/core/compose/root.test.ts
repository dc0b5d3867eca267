import { describe, expect, it } from 'vitest';
import { Annotation } from '../../../function/core/keys.ts';
import { instanceNames } from '../../../function/core/names.ts';
import { type JsonObject, objectAt } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';

const HOST = instanceNames('team-a', 'blue').hostNamespace;

/** What the host Namespace is to say of the storage root. */
function said(world: World): JsonObject {
  world.step();
  const manifest = objectAt(world.composed.get('host-namespace'), 'spec', 'forProvider', 'manifest');
  const annotations = objectAt(manifest, 'metadata', 'annotations') ?? {};
  const kept = [Annotation.StorageRoot, Annotation.StorageRootCustom];
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => (kept as string[]).includes(name)));
}

function retained(world: World, annotations: JsonObject): World {
  const instance = { [Annotation.Instance]: 'team-a/blue' };
  world.put('Namespace', '', HOST, {
    metadata: { name: HOST, uid: 'kept', annotations: { ...instance, ...annotations } },
  });
  return world;
}

describe('[D05] whose the storage root is, said on the host Namespace', () => {
  it('is its user’s when its user set it, for good', () => {
    const world = new World({ ...MINIMAL, platform: { storageRoot: '/srv/team-a/blue' } });
    const custom = { [Annotation.StorageRoot]: '/srv/team-a/blue', [Annotation.StorageRootCustom]: 'true' };
    expect(said(world)).toEqual(custom);
    expect(said(world)).toEqual(custom);
  });

  it('is not when it is the default', () => {
    const world = new World(MINIMAL);
    expect(said(world)).toEqual({ [Annotation.StorageRoot]: '/var/lib/di-framework/instances/team-a/blue' });
  });

  it('stays with an instance that adopts it and sets none', () => {
    const custom = { [Annotation.StorageRoot]: '/srv/team-a/blue', [Annotation.StorageRootCustom]: 'true' };
    expect(said(retained(new World(MINIMAL), custom))).toEqual(custom);
  });
});
