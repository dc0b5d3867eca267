import { describe, expect, it, test } from 'vitest';
import { Key } from '../../../function/core/keys.ts';
import { type JsonObject, listAt, stringAt } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';
import { Life } from './life.ts';
import { merge } from './merge.ts';

const READY = World.ready(MINIMAL);
const COMPOSED_NAME = 'crossplane.io/composition-resource-name';

function composed(life: Life, key: Key): JsonObject {
  const found = life.composed().find((each) => stringAt(each, 'metadata', 'annotations', COMPOSED_NAME) === key);
  if (found === undefined) throw new Error(`${key} is not composed`);
  return found;
}

function open(life: Life, key: Key): void {
  const object = composed(life, key);
  life.cluster.edit(object, () => merge(object, { spec: { managementPolicies: ['*'] } }));
}

/** Everything in it is deleted at once, whoever waits for what. */
function deleteWithNamespace(life: Life): void {
  life.deleteInBackground();
  for (const each of life.cluster.all()) {
    const isInside = stringAt(each, 'metadata', 'namespace') === 'team-a' && each['kind'] !== 'PlatformInstance';
    if (isInside) life.cluster.delete(each);
  }
}

describe('an instance whose own namespace is deleted', () => {
  test.each([false, true])(
    '[D02] ends gone and leaves nothing, claim and composed resources gone before (%j)',
    (before) => {
      const life = new Life({}, READY);
      deleteWithNamespace(life);
      if (before) for (let count = 0; count < 3; count++) life.cluster.settle();
      life.run(60);
      expect(life.left()).toEqual([]);
      expect(life.cluster.done.filter((line) => line.startsWith('create Job'))).toHaveLength(1);
    },
  );

  it('[D03] keeps under Retain what is not in that namespace', () => {
    const life = new Life({ deletionPolicy: 'Retain' }, READY);
    deleteWithNamespace(life);
    life.run(60);
    expect(life.xr).toBeUndefined();
    expect(life.left()).toContain(`Namespace /${life.host}`);
    expect(life.left()).toContain(`StatefulSet ${life.host}/vcluster`);
  });
});

describe('at whatever point of its life it is deleted', () => {
  const points: readonly (readonly [string, () => World])[] = [
    ['nothing is composed', () => new World(MINIMAL)],
    ['the target is provisioned', () => new World(MINIMAL).provision()],
    [
      'the install runs',
      () => {
        const world = new World(MINIMAL).provision().syncObjects().stackRunning();
        world.step();
        return world;
      },
    ],
    [
      'the install failed',
      () => {
        const world = new World(MINIMAL).provision().syncObjects().stackRunning();
        world.step();
        world.wait(60).stackFailed('error: no such image', { gaveUp: true }).step();
        return world;
      },
    ],
  ];

  test.each(points)('[D09] %s: it ends gone with nothing left', (point, build) => {
    for (const remove of ['deleteInBackground', 'deleteInForeground'] as const) {
      const world = build();
      const life = world.composed.size === 0 ? bare() : new Life({}, world);
      if (point === 'the install failed') expect(life.condition('Installed')).toBe('False InstallFailed');
      life[remove]().run(60);
      expect(life.left()).toEqual([]);
      expect(life.reasons.filter((reason) => !/^(Deleting|WaitingForStorageCleanup)$/.test(reason))).toEqual([]);
    }
  });

  /** Deleted before Crossplane composed anything. */
  function bare(): Life {
    const life = new Life({}, READY);
    for (const each of life.cluster.all()) {
      if (/^(PlatformInstance|CompositionRevision|Custom|Composite)/.test(String(each['kind']))) continue;
      const { name, namespace = '' } = each['metadata'] as { name: string; namespace?: string };
      life.cluster.drop(String(each['kind']), name, namespace);
    }
    return life;
  }
});

