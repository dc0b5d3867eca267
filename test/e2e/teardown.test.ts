import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Annotation, Label } from '../../function/core/keys.ts';
import { instanceId, instanceNames } from '../../function/core/names.ts';
import { type JsonObject, objectAt, stringAt } from '../../function/json.ts';
import { goneWithin, hasFinalizer, type Made, made, madeOf, oneOf, settlesTo } from './deleting.ts';
import { ClusterDouble, conditionsOf } from './double/cluster.ts';
import { NodeDouble } from './double/node.ts';
import {
  ensureNamespace,
  hostNamespaceOf,
  instanceReference,
  NAMESPACE,
  platformInstance,
  READY,
  reaches,
} from './instance.ts';
import { eventually } from './plane/eventually.ts';
import type { Reference } from './plane/kube.ts';
import { admin } from './plane/plane.ts';
import { whatIsReal } from './touched.ts';

const plane = inject('plane');
const kube = admin(plane);
const double = new ClusterDouble(plane);
const node = new NodeDouble(plane);

const LEAVING = 'leaving';
const PLANS: Readonly<Record<string, JsonObject>> = {
  background: {},
  foreground: {},
  retained: { deletionPolicy: 'Retain' },
  changed: {},
  skipped: {},
  cleaned: {},
  custom: { platform: { storageRoot: '/mnt/custom' } },
  failing: {},
  hanging: {},
  foreign: {},
};
const instances = new Map<string, Made>();
const the = (name: string): Made => oneOf(instances, name);
const live = (name: string): Promise<JsonObject> => kube.get(instanceReference(name));
const mark = (name: string, annotations: JsonObject): Promise<JsonObject> =>
  kube.patch(instanceReference(name), { metadata: { annotations } });

beforeAll(async () => {
  await ensureNamespace(kube, NAMESPACE);
  await ensureNamespace(kube, LEAVING);
  double.start();
  node.start();
  const all = Object.entries(PLANS).map(([name, spec]) => made(plane, kube, name, spec));
  const ready = await Promise.all([...all, made(plane, kube, 'evicted', {}, LEAVING)]);
  for (const each of ready) {
    instances.set(each.name, each);
    node.fill(each.root);
    await kube.create(volumeOf(each));
  }
}, 400_000);
afterAll(async () => {
  await double.stop();
  await node.stop();
});

/** A volume that the vCluster synced: nothing owns it. */
function volumeOf({ name, namespace }: Made): JsonObject {
  const host = hostNamespaceOf(name, namespace);
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `vcluster-data-x-${host}-x-vcluster` },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: 'none',
      hostPath: { path: `/var/lib/di-framework/instances/${namespace}/${name}/volume` },
      claimRef: { namespace: host, name: 'data' },
    },
  };
}

/** What stays of an instance under Retain, once garbage collection took the managed resources. */
function kept({ name, namespace }: Made): string[] {
  const { composed, hostNamespace: host } = instanceNames(namespace, name);
  return [
    `ClusterRole vc-vcluster-v-${host}`,
    `ClusterRoleBinding vc-vcluster-v-${host}`,
    `Namespace ${host}`,
    `PersistentVolume vcluster-data-x-${host}-x-vcluster`,
    `PersistentVolumeClaim ${composed['stack-state']}`,
    'Secret vc-config-vcluster',
    'Secret vc-vcluster',
    'Secret sh.helm.release.v1.vcluster.v1',
    'Service vcluster',
    'Service vcluster-headless',
    'ServiceAccount default',
    'ServiceAccount vc-vcluster',
    'ServiceAccount vc-workload-vcluster',
    'StatefulSet vcluster',
    `ValidatingAdmissionPolicy ${composed['owner-service-policy']}`,
    `ValidatingAdmissionPolicyBinding ${composed['owner-service-policy-binding']}`,
  ].sort();
}

