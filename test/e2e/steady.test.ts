import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type JsonObject, listAt, numberAt, stringAt } from '../../function/json.ts';
import { ClusterDouble } from './double/cluster.ts';
import {
  ensureNamespace,
  hostNamespaceOf,
  instanceReference,
  NAMESPACE,
  platformInstance,
  READY,
  reaches,
} from './instance.ts';
import { admin } from './plane/plane.ts';
import { restartProcess } from './plane/processes.ts';

const plane = inject('plane');
const kube = admin(plane);
const double = new ClusterDouble(plane);
const NAME = 'steady';
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

describe('a Ready instance that nobody touches', () => {
  let before: Snapshot;

  it('changes nothing and writes no events', {
    timeout: STEADY_MS + 300_000,
  }, async () => {
    await kube.apply(platformInstance(NAME));
    await reaches(plane, kube, NAME, READY, { timeoutMs: 200_000 });
    await wait(SETTLE_MS);
    before = await snapshot();
    await wait(STEADY_MS);
    expect(await snapshot()).toEqual(before);
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
