import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { instanceNames } from '../../function/core/names.ts';
import { type JsonObject, listAt, numberAt, stringAt } from '../../function/json.ts';
import { AS_IN_A_CLUSTER, ClusterDouble } from './double/cluster.ts';
import {
  ensureNamespace,
  hostNamespaceOf,
  instanceReference,
  NAMESPACE,
  platformInstance,
  READY,
  reaches,
} from './instance.ts';
import { BreakerWatch, fewestTokens, writesByKey } from './plane/breaker.ts';
import type { Reference } from './plane/kube.ts';
import { admin } from './plane/plane.ts';
import { restartProcess } from './plane/processes.ts';

const plane = inject('plane');
const kube = admin(plane);
const double = new ClusterDouble(plane, AS_IN_A_CLUSTER);
const NAME = 'steady';
const BUSY = 'busy';
const RESPONSIVE = { ...READY, conditions: [...READY.conditions, 'Responsive=True/WatchCircuitClosed'] };
const SETTLE_MS = 25_000;
/** Five minutes, unless somebody who works on these tests says otherwise. */
const STEADY_MS = Number(process.env['E2E_STEADY_SECONDS'] ?? 300) * 1000;

beforeAll(async () => {
  await ensureNamespace(kube, NAMESPACE);
  double.start();
});
afterAll(() => double.stop());

interface Snapshot {
  readonly instance: string;
  readonly generations: JsonObject;
  readonly events: number;
  readonly starts: number;
}

async function snapshot(): Promise<Snapshot> {
  const live = await kube.get(instanceReference(NAME));
  const references = listAt(live, 'spec', 'crossplane', 'resourceRefs').map((entry) => ({
    apiVersion: stringAt(entry, 'apiVersion') ?? '',
    kind: stringAt(entry, 'kind') ?? '',
    name: stringAt(entry, 'name') ?? '',
    namespace: NAMESPACE,
  }));
  const generations: JsonObject = {};
  for (const reference of references) {
    const resource = await kube.get(reference);
    // Kinds without a generation change nothing but by a write, which the resource version shows.
    generations[`${reference.kind}/${reference.name}`] =
      numberAt(resource, 'metadata', 'generation') ?? stringAt(resource, 'metadata', 'resourceVersion') ?? '';
  }
  const events = await kube.list({ apiVersion: 'v1', kind: 'Event', namespace: NAMESPACE });
  const ofInstance = events.filter((event) => stringAt(event, 'involvedObject', 'name') === NAME);
  return {
    instance: stringAt(live, 'metadata', 'resourceVersion') ?? '',
    generations,
    events: ofInstance.reduce((sum, event) => sum + (numberAt(event, 'count') ?? 1), 0),
    starts: double.starts.get(hostNamespaceOf(NAME)) ?? 0,
  };
}

/** How often each object that an instance has was told of, by events of everybody. */
async function eventsOf(instance: string): Promise<number[]> {
  const names = new Set([instance, ...Object.values(instanceNames(NAMESPACE, instance).composed)]);
  const events = await kube.list({ apiVersion: 'v1', kind: 'Event', namespace: NAMESPACE });
  const counts = new Map<string, number>();
  for (const event of events) {
    const name = stringAt(event, 'involvedObject', 'name') ?? '';
    if (names.has(name)) counts.set(name, (counts.get(name) ?? 0) + (numberAt(event, 'count') ?? 1));
  }
  return [...counts.values()];
}

/** More than Crossplane takes at once of what happens to one instance, by somebody else's hand. */
async function stir(name: string): Promise<void> {
  const account: Reference = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    namespace: NAMESPACE,
    name: instanceNames(NAMESPACE, name).composed['stack-service-account'],
  };
  for (let count = 0; count < 80; count++) {
    await kube.patch(account, { metadata: { annotations: { 'example.org/stirred': String(count) } } });
  }
  const open = { phase: 'Ready', conditions: ['Responsive=False/WatchCircuitOpen'] };
  await reaches(plane, kube, name, open, { timeoutMs: 60_000 });
}

describe('a new instance', () => {
  it('becomes Ready with few writes and events, and the circuit breaker closed', { timeout: 600_000 }, async () => {
    const watch = new BreakerWatch(kube, NAMESPACE, NAME);
    await watch.start();
    for (const name of [NAME, BUSY]) await kube.apply(platformInstance(name));
    for (const name of [NAME, BUSY]) await reaches(plane, kube, name, READY, { timeoutMs: 250_000 });
    await wait(SETTLE_MS);
    watch.stop();
    const writes = writesByKey(watch.changes);
    const text = [...writes].map(([key, count]) => `${key} ${count}`).join(', ');
    const ofInstance = watch.changes.filter(({ key }) => key === '').length;
    process.stdout.write(`writes: instance ${ofInstance}, ${text}; fewest tokens ${fewestTokens(watch.changes)}\n`);
    // What the providers write by themselves when they create something is six of them for an Object, seven for a Release.
    expect(Math.max(...writes.values()), text).toBeLessThanOrEqual(9);
    expect(
      [...writes.values()].reduce((sum, count) => sum + count),
      text,
    ).toBeLessThanOrEqual(64);
    expect(Math.max(...(await eventsOf(NAME)))).toBeLessThanOrEqual(150);
    // How often Crossplane repeats its own writes of the instance is a matter of how quickly it sees them.
    await reaches(plane, kube, NAME, RESPONSIVE, { timeoutMs: 400_000 });
  });
});

describe('a Ready instance that nobody touches', () => {
  let before: Snapshot;

  it('changes nothing and writes no events, and the circuit breaker stays closed', {
    timeout: STEADY_MS + 60_000,
  }, async () => {
    await stir(BUSY);
    before = await snapshot();
    await wait(STEADY_MS);
    expect(await snapshot()).toEqual(before);
    await reaches(plane, kube, NAME, RESPONSIVE, { timeoutMs: 1000 });
  });

  it('is Responsive again by itself once too much has happened to it', { timeout: 450_000 }, async () => {
    await reaches(plane, kube, BUSY, RESPONSIVE, { timeoutMs: 400_000 });
  });

  it('[X05] is met by a restarted function without a change', async () => {
    await restartProcess(plane.folder, 'function');
    await wait(SETTLE_MS);
    const { instance: _, events: __, ...after } = await snapshot();
    const { instance: ___, events: ____, ...earlier } = before;
    expect(after).toEqual(earlier);
    await reaches(plane, kube, NAME, READY);
  });
});
