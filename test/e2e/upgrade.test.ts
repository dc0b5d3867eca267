import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Key } from '../../function/core/keys.ts';
import { instanceNames } from '../../function/core/names.ts';
import { type JsonObject, numberAt, stringAt } from '../../function/json.ts';
import { OwnComposition } from './composition.ts';
import { ClusterDouble } from './double/cluster.ts';
import { ensureNamespace, hostNamespaceOf, NAMESPACE, platformInstance, READY, reaches } from './instance.ts';
import { REFUSED_VERSION } from './plane/chart.ts';
import { eventually } from './plane/eventually.ts';
import { admin } from './plane/plane.ts';

const plane = inject('plane');
const kube = admin(plane);
const double = new ClusterDouble(plane);
const NAME = 'amber';
const host = hostNamespaceOf(NAME);
const own = new OwnComposition(kube, 'upgraded');

beforeAll(async () => {
  await ensureNamespace(kube, NAMESPACE);
  double.start();
  await own.create();
  await kube.apply(platformInstance(NAME, own.spec));
  await reaches(plane, kube, NAME, READY);
});
afterAll(() => double.stop());

function release(): Promise<JsonObject> {
  return kube.get({
    apiVersion: 'helm.m.crossplane.io/v1beta1',
    kind: 'Release',
    namespace: NAMESPACE,
    name: instanceNames(NAMESPACE, NAME).composed[Key.VCluster],
  });
}

const revision = async (): Promise<number> => numberAt(await release(), 'status', 'atProvider', 'revision') ?? 0;

/** An uninstall would take them away, and a later install would make others. */
async function uids(): Promise<(string | undefined)[]> {
  const references = [
    { apiVersion: 'v1', kind: 'Service', namespace: host, name: 'vcluster' },
    { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace: host, name: 'vcluster' },
    { apiVersion: 'v1', kind: 'ServiceAccount', namespace: host, name: 'vc-vcluster' },
    { apiVersion: 'v1', kind: 'Secret', namespace: host, name: 'vc-vcluster' },
  ];
  return Promise.all(references.map(async (reference) => stringAt(await kube.find(reference), 'metadata', 'uid')));
}

async function chartVersion(version: string): Promise<void> {
  await own.editInput({ chart: { repository: plane.chartRepository, version } });
}

const FAILED = { phase: 'Failed', conditions: ['TargetReady=False/TargetError', 'InstanceReady=False/TargetError'] };

describe('[X04] a live vCluster at revision 1 of its Helm release', () => {
  it('is left alone when the next chart cannot be had', async () => {
    const before = [await uids(), double.starts.get(host)];
    await chartVersion('0.36.99');
    await reaches(plane, kube, NAME, FAILED);
    expect(await revision()).toBe(1);
    // A version in use stays in use: to go back is to name the other one.
    await chartVersion('0.36.1');
    await reaches(plane, kube, NAME, READY, { timeoutMs: 150_000 });
    expect([await uids(), double.starts.get(host)]).toEqual(before);
  });

  it('is not uninstalled when the API server refuses the next revision, and heals when that is mended', {
    timeout: 400_000,
  }, async () => {
    expect(await revision()).toBe(1);
    const before = await uids();
    await chartVersion(REFUSED_VERSION);
    await reaches(plane, kube, NAME, FAILED);
    expect(await uids()).toEqual(before);
    // Several attempts, each rolled back.
    const attempted = await revision();
    await eventually(async () => {
      expect(await uids()).toEqual(before);
      return (await revision()) >= attempted + 3;
    }, 200_000);
    await chartVersion('0.36.2');
    await reaches(plane, kube, NAME, READY, { timeoutMs: 150_000 });
    expect(await uids()).toEqual(before);
    expect(stringAt(await release(), 'status', 'atProvider', 'state')).toBe('deployed');
  });
});
