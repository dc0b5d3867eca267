import { describe, expect, it, test } from 'vitest';
import { listAt, stringAt } from '../../../function/json.ts';
import { Life } from './life.ts';
import { merge } from './merge.ts';

const REAL =
  /^(Namespace|ValidatingAdmissionPolicy|ValidatingAdmissionPolicyBinding|PersistentVolumeClaim|StatefulSet|ClusterRole|PersistentVolume) /;

const real = (life: Life): string[] => life.left().filter((key) => REAL.test(key));

describe('Retain', () => {
  test.each(['background', 'foreground'])(
    '[D03] in the %s keeps everything real; only the role binding goes',
    (way) => {
      const life = new Life({ deletionPolicy: 'Retain' });
      const before = real(life);
      if (way === 'background') life.deleteInBackground();
      else life.deleteInForeground();
      life.run(60);
      expect(life.xr).toBeUndefined();
      expect(real(life)).toEqual(before);
      expect(life.cluster.done).toEqual([
        ...(way === 'background' ? [`delete Object pi-blue-${life.id}-stack-auth-delegator`] : []),
        `delete ClusterRoleBinding pi-blue-${life.id}-stack-auth-delegator`,
      ]);
      expect(life.left().filter((key) => key.startsWith('ClusterRoleBinding'))).toEqual([
        `ClusterRoleBinding /vc-vcluster-v-${life.host}`,
      ]);
    },
  );

  it('[X02] set in the same moment as the deletion keeps everything', () => {
    const life = new Life();
    life.edit((xr) => merge(xr, { spec: { deletionPolicy: 'Retain' } })).deleteInBackground();
    const before = real(life);
    life.run(60);
    expect(real(life)).toEqual(before);
  });

  it('[X02] set while the deletion is paused keeps everything', () => {
    const life = new Life().edit((xr) => merge(xr, { metadata: { annotations: { 'crossplane.io/paused': 'true' } } }));
    const before = life.left();
    life.deleteInBackground().run(3600);
    expect(life.left()).toEqual(before);
    expect(life.condition('InstanceReady')).toBe('False TeardownHeld');
    life.edit((xr) =>
      merge(xr, { spec: { deletionPolicy: 'Retain' }, metadata: { annotations: { 'crossplane.io/paused': null } } }),
    );
    const kept = real(life);
    life.run(60);
    expect([life.xr, real(life)]).toEqual([undefined, kept]);
  });

  it('[X02] set in mid-deletion keeps what is still there', () => {
    const life = new Life().deleteInBackground();
    life.cluster.down.add('namespace-controller');
    life.run(30);
    life.edit((xr) => merge(xr, { spec: { deletionPolicy: 'Retain' } }));
    life.run(30);
    expect(life.xr).toBeUndefined();
    expect(real(life)).toContain(`PersistentVolumeClaim team-a/pi-blue-${life.id}-stack-state`);
    expect(life.cluster.done.filter((line) => line.includes('Job'))).toEqual([]);
  });

  it('[X02] needs no settings', () => {
    const life = new Life({ deletionPolicy: 'Retain' }).setSettings({ unknown: 1 }).deleteInBackground();
    const before = real(life);
    life.run(60);
    expect([life.xr, real(life)]).toEqual([undefined, before]);
  });

  test.each([undefined, ['*'], ['Observe', 'Delete'], []])(
    '[D03] takes the right to delete from managed resources that somebody gave it, %j',
    (policies) => {
      const life = new Life({ deletionPolicy: 'Retain' });
      const release = life.cluster.all('Release')[0] ?? {};
      life.cluster.edit(release, () => {
        const spec = release['spec'] as Record<string, unknown>;
        if (policies === undefined) delete spec['managementPolicies'];
        else spec['managementPolicies'] = policies;
      });
      life.deleteInBackground();
      while (life.xr !== undefined && !life.cluster.done.some((line) => line.startsWith('patch'))) life.step();
      const now = life.cluster.all('Release')[0];
      expect(listAt(now, 'spec', 'managementPolicies')).toEqual(['Observe', 'Create', 'Update']);
      life.run(60);
      expect(life.xr).toBeUndefined();
    },
  );

  describe('is what orphaning means', () => {
    it('by the finalizer, and when that is gone', () => {
      const life = new Life();
      life.edit((xr) => merge(xr, { metadata: { finalizers: [...listAt(xr, 'metadata', 'finalizers'), 'orphan'] } }));
      life.deleteInBackground();
      const before = real(life);
      while (life.annotation('teardown') === undefined) life.step();
      for (const each of life.composed())
        life.cluster.drop(stringAt(each, 'kind') ?? '', stringAt(each, 'metadata', 'name') ?? '', 'team-a');
      life.edit((xr) =>
        merge(xr, {
          metadata: { finalizers: listAt(xr, 'metadata', 'finalizers').filter((each) => each !== 'orphan') },
        }),
      );
      life.run(60);
      expect([life.xr, real(life)]).toEqual([undefined, before]);
    });

    it('by a single composed resource without its controller reference', () => {
      const life = new Life();
      const [first] = life.composed();
      life.cluster.edit(first ?? {}, (each) => merge(each, { metadata: { ownerReferences: null } }));
      const before = real(life);
      life.deleteInBackground().run(60);
      expect([life.xr, real(life)]).toEqual([undefined, before]);
    });
  });
});

describe('Retain tells', () => {
  it('that it is what orphaning means', () => {
    const life = new Life();
    const [first] = life.composed();
    life.cluster.edit(first ?? {}, (each) => merge(each, { metadata: { ownerReferences: null } }));
    life.deleteInBackground().run(60);
    expect(life.events).toEqual(['Retained: Everything is kept: somebody orphaned what the instance composes']);
  });

  it('that it came too late for a host Namespace that is going', () => {
    const life = new Life().deleteInBackground();
    life.cluster.down.add('namespace-controller');
    life.run(30);
    life.edit((xr) => merge(xr, { spec: { deletionPolicy: 'Retain' } })).run(30);
    expect(life.xr).toBeUndefined();
    expect(life.events).toEqual([
      `Retained: Namespace ${life.host} is being deleted already, and the vCluster with it: Retain keeps the rest`,
    ]);
  });

  it('[X02] that it waits while a cleanup Job may be running that cannot be looked for, and then stops it', () => {
    const life = new Life().deleteInBackground();
    life.cluster.outcomes.push('running');
    life.run(120);
    life.setSettings({ colour: 1 });
    life.edit((xr) => merge(xr, { spec: { deletionPolicy: 'Retain' } })).run(60);
    expect(life.condition('InstanceReady')).toBe('False TeardownHeld');
    life.setSettings({}).run(60);
    expect([life.xr, life.cluster.all('Job'), life.annotation('storage-cleaned')]).toEqual([undefined, [], undefined]);
  });
});
