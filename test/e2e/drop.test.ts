import { setTimeout as wait } from 'node:timers/promises';
import type { Server } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Key } from '../../function/core/keys.ts';
import { instanceNames } from '../../function/core/names.ts';
import { runFunction } from '../../function/core/run.ts';
import { stringAt } from '../../function/json.ts';
import { OwnComposition } from './composition.ts';
import { ClusterDouble } from './double/cluster.ts';
import { serveFunction } from './double/function.ts';
import {
  ensureNamespace,
  hostNamespaceOf,
  instanceReference,
  NAMESPACE,
  platformInstance,
  READY,
  reaches,
} from './instance.ts';
import { registerFunction } from './plane/crossplane.ts';
import { eventually } from './plane/eventually.ts';
import { admin } from './plane/plane.ts';
import { whatIsReal } from './touched.ts';

const plane = inject('plane');
const kube = admin(plane);
const double = new ClusterDouble(plane);
const NAME = 'red';
/** Long enough for another run or restart to be asked for and to begin. */
const SETTLE_MS = 8000;
const FUNCTION = 'function-all-but-one';
const names = instanceNames(NAMESPACE, NAME);
const host = hostNamespaceOf(NAME);
const own = new OwnComposition(kube, 'edited');

let dropped = '';
let server: Server;

/** Our own function, but for one key that it no longer desires. */
async function serveAllButOne(): Promise<void> {
  const served = await serveFunction(plane.folder, (request) => {
    const response = runFunction(request, Date.now());
    const resources = new Map([...response.desired.resources].filter(([key]) => key !== dropped));
    return { ...response, desired: { ...response.desired, resources } };
  });
  server = served.server;
  await registerFunction(kube, FUNCTION, `dns:///localhost:${served.port}`);
}

beforeAll(async () => {
  await ensureNamespace(kube, NAMESPACE);
  double.start();
  await serveAllButOne();
  await own.create();
  await kube.apply(platformInstance(NAME, own.spec));
  await reaches(plane, kube, NAME, READY);
});
afterAll(async () => {
  await double.stop();
  server.forceShutdown();
});

const runs = (): number => double.updates.get(names.composed[Key.PlatformStack])?.length ?? 0;
const starts = (): number => double.starts.get(host) ?? 0;

const KINDS: readonly (readonly [Key, string, string, number])[] = [
  [Key.VCluster, 'helm.m.crossplane.io/v1beta1', 'Release', 0],
  [Key.HostNamespace, 'kubernetes.m.crossplane.io/v1alpha1', 'Object', 0],
  [Key.StackState, 'kubernetes.m.crossplane.io/v1alpha1', 'Object', 0],
  // One `up` more, which changes nothing: a Stack without a status says of no run that it was.
  [Key.PlatformStack, 'pulumi.com/v1', 'Stack', 1],
];

describe('[X01] a key that an edit of the Composition drops, and that comes back', () => {
  it.each(KINDS)('%s: nothing real is touched, all is adopted', async (key, apiVersion, kind, more) => {
    const reference = { apiVersion, kind, namespace: NAMESPACE, name: names.composed[key] };
    const before = [await whatIsReal(kube, NAME), starts(), runs()] as const;
    dropped = key;
    await own.edit((step) => ({ ...step, functionRef: { name: FUNCTION } }));
    await own.untilFelt(NAME, async () => (await kube.find(reference)) === undefined);
    expect([await whatIsReal(kube, NAME), starts(), runs()]).toEqual(before);
    await own.restore();
    await own.untilFelt(NAME, async () => (await kube.find(reference)) !== undefined);
    await eventually(() => runs() >= before[2] + more, 60_000);
    await wait(SETTLE_MS);
    const live = await reaches(plane, kube, NAME, READY);
    expect([await whatIsReal(kube, NAME), starts(), runs()]).toEqual([before[0], before[1], before[2] + more]);
    expect(stringAt(live, 'status', 'installedVersion')).toBe('6.0.22');
    expect((await kube.get(instanceReference(NAME)))['metadata']).not.toHaveProperty('deletionTimestamp');
  });
});
