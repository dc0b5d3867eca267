import { describe, expect, it, test } from 'vitest';
import { stringAt } from '../../../function/json.ts';
import { Life } from './life.ts';
import { merge } from './merge.ts';

const PREFIX = 'platform.di-framework.dev';
const jobs = (life: Life): string[] => life.cluster.done.filter((line) => line.startsWith('create Job'));

describe('the data on the node', () => {
  it('[D06] is removed below the base that was in use when the instance was made, not below today’s', () => {
    const life = new Life().setSettings({ storageRootBase: '/elsewhere' }).deleteInBackground();
    life.cluster.outcomes.push('running');
    life.run(60);
    const job = life.cluster.all('Job')[0];
    expect(JSON.stringify(job)).toContain('/var/lib/di-framework/instances');
    expect(JSON.stringify(job)).not.toContain('/elsewhere');
  });

  it('[D06] is removed when only the Stack says where it is, which goes first', () => {
    const life = new Life();
    life.cluster.drop('Namespace', life.host);
    for (const role of ['host-namespace', 'vcluster']) {
      for (const kind of ['Object', 'Release']) life.cluster.drop(kind, `pi-blue-${life.id}-${role}`, 'team-a');
    }
    life.deleteInBackground().run(60);
    expect(jobs(life)).toHaveLength(1);
  });

  it('[D06] is noted as removed with the UID, and not removed twice', () => {
    const life = new Life().deleteInBackground();
    life.edit((xr) => merge(xr, { metadata: { finalizers: ['platform.di-framework.dev/instance', 'mine'] } }));
    life.run(120);
    expect(life.annotation('storage-cleaned')).toBe('uid-xr');
    expect(jobs(life)).toHaveLength(1);
  });

  test.each(['other', '', 'true'])('[D06] is removed though storage-cleaned says %j, which is overwritten', (value) => {
    const life = new Life().annotate({ [`${PREFIX}/storage-cleaned`]: value }).deleteInBackground();
    const seen: unknown[] = [];
    while (life.xr !== undefined) {
      life.step();
      life.cluster.settle();
      seen.push(life.annotation('storage-cleaned'));
    }
    expect(jobs(life)).toHaveLength(1);
    expect(new Set(seen)).toEqual(new Set([value, 'uid-xr', undefined]));
  });

  it('[D06] is not removed when storage-cleaned names the UID', () => {
    const life = new Life()
      .annotate({ [`${PREFIX}/storage-cleaned`]: 'uid-xr' })
      .deleteInBackground()
      .run(60);
    expect([life.xr, jobs(life)]).toEqual([undefined, []]);
  });

  it('[D05] stays under a storageRoot that its user set', () => {
    const life = new Life({ platform: { storageRoot: '/mnt/blue' } }).deleteInBackground().run(60);
    expect([life.xr, jobs(life)]).toEqual([undefined, []]);
  });

  it('[D04] stays with skip-storage-cleanup "true"', () => {
    const life = new Life()
      .annotate({ [`${PREFIX}/skip-storage-cleanup`]: 'true' })
      .deleteInBackground()
      .run(60);
    expect([life.xr, jobs(life)]).toEqual([undefined, []]);
  });

  test.each(['True', '1', '', 'false', 'yes'])('[D04] is removed with skip-storage-cleanup %j', (value) => {
    const life = new Life()
      .annotate({ [`${PREFIX}/skip-storage-cleanup`]: value })
      .deleteInBackground()
      .run(60);
    expect(jobs(life)).toHaveLength(1);
  });

  it('[D04] stays from the moment on that skip-storage-cleanup is set, also while a Job is at it', () => {
    const life = new Life().deleteInBackground();
    life.cluster.outcomes.push('running');
    life.run(60);
    expect(life.condition('InstanceReady')).toBe('False WaitingForStorageCleanup');
    life.annotate({ [`${PREFIX}/skip-storage-cleanup`]: 'true' }).run(60);
    expect(life.left()).toEqual([]);
    expect([jobs(life).length, life.annotation('storage-cleaned')]).toEqual([1, undefined]);
  });

  it('is left alone, and said to be, when nothing safe can be said of where it is', () => {
    const life = new Life();
    const namespace = life.cluster.find('Namespace', life.host) ?? {};
    life.cluster.edit(namespace, () => {
      const annotations = { [`${PREFIX}/storage-root`]: '/var/lib/../etc/team-a/blue' };
      merge(namespace, { metadata: { annotations } });
    });
    life.deleteInBackground().run(60);
    expect([jobs(life), life.condition('InstanceReady')]).toEqual([[], 'False StorageCleanupFailed']);
    life.annotate({ [`${PREFIX}/skip-storage-cleanup`]: 'true' }).run(60);
    expect(life.left()).toEqual([]);
  });
});