describe('a deleted instance', { concurrent: true, timeout: 240_000 }, () => {
  it('[D01] has had the finalizer from the start', async () => {
    expect(await hasFinalizer(kube, the('custom'))).toBe(true);
  });

  it('[D02] [D06] [D08] in the background leaves nothing', async () => {
    await kube.delete(instanceReference('background'), 'Background');
    await goneWithin(plane, kube, the('background'));
    await settlesTo(kube, the('background'), []);
    expect(node.has(the('background').root)).toBe(false);
  });

  it('[D02] in the foreground, as Argo CD deletes, leaves nothing', async () => {
    await kube.delete(instanceReference('foreground'), 'Foreground');
    await goneWithin(plane, kube, the('foreground'));
    await settlesTo(kube, the('foreground'), []);
    expect(node.has(the('foreground').root)).toBe(false);
  });

  it('[D02] with its namespace leaves nothing', async () => {
    await kube.delete({ apiVersion: 'v1', kind: 'Namespace', name: LEAVING });
    await goneWithin(plane, kube, the('evicted'));
    await settlesTo(kube, the('evicted'), []);
    expect(node.has(the('evicted').root)).toBe(false);
    await eventually(
      async () => (await kube.find({ apiVersion: 'v1', kind: 'Namespace', name: LEAVING })) === undefined,
      30_000,
    );
  });

  it('[D03] [X11] with Retain leaves all that is real, and the next of that name adopts it: no restart, one up', async () => {
    const instance = the('retained');
    const before = await whatIsReal(kube, 'retained');
    const starts = double.starts.get(hostNamespaceOf('retained'));
    const stack = instanceNames(NAMESPACE, 'retained').composed['platform-stack'];
    const updates = double.updates.get(stack)?.length ?? 0;
    await kube.delete(instanceReference('retained'), 'Foreground');
    await goneWithin(plane, kube, instance);
    await settlesTo(kube, instance, kept(instance));
    expect(await whatIsReal(kube, 'retained')).toEqual(before);
    expect(node.has(instance.root)).toBe(true);

    const again = await made(plane, kube, 'retained', { deletionPolicy: 'Retain' });
    expect(again.uid).not.toBe(instance.uid);
    expect(await whatIsReal(kube, 'retained')).toEqual(before);
    expect(double.starts.get(hostNamespaceOf('retained'))).toBe(starts);
    expect((double.updates.get(stack)?.length ?? 0) - updates).toBe(1);

    await kube.patch(instanceReference('retained'), { spec: { deletionPolicy: 'Delete' } });
    await kube.delete(instanceReference('retained'));
    await goneWithin(plane, kube, again);
    await settlesTo(kube, again, []);
    expect(node.has(instance.root)).toBe(false);
  });

  it('[X02] with Retain set in the same moment leaves all that is real', async () => {
    const before = await whatIsReal(kube, 'changed');
    await Promise.all([
      kube.patch(instanceReference('changed'), { spec: { deletionPolicy: 'Retain' } }),
      kube.delete(instanceReference('changed'), 'Foreground'),
    ]);
    await goneWithin(plane, kube, the('changed'));
    expect(await whatIsReal(kube, 'changed')).toEqual(before);
    expect(node.has(the('changed').root)).toBe(true);
  });

  it('[D04] with skip-storage-cleanup leaves the data alone', async () => {
    await mark('skipped', { [Annotation.SkipStorageCleanup]: 'true' });
    await kube.delete(instanceReference('skipped'));
    await goneWithin(plane, kube, the('skipped'));
    await settlesTo(kube, the('skipped'), []);
    expect(node.has(the('skipped').root)).toBe(true);
  });

  it('[D06] with another UID in storage-cleaned is cleaned all the same', async () => {
    await mark('cleaned', { [Annotation.StorageCleaned]: 'f6b7b4f2-0000-4000-8000-000000000000' });
    await kube.delete(instanceReference('cleaned'));
    await goneWithin(plane, kube, the('cleaned'));
    expect(node.has(the('cleaned').root)).toBe(false);
  });

  it('[D05] with a storageRoot of its own leaves the data alone', async () => {
    node.fill('/mnt/custom');
    await kube.delete(instanceReference('custom'));
    await goneWithin(plane, kube, the('custom'));
    await settlesTo(kube, the('custom'), []);
    expect([node.has('/mnt/custom'), node.has(the('custom').root)]).toEqual([true, true]);
  });

  it('[I12] [D07] [R03] whose cleanup fails twice is tried again with a pause, and goes', async () => {
    const { uid, root } = the('failing');
    node.outcomes.set(uid, ['fail', 'fail']);
    await kube.delete(instanceReference('failing'));
    const seen = new Set<string>();
    const counts = new Set<string>();
    await eventually(async () => {
      const object = await kube.find(instanceReference('failing'));
      if (object === undefined) return true;
      for (const condition of conditionsOf(object))
        if (/^(InstanceReady|Installed)/.test(condition)) seen.add(condition);
      counts.add(stringAt(object, 'metadata', 'annotations', Annotation.StorageCleanupFailures) ?? '0');
      return false;
    }, 120_000);
    expect([...seen]).toEqual(
      expect.arrayContaining([
        'InstanceReady=False/Deleting',
        'InstanceReady=False/WaitingForStorageCleanup',
        'InstanceReady=False/StorageCleanupFailed',
        'Installed=False/StorageCleanupFailed',
      ]),
    );
    expect([...counts]).toEqual(['0', '1', '2']);
    expect(node.jobs.filter((job) => job.includes(uid))).toEqual(
      [0, 1, 2].map((attempt) => `pi-cleanup-${uid}-${attempt}`),
    );
    expect(node.has(root)).toBe(false);
  });

  it('[T11] whose host Namespace hangs says why after the deadline, and goes when it is free', async () => {
    const host = hostNamespaceOf('hanging');
    const stuck: Reference = { apiVersion: 'v1', kind: 'ConfigMap', namespace: host, name: 'stuck' };
    await kube.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: host, name: 'stuck', finalizers: ['example.org/stuck'] },
    });
    await kube.delete(instanceReference('hanging'));
    const object = await reaches(
      plane,
      kube,
      'hanging',
      {
        phase: 'Deleting',
        conditions: ['TargetReady=False/TargetDeleteFailed', 'InstanceReady=False/TargetDeleteFailed'],
      },
      { timeoutMs: 120_000 },
    );
    const message = JSON.stringify(objectAt(object, 'status')?.['conditions']);
    expect(message).toContain('example.org/stuck');
    expect(node.has(the('hanging').root)).toBe(true);
    await kube.patch(stuck, { metadata: { finalizers: [] } });
    await goneWithin(plane, kube, the('hanging'));
    await settlesTo(kube, the('hanging'), []);
  });

  it('[X07] takes nothing with it that only looks like its own', async () => {
    const { uid } = the('foreign');
    const labels = {
      [Label.Instance]: instanceId(NAMESPACE, 'foreign'),
      [Label.InstanceUid]: '00000000-0000-4000-8000-000000000000',
    };
    const copies: readonly JsonObject[] = [
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'looks-foreign', labels: { [Label.InstanceUid]: uid } },
      },
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: NAMESPACE, name: 'looks-foreign', labels: { [Label.InstanceUid]: uid } },
      },
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: NAMESPACE, name: 'looks-foreign', labels } },
    ];
    for (const copy of copies) await kube.create(copy);
    await kube.delete(instanceReference('foreign'));
    await goneWithin(plane, kube, the('foreign'));
    await settlesTo(kube, the('foreign'), ['ConfigMap looks-foreign', 'Namespace looks-foreign']);
  });

  it('[D09] that never became ready is gone all the same', async () => {
    await kube.apply(platformInstance('young'));
    const host = hostNamespaceOf('young');
    await eventually(
      () => kube.find({ apiVersion: 'apps/v1', kind: 'StatefulSet', namespace: host, name: 'vcluster' }),
      60_000,
    );
    const young = madeOf(await live('young'));
    await kube.delete(instanceReference('young'), 'Foreground');
    await goneWithin(plane, kube, young);
    await settlesTo(kube, young, []);
  });

  it('[X11] and made again at once waits for the first, which takes nothing of the second with it', async () => {
    await kube.apply(platformInstance('twice'));
    const first = madeOf(await reaches(plane, kube, 'twice', READY, { timeoutMs: 240_000 }));
    await kube.delete(instanceReference('twice'), 'Background');
    // Argo CD would try until it can: while the first is there it is the first that is applied to.
    await eventually(async () => (await kube.tryCreate(platformInstance('twice'))).status === 201, 90_000);
    const second = madeOf(await reaches(plane, kube, 'twice', READY, { timeoutMs: 240_000 }));
    expect(second.uid).not.toBe(first.uid);
    expect(double.starts.get(hostNamespaceOf('twice'))).toBe(2);
  });
});
