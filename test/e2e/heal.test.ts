import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { instanceNames } from '../../function/core/names.ts';
import { isObject, listAt, stringAt } from '../../function/json.ts';
import { ClusterDouble, conditionsOf } from './double/cluster.ts';
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
import { serviceAccountToken } from './plane/identities.ts';
import { Kube, type Reference } from './plane/kube.ts';
import { accessOf, admin } from './plane/plane.ts';
import { restartProcess } from './plane/processes.ts';

const plane = inject('plane');
const kube = admin(plane);
const double = new ClusterDouble(plane);
const NAME = 'green';
const host = hostNamespaceOf(NAME);
const names = instanceNames(NAMESPACE, NAME);

const inHost = (apiVersion: string, kind: string, name: string): Reference => ({
  apiVersion,
  kind,
  namespace: host,
  name,
});
const uidOf = async (reference: Reference): Promise<string> =>
  stringAt(await kube.get(reference), 'metadata', 'uid') ?? '';
const starts = (): number => double.starts.get(host) ?? 0;
const installedBy = (reason: string) => ({ ...READY, conditions: [...READY.conditions, `Installed=True/${reason}`] });

/** Reasons that TargetReady showed, in order, until the instance is as wanted. */
async function watched(wanted: { readonly phase: string; readonly conditions: readonly string[] }): Promise<string[]> {
  const seen: string[] = [];
  await eventually(async () => {
    const live = await kube.get(instanceReference(NAME));
    const shown = conditionsOf(live);
    const target = shown.find((condition) => condition.startsWith('TargetReady='))?.split('/')[1] ?? '';
    if (seen.at(-1) !== target) seen.push(target);
    const isThere = wanted.conditions.every((condition) => shown.includes(condition));
    return isThere && stringAt(live, 'status', 'phase') === wanted.phase;
  }, 150_000);
  return seen;
}

beforeAll(async () => {
  await ensureNamespace(kube, NAMESPACE);
  double.start();
  await kube.apply(platformInstance(NAME));
  await reaches(plane, kube, NAME, installedBy('FirstInstall'));
});
afterAll(() => double.stop());

describe('an instance heals', () => {
  it('[T05] [T07] when its owner Service was deleted: repaired, resynced, installed again, restarted once', async () => {
    const before = starts();
    const old = await uidOf(inHost('v1', 'Service', 'vcluster'));
    const token = await serviceAccountToken(kube, 'crossplane-system', 'provider-helm');
    await new Kube(accessOf(plane, token)).delete(inHost('v1', 'Service', 'vcluster'));
    const seen = await watched(installedBy('Resync'));
    expect(seen.filter((reason) => reason === 'Repairing' || reason === 'Resyncing')).toEqual([
      'Repairing',
      'Resyncing',
    ]);
    const live = await kube.get(instanceReference(NAME));
    const uid = await uidOf(inHost('v1', 'Service', 'vcluster'));
    expect(uid).not.toBe(old);
    expect(live['status']).toMatchObject({ target: { serviceUID: uid } });
    expect(stringAt(live, 'status', 'target', 'resyncStarted')).toBeUndefined();
    expect(starts() - before).toBe(1);
  });

  it('[T04] when its kubeconfig Secret was deleted: restarted once, installed again', async () => {
    const before = starts();
    const runs = double.updates.get(names.composed['platform-stack'])?.length ?? 0;
    await kube.delete(inHost('v1', 'Secret', 'vc-vcluster'));
    await eventually(async () => starts() > before, 60_000);
    await eventually(async () => (double.updates.get(names.composed['platform-stack'])?.length ?? 0) > runs, 60_000);
    await reaches(plane, kube, NAME, installedBy('Resync'));
    expect(starts() - before).toBe(1);
  });

  it('when provider-kubernetes and provider-helm were down for a while: nothing is restarted or installed again', async () => {
    const before = [starts(), double.updates.get(names.composed['platform-stack'])?.length];
    await restartProcess(plane.folder, 'provider-kubernetes');
    await restartProcess(plane.folder, 'provider-helm');
    await reaches(plane, kube, NAME, READY);
    expect([starts(), double.updates.get(names.composed['platform-stack'])?.length]).toEqual(before);
  });
});

