import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type JsonObject, stringAt } from '../../function/json.ts';
import { ClusterDouble } from './double/cluster.ts';
import { ensureNamespace, hostNamespaceOf, platformInstance, READY, reaches } from './instance.ts';
import { admin } from './plane/plane.ts';

const plane = inject('plane');
const kube = admin(plane);
const double = new ClusterDouble(plane);

const INSTANCES = [
  { namespace: 'one', name: 'twin' },
  { namespace: 'two', name: 'twin' },
  { namespace: 'a-b', name: 'c' },
  { namespace: 'a', name: 'b-c' },
] as const;

beforeAll(async () => {
  for (const { namespace } of INSTANCES) await ensureNamespace(kube, namespace);
  double.start();
});
afterAll(() => double.stop());

describe('instances whose names look alike', () => {
  it('live side by side, each with its own vCluster and policy', { timeout: 240_000 }, async () => {
    for (const { namespace, name } of INSTANCES) await kube.apply(platformInstance(name, {}, namespace));
    const live: JsonObject[] = [];
    for (const { namespace, name } of INSTANCES)
      live.push(await reaches(plane, kube, name, READY, { namespace, timeoutMs: 200_000 }));
    const hosts = INSTANCES.map(({ namespace, name }) => hostNamespaceOf(name, namespace));
    expect(new Set(hosts).size).toBe(INSTANCES.length);
    const services = await Promise.all(
      hosts.map(async (namespace) => kube.get({ apiVersion: 'v1', kind: 'Service', namespace, name: 'vcluster' })),
    );
    expect(live.map((instance) => stringAt(instance, 'status', 'target', 'serviceUID'))).toEqual(
      services.map((service) => stringAt(service, 'metadata', 'uid')),
    );
    for (const namespace of hosts) {
      const { status } = await kube.tryDelete({ apiVersion: 'v1', kind: 'Service', namespace, name: 'vcluster' });
      expect(status).toBe(403);
    }
  });
});