describe('a managed resource that somebody gave the right to delete', () => {
  it('[D02] deletes nothing real when the plan deletes it: the claim goes after the host Namespace, as always', () => {
    const life = new Life({}, READY);
    open(life, Key.StackState);
    life.cluster.down.add('namespace-controller');
    life.deleteInBackground().run(60);
    expect(life.left()).toContain(`PersistentVolumeClaim team-a/pi-blue-${life.id}-stack-state`);
    life.cluster.down.clear();
    life.run(60);
    expect(life.left()).toEqual([]);
  });

  it('[X02] leaves the plan a way back until the first thing that is real goes', () => {
    const life = new Life({}, READY);
    for (const key of [Key.HostNamespace, Key.StackState, Key.OwnerServicePolicy]) open(life, key);
    life.deleteInBackground();
    while (!life.cluster.done.some((line) => line.startsWith('delete Release'))) {
      life.step();
      life.cluster.settle();
    }
    life.edit((xr) => merge(xr, { spec: { deletionPolicy: 'Retain' } })).run(60);
    expect(life.xr).toBeUndefined();
    expect(life.left()).toEqual(
      expect.arrayContaining([
        `Namespace /${life.host}`,
        `PersistentVolumeClaim team-a/pi-blue-${life.id}-stack-state`,
      ]),
    );
  });
});

describe('Retain', () => {
  it('[D03] removes the role binding for good, although a provider would make it again', () => {
    const life = new Life({ deletionPolicy: 'Retain' }, READY);
    life.cluster.heals = true;
    life.edit((xr) =>
      merge(xr, { metadata: { finalizers: [...listAt(xr, 'metadata', 'finalizers'), 'somebody/waits'] } }),
    );
    life.deleteInBackground().run(60);
    expect(listAt(life.xr, 'metadata', 'finalizers')).toEqual(['somebody/waits']);
    const binding = `ClusterRoleBinding /pi-blue-${life.id}-stack-auth-delegator`;
    expect(life.left()).not.toContain(binding);
    life.edit((xr) => merge(xr, { metadata: { finalizers: [] } }));
    life.cluster.settle();
    expect(life.left()).not.toContain(binding);
  });

  it('[D03] waits while the Stack would uninstall when it goes', () => {
    const life = new Life({ deletionPolicy: 'Retain' }, READY);
    const stack = composed(life, Key.PlatformStack);
    life.cluster.edit(stack, () => merge(stack, { spec: { destroyOnFinalize: true } }));
    life.deleteInBackground().run(600);
    expect(life.message('InstanceReady')).toBe(
      `Nothing is deleted while destroyOnFinalize of Stack team-a/pi-blue-${life.id} is set: it would uninstall`,
    );
    life.cluster.edit(stack, () => merge(stack, { spec: { destroyOnFinalize: null } }));
    life.run(60);
    expect(life.xr).toBeUndefined();
  });
});

describe('a composed resource', () => {
  it('[X07] that lost its label in mid-deletion is still the instance’s, since it controls it', () => {
    const life = new Life({}, READY).deleteInBackground();
    life.cluster.heals = true;
    const object = composed(life, Key.HostNamespace);
    life.cluster.edit(object, () => merge(object, { metadata: { labels: null } }));
    life.run(60);
    expect(life.left()).toEqual([]);
  });

  it('is found by our names when the list of what Crossplane composed was emptied', () => {
    const life = new Life({}, READY).edit((xr) => merge(xr, { spec: { crossplane: { resourceRefs: null } } }));
    life.cluster.heals = true;
    life.deleteInBackground().run(60);
    expect(life.left()).toEqual([]);
  });

  it('[X02] means no Retain because another owner stands before its controller', () => {
    const life = new Life({}, READY);
    for (const each of life.composed()) {
      const owners = [{ kind: 'ConfigMap', name: 'x', uid: 'uid-x' }, ...listAt(each, 'metadata', 'ownerReferences')];
      life.cluster.edit(each, () => merge(each, { metadata: { ownerReferences: owners as JsonObject[] } }));
    }
    life.deleteInBackground().run(60);
    expect(life.left()).toEqual([]);
  });
});
