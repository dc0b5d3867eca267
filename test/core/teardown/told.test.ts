import { describe, expect, it, test } from 'vitest';
import { type JsonObject, listAt, objectAt, stringAt } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';
import { Life } from './life.ts';
import { merge } from './merge.ts';

const READY = World.ready(MINIMAL);

/** Everything that is in the way at once; the Namespace as its own conditions tell. */
function stuck(...trouble: readonly string[]): Life {
  const life = new Life({}, READY);
  life.deleteInBackground();
  for (const each of trouble) {
    if (each === 'Stack') life.cluster.down.add('pulumi-operator');
    if (each === 'Namespace') life.cluster.down.add('namespace-controller');
    if (each === 'claim') life.cluster.down.add('claim-controller');
    if (each === 'Job') life.cluster.outcomes.push('Failed', 'running');
  }
  return life;
}

const shown = (life: Life): readonly string[] =>
  ['TargetReady', 'Installed', 'InstanceReady'].map((type) => life.condition(type));

describe('two failures at once', () => {
  it('[R04] [D10] the target’s is the one that InstanceReady repeats; phase stays Deleting', () => {
    const life = stuck('Stack', 'Namespace').run(1300);
    expect(shown(life)).toEqual(['False TargetDeleteFailed', 'False UninstallFailed', 'False TargetDeleteFailed']);
    expect(life.message('InstanceReady')).toBe(life.message('TargetReady'));
    expect(life.message('Installed')).toMatch(/^Stack /);
    expect(stringAt(life.xr, 'status', 'phase')).toBe('Deleting');
    life.cluster.outcomes.push('running');
    life.cluster.down.delete('namespace-controller');
    life.run(1);
    expect(shown(life)).toEqual(['Unknown Deleting', 'False UninstallFailed', 'False UninstallFailed']);
    life.cluster.outcomes.pop();
    life.run(60);
    expect(life.left()).toEqual([]);
  });

  it('[R04] [D10] UninstallFailed goes before the cleanup, WaitingForStorageCleanup before StorageCleanupFailed', () => {
    const life = stuck('claim', 'Job').run(700);
    expect(shown(life)[2]).toBe('False UninstallFailed');
    expect(life.message('Installed')).toBe(life.message('InstanceReady'));
    expect(life.message('Installed')).toMatch(/^PersistentVolumeClaim /);
    life.cluster.down.clear();
    life.run(120);
    expect(shown(life).slice(1)).toEqual(['False StorageCleanupFailed', 'False WaitingForStorageCleanup']);
    expect(stringAt(life.xr, 'status', 'phase')).toBe('Deleting');
    life.cluster.outcomes.pop();
    life.run(60);
    expect(life.left()).toEqual([]);
  });

  test.each<readonly [string, string]>([
    ['Namespace', 'TargetDeleteFailed'],
    ['claim', 'UninstallFailed'],
    ['Job', 'StorageCleanupFailed'],
  ])('[R04] [I12] [T11] one that is alone, of the %s, is %s with one message on both', (which, reason) => {
    const life = stuck(which).run(which === 'Job' ? 20 : 700);
    const type = reason === 'TargetDeleteFailed' ? 'TargetReady' : 'Installed';
    expect([life.condition(type), life.condition('InstanceReady')]).toEqual([`False ${reason}`, `False ${reason}`]);
    expect(life.message(type)).toBe(life.message('InstanceReady'));
    expect(life.events).toEqual([`${reason}: ${life.message(type)}`]);
    expect(stringAt(life.xr, 'status', 'phase')).toBe('Deleting');
  });
});

