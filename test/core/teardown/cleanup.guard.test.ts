import { describe, expect, it, test } from 'vitest';
import { type JsonObject, objectAt } from '../../../function/json.ts';
import { Life } from './life.ts';
import { merge } from './merge.ts';

const PREFIX = 'platform.di-framework.dev';
const jobs = (life: Life): string[] => life.cluster.done.filter((line) => line.startsWith('create Job'));

function record(life: Life): JsonObject {
  return JSON.parse(life.annotation('teardown') ?? '{}');
}

describe('what says where the data is', () => {
  it('[D06] is the Namespace, not a note that the instance’s user wrote before', () => {
    const life = new Life();
    life.annotate({ [`${PREFIX}/teardown`]: JSON.stringify({ host: 'pi-other', root: '/etc/team-a/blue' }) });
    life.cluster.outcomes.push('running');
    life.deleteInBackground().run(30);
    const mounted = life.cluster
      .all('Job')
      .flatMap((job) => JSON.stringify(objectAt(job, 'spec', 'template', 'spec')).match(/"path":"[^"]*"/g) ?? []);
    expect(mounted).toEqual(['"path":"/var/lib/di-framework/instances"']);
  });

  it('[D02] is what was composed, when the Namespace is gone by hand and the note is another’s', () => {
    const life = new Life();
    life.cluster.drop('Namespace', life.host);
    life.annotate({ [`${PREFIX}/teardown`]: JSON.stringify({ host: 'pi-other', root: '/etc/team-a/blue' }) });
    life.deleteInBackground();
    life.step();
    life.step();
    expect(record(life)).toEqual({ host: life.host, root: '/var/lib/di-framework/instances/team-a/blue' });
  });

  it('[D02] is not forgotten silently: a host Namespace that says nothing is told of, until cleaning up is skipped', () => {
    const life = new Life();
    for (const each of [
      ...life.cluster.all('Namespace'),
      ...life.cluster.all('Object'),
      ...life.cluster.all('Stack'),
    ]) {
      const annotations = { [`${PREFIX}/storage-root`]: null };
      life.cluster.edit(each, () =>
        merge(each, {
          metadata: { annotations },
          spec: { config: null, forProvider: { manifest: { metadata: { annotations } } } },
        }),
      );
    }
    life.deleteInBackground().run(60);
    const message = 'Cannot remove the storage root: nothing says where it is';
    expect([life.condition('InstanceReady'), life.message('InstanceReady')]).toEqual([
      'False StorageCleanupFailed',
      message,
    ]);
    expect([life.message('Installed'), jobs(life)]).toEqual([message, []]);
    life.annotate({ [`${PREFIX}/skip-storage-cleanup`]: 'true' }).run(60);
    expect(life.left()).toEqual([]);
  });
});

describe('a pause between attempts', () => {
  it('[D07] ends at once when the failure was noted by a clock that was a year ahead', () => {
    const life = new Life().deleteInBackground();
    life.cluster.outcomes.push('Failed');
    life.cluster.now += 31_536_000;
    life.run(5);
    expect(life.annotation('storage-cleanup-failures')).toBe('1');
    life.cluster.now -= 31_536_000;
    life.run(30);
    expect(life.left()).toEqual([]);
  });

  it('[D07] is kept when two controllers’ clocks differ by seconds', () => {
    const life = new Life().deleteInBackground();
    life.cluster.outcomes.push('Failed');
    life.run(5);
    life.cluster.now -= 3;
    life.run(50);
    expect(jobs(life)).toHaveLength(1);
  });
});

describe('what looks like a cleanup Job', () => {
  const labels = { [`${PREFIX}/instance`]: 'j3akelqd', [`${PREFIX}/instance-uid`]: 'uid-xr' };
  const job = (name: string, type: string): JsonObject => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'crossplane-system', labels },
    status: { conditions: [{ type, status: 'True' }] },
  });

  test.each(['Complete', 'Failed'])('[D06] [D07] says nothing of the data when it is %s, and stays', (type) => {
    const life = new Life();
    const kept = ['copy', 'pi-cleanup-uid-xr', 'pi-cleanup-uid-xr-0-copy', 'pi-cleanup-uid-2-0'].map((name) =>
      structuredClone(life.cluster.put(job(name, type))),
    );
    life.deleteInBackground().run(60);
    expect([life.xr, jobs(life), life.failures]).toEqual([undefined, ['create Job pi-cleanup-uid-xr-0'], 0]);
    expect(life.cluster.all('Job')).toEqual(kept);
  });

  it('[R03] but is one holds back the next attempt, also when its pod has lost its Job', () => {
    const life = new Life();
    life.cluster.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'pi-cleanup-uid-xr-0-x7b2q', namespace: 'crossplane-system', labels },
    });
    life.deleteInBackground().run(3600);
    expect(jobs(life)).toEqual([]);
    expect(life.condition('InstanceReady')).toBe('False WaitingForStorageCleanup');
    expect(life.message('InstanceReady')).toContain('Pod crossplane-system/pi-cleanup-uid-xr-0-x7b2q');
    life.cluster.drop('Pod', 'pi-cleanup-uid-xr-0-x7b2q', 'crossplane-system');
    life.run(60);
    expect(life.left()).toEqual([]);
  });
});