describe('[X01] what is composed goes and is adopted again, and nothing real is lost', () => {
  const composed: readonly (readonly [string, Reference])[] = [
    [
      'Release',
      {
        apiVersion: 'helm.m.crossplane.io/v1beta1',
        kind: 'Release',
        namespace: NAMESPACE,
        name: names.composed.vcluster,
      },
    ],
    [
      'Object of the host namespace',
      {
        apiVersion: 'kubernetes.m.crossplane.io/v1alpha1',
        kind: 'Object',
        namespace: NAMESPACE,
        name: names.composed['host-namespace'],
      },
    ],
    [
      'Object of the admission policy',
      {
        apiVersion: 'kubernetes.m.crossplane.io/v1alpha1',
        kind: 'Object',
        namespace: NAMESPACE,
        name: names.composed['owner-service-policy'],
      },
    ],
    [
      'Stack',
      { apiVersion: 'pulumi.com/v1', kind: 'Stack', namespace: NAMESPACE, name: names.composed['platform-stack'] },
    ],
  ];

  const ways: readonly (readonly [string, (reference: Reference) => Promise<unknown>])[] = [
    ['deleted by hand', (reference) => kube.delete(reference)],
    [
      'garbage-collected, because a restore left it an owner that is gone',
      async (reference) => {
        const [owner] = listAt(await kube.get(reference), 'metadata', 'ownerReferences').filter(isObject);
        const gone = { ...owner, uid: '00000000-0000-4000-8000-000000000000' };
        await kube.patch(reference, { metadata: { ownerReferences: [gone] } });
      },
    ],
  ];
  const cases = ways.flatMap(([how, remove]) =>
    composed.map(([what, reference]) => [what, how, reference, remove] as const),
  );

  it.each(cases)('%s, %s', async (_, __, reference, remove) => {
    const real = [
      inHost('v1', 'Service', 'vcluster'),
      inHost('apps/v1', 'StatefulSet', 'vcluster'),
      inHost('v1', 'Secret', 'vc-vcluster'),
      { apiVersion: 'v1', kind: 'Namespace', name: host },
    ];
    const before = [await Promise.all(real.map(uidOf)), starts()];
    const old = await uidOf(reference);
    await remove(reference);
    await eventually(async () => {
      const live = await kube.find(reference);
      return live !== undefined && stringAt(live, 'metadata', 'uid') !== old;
    }, 60_000);
    await reaches(plane, kube, NAME, READY);
    expect([await Promise.all(real.map(uidOf)), starts()]).toEqual(before);
  });
});

describe('[X04] a vCluster that was up is never uninstalled', () => {
  it('when the Helm release Secrets are lost', async () => {
    const real = [inHost('v1', 'Service', 'vcluster'), inHost('apps/v1', 'StatefulSet', 'vcluster')];
    const before = await Promise.all(real.map(uidOf));
    const secrets = await kube.list({ apiVersion: 'v1', kind: 'Secret', namespace: host });
    const records = secrets.filter((secret) => stringAt(secret, 'type') === 'helm.sh/release.v1');
    expect(records.length).toBeGreaterThan(0);
    for (const record of records) await kube.delete(inHost('v1', 'Secret', stringAt(record, 'metadata', 'name') ?? ''));
    await eventually(async () => {
      const live = await kube.list({ apiVersion: 'v1', kind: 'Secret', namespace: host });
      return live.some((secret) => stringAt(secret, 'type') === 'helm.sh/release.v1');
    }, 90_000);
    await reaches(plane, kube, NAME, READY);
    expect(await Promise.all(real.map(uidOf))).toEqual(before);
  });
});

describe('the API server restarted in mid-provisioning', () => {
  it('an instance still becomes Ready', async () => {
    await kube.apply(platformInstance('late'));
    await eventually(async () => (await kube.find(instanceReference('late')))?.['status'] !== undefined, 30_000);
    await restartProcess(plane.folder, 'kube-apiserver');
    await reaches(plane, kube, 'late', READY, { timeoutMs: 160_000 });
  });
});