describe('where the data is', () => {
  it('is what the Namespace said while it existed, whatever else says later', () => {
    const life = new Life();
    for (const each of life.cluster.all('Namespace')) {
      const annotations = { [`${PREFIX}/storage-root`]: '/old/team-a/blue' };
      life.cluster.edit(each, () => merge(each, { metadata: { annotations } }));
    }
    life.deleteInBackground();
    life.cluster.down.add('provider-kubernetes');
    life.cluster.outcomes.push('running');
    life.run(120);
    expect(JSON.stringify(life.cluster.all('Job'))).toContain('"path":"/old"');
  });

  it('is noted before anything is said, since what says it may be going already', () => {
    const life = new Life().deleteInBackground();
    const step = life.plan();
    expect([step.status, step.actions, step.metadata !== undefined]).toEqual([undefined, [], true]);
  });

  it('[D05] is not the operator’s when an earlier instance’s user chose it, though it looks like a default', () => {
    const life = new Life();
    for (const each of life.cluster.all('Namespace')) {
      const annotations = { [`${PREFIX}/storage-root`]: '/mnt/team-a/blue', [`${PREFIX}/storage-root-custom`]: 'true' };
      life.cluster.edit(each, () => merge(each, { metadata: { annotations } }));
    }
    life.deleteInBackground().run(120);
    expect([life.left(), jobs(life)]).toEqual([[], []]);
  });
});