describe('what a message says', () => {
  it('[S08] [T11] holds no count of what a Namespace still has, so one that goes slowly is told of once', () => {
    const life = stuck('Namespace').run(30);
    const namespace = life.cluster.find('Namespace', life.host) ?? {};
    for (let left = 40; left > 0; left--) {
      life.cluster.edit(namespace, () => {
        namespace['status'] = {
          conditions: [
            {
              type: 'NamespaceContentRemaining',
              status: 'True',
              message: `Some resources are remaining: configmaps. has ${left + 1} resource instances, pods. has ${left} resource instances`,
            },
            {
              type: 'NamespaceFinalizersRemaining',
              status: 'True',
              message: `Some content in the namespace has finalizers remaining: mine in ${left} resource instances`,
            },
          ],
        };
      });
      life.run(30);
    }
    expect(life.events).toEqual([
      `TargetDeleteFailed: Namespace ${life.host} is not gone after 10m: Some resources are remaining: configmaps., pods.; Some content in the namespace has finalizers remaining: mine`,
    ]);
  });

  it('[S08] names three of many and no number, whatever is left of them', () => {
    const life = new Life({}, READY);
    for (let count = 10; count < 60; count++) {
      life.cluster.put({
        kind: 'PersistentVolume',
        metadata: { name: `vcluster-v${count}-x-${life.host}-x-vcluster`, finalizers: ['kept'] },
        spec: { claimRef: { namespace: life.host } },
      });
    }
    life.deleteInBackground().run(60);
    const three = [10, 11, 12]
      .map((count) => `PersistentVolume vcluster-v${count}-x-${life.host}-x-vcluster`)
      .join(', ');
    expect(life.message('InstanceReady')).toBe(`Waiting for ${three} and others to be gone`);
    const before = life.statusWrites;
    for (const each of life.cluster.all('PersistentVolume').slice(3)) {
      life.cluster.edit(each, () => merge(each, { metadata: { finalizers: [] } }));
      life.run(1);
    }
    expect(life.statusWrites).toBe(before + 1);
    expect(life.message('InstanceReady')).toBe(`Waiting for ${three} to be gone`);
  });
});

describe('the rest of the status', () => {
  const kept: JsonObject = {
    installedVersion: '6.0.22',
    endpoints: { kubernetes: 'https://k.example', http: 'http://apps.example' },
    applied: { generation: 5, tenants: 0, users: 0 },
    target: { serviceUID: 'uid-6' },
    lastRepair: '2026-06-01T12:00:00Z',
  };

  test.each(['Delete', 'Retain'])('[S09] is kept to the end under %s, whatever fails on the way', (deletionPolicy) => {
    const life = new Life({ deletionPolicy }, READY).edit((xr) => merge(xr, { status: kept }));
    life.deleteInBackground();
    life.cluster.down.add('namespace-controller');
    life.cluster.outcomes.push('Failed');
    const look = (): void => {
      if (life.xr !== undefined) expect(objectAt(life.xr, 'status')).toMatchObject(kept);
    };
    for (const seconds of [0, 30, 700]) {
      life.run(seconds);
      look();
    }
    life.cluster.down.clear();
    while (life.xr !== undefined) {
      life.step();
      life.cluster.settle();
      life.cluster.now += 10;
      look();
    }
  });

  it('[S04] names the kubeconfig as long as the Release that wrote it is there', () => {
    const name = { kubeconfigSecretRef: { name: 'blue-kubeconfig' } };
    const life = new Life({}, READY).edit((xr) => merge(xr, { status: name })).deleteInBackground();
    life.cluster.down.add('provider-helm').add('namespace-controller');
    life.run(60);
    expect(objectAt(life.xr, 'status')).toMatchObject(name);
    life.cluster.down.delete('provider-helm');
    life.run(60);
    expect(objectAt(life.xr, 'status')).not.toHaveProperty('kubeconfigSecretRef');
    const writes = life.statusWrites;
    life.run(300);
    expect(life.statusWrites).toBe(writes);
  });

  it('[S04] names it to the end under Retain', () => {
    const life = new Life({ deletionPolicy: 'Retain' }, READY).edit((xr) =>
      merge(xr, { status: { kubeconfigSecretRef: { name: 'blue-kubeconfig' } } }),
    );
    life.deleteInBackground();
    const seen = new Set<string | undefined>();
    while (life.xr !== undefined) {
      seen.add(stringAt(life.xr, 'status', 'kubeconfigSecretRef', 'name'));
      life.step();
    }
    expect([...seen]).toEqual(['blue-kubeconfig']);
  });

  it('[S08] conditions stay one per type, and what teardown does not know of stays as it is', () => {
    const life = new Life({}, READY);
    const theirs = {
      type: 'Synced',
      status: 'True',
      reason: 'ReconcileSuccess',
      lastTransitionTime: '2026-06-01T12:00:00Z',
    };
    life.edit((xr) => (listAt(xr, 'status', 'conditions') as JsonObject[]).push(theirs));
    life.deleteInBackground();
    life.cluster.down.add('namespace-controller');
    life.run(30);
    const conditions = listAt(life.xr, 'status', 'conditions');
    expect(conditions).toContainEqual(theirs);
    const types = conditions.map((each) => stringAt(each, 'type'));
    expect(types).toEqual([...new Set(types)]);
  });
});