describe('a cleanup Job', () => {
  it('[R03] starts when the host Namespace is gone, and not before', () => {
    const life = new Life().deleteInBackground();
    life.cluster.down.add('namespace-controller');
    life.run(3600);
    expect(jobs(life)).toEqual([]);
    life.cluster.down.clear();
    life.run(60);
    expect(jobs(life)).toHaveLength(1);
  });

  it('[R03] is named while it runs, and then its pod; nothing goes on before that is gone', () => {
    const life = new Life().deleteInBackground();
    life.cluster.outcomes.push('running');
    life.run(60);
    expect(life.condition('InstanceReady')).toBe('False WaitingForStorageCleanup');
    expect(life.message('InstanceReady')).toBe('Waiting for Job crossplane-system/pi-cleanup-uid-xr-0 to finish');
    life.cluster.outcomes.pop();
    life.cluster.settle();
    life.cluster.down.add('kubelet');
    life.run(60);
    expect(life.condition('InstanceReady')).toBe('False WaitingForStorageCleanup');
    expect(life.message('InstanceReady')).toBe('Waiting for Pod crossplane-system/pi-cleanup-uid-xr-0-pod to be gone');
    life.cluster.down.clear();
    life.run(10);
    expect(life.left()).toEqual([]);
  });

  it('[I12] [D07] that fails is counted once and tried again after a growing pause; the failure stands meanwhile', () => {
    const life = new Life().deleteInBackground();
    life.cluster.outcomes.push('Failed', 'Failed', 'running');
    life.run(10);
    expect([life.annotation('storage-cleanup-failures'), jobs(life).length]).toEqual(['1', 1]);
    const message =
      'Cannot remove the storage root: Job crossplane-system/pi-cleanup-uid-xr-0 failed: BackoffLimitExceeded: Job has reached the specified backoff limit';
    for (const type of ['Installed', 'InstanceReady']) {
      expect([life.condition(type), life.message(type)]).toEqual(['False StorageCleanupFailed', message]);
    }
    life.run(48);
    expect(jobs(life)).toHaveLength(1);
    life.run(10);
    expect([life.annotation('storage-cleanup-failures'), jobs(life).length]).toEqual(['2', 2]);
    life.run(100);
    expect(jobs(life)).toHaveLength(2);
    life.run(30);
    expect([jobs(life).length, life.condition('InstanceReady')]).toEqual([3, 'False WaitingForStorageCleanup']);
    expect(life.condition('Installed')).toBe('False StorageCleanupFailed');
    expect(life.message('InstanceReady')).toContain('pi-cleanup-uid-xr-2');
    life.cluster.outcomes.pop();
    life.run(30);
    expect(life.left()).toEqual([]);
    expect(life.failures).toBe(2);
  });

  it('[D07] whose failure was counted is not counted again by one that looks later', () => {
    const life = new Life().deleteInBackground();
    life.cluster.outcomes.push('Failed');
    while (life.annotation('storage-cleanup-failures') === undefined) {
      life.step();
      life.cluster.settle();
    }
    expect(life.plan().metadata).toBeUndefined();
    life.run(5);
    expect(life.annotation('storage-cleanup-failures')).toBe('1');
  });

  test.each(['-1', '1.5', 'many', '', '1e3', '99999999999999999999'])('[D07] counts from 0 after %j', (value) => {
    const life = new Life().annotate({ [`${PREFIX}/storage-cleanup-failures`]: value }).deleteInBackground();
    life.cluster.outcomes.push('Failed');
    life.run(10);
    expect(life.annotation('storage-cleanup-failures')).toBe('1');
  });

  it('[D07] waits no longer than the cap, however often it failed', () => {
    const life = new Life().annotate({ [`${PREFIX}/storage-cleanup-failures`]: '500' }).deleteInBackground();
    life.cluster.outcomes.push('Failed');
    life.run(60);
    expect(life.annotation('storage-cleanup-failures')).toBe('501');
    life.run(1800);
    expect(life.left()).toEqual([]);
  });

  it('[I12] that cannot be created is a failed cleanup, not a failed Job', () => {
    const life = new Life().deleteInBackground();
    life.refused.set('Job', 'namespaces "crossplane-system" not found');
    life.run(60);
    expect(life.condition('InstanceReady')).toBe('False StorageCleanupFailed');
    expect(life.message('Installed')).toBe(
      'Cannot create Job crossplane-system/pi-cleanup-uid-xr-0: namespaces "crossplane-system" not found',
    );
    expect(life.annotation('storage-cleanup-failures')).toBeUndefined();
    life.refused.clear();
    life.run(60);
    expect(life.left()).toEqual([]);
  });

  it('that was deleted by hand is made again', () => {
    const life = new Life().deleteInBackground();
    life.cluster.outcomes.push('running');
    life.run(60);
    life.cluster.delete(life.cluster.all('Job')[0] ?? {});
    life.cluster.outcomes.pop();
    life.run(60);
    expect([life.left(), jobs(life).length]).toEqual([[], 2]);
  });

  it('says with its container’s last words why it failed', () => {
    const life = new Life().deleteInBackground();
    life.cluster.outcomes.push('running');
    life.run(60);
    const pod = life.cluster.all('Pod')[0] ?? {};
    life.cluster.edit(pod, () => {
      pod['status'] = {
        containerStatuses: [{ state: { terminated: { message: 'cannot remove /base/team-a/blue: it is a mount\n' } } }],
      };
    });
    life.cluster.outcomes.splice(0, 1, 'Failed', 'running');
    life.cluster.settle();
    life.run(10);
    expect(life.message('Installed')).toMatch(/backoff limit: cannot remove \/base\/team-a\/blue: it is a mount$/);
    expect(stringAt(life.xr, 'status', 'phase')).toBe('Deleting');
  });
});
