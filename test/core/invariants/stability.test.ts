import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runFunction } from '../../../function/core/run.ts';
import type { JsonObject } from '../../../function/json.ts';
import type { RunFunctionRequest } from '../../../function/wire/messages.ts';
import { encodeResponse } from '../../../function/wire/response.ts';
import { MINIMAL } from '../world.ts';
import { POINTS, SETTLED, worldAt } from './lives.ts';
import { TENANT_AUTH, validSettings, validSpec } from './specs.ts';

const RICH: JsonObject = {
  ...MINIMAL,
  platform: {
    tenants: [{ name: 'shop', resources: { cpu: '1', memory: '1Gi' } }, { name: 'billing' }],
    users: [{ name: 'kim', memberships: [{ tenant: 'shop', role: 'viewer' }] }],
    gateway: { httpNodePort: 30080, httpEndpoint: 'http://apps.example' },
    tenantAuth: TENANT_AUTH,
  },
};

function bytes(request: RunFunctionRequest, now: number): string {
  return Buffer.from(encodeResponse(runFunction(request, now))).toString('base64');
}

/** The same value with the entries of every map in an order of their own; lists keep theirs. */
function shuffled<T>(value: T, random: () => number): T {
  const mixed = <E>(entries: Iterable<E>): E[] => {
    return [...entries]
      .map((entry) => [random(), entry] as const)
      .sort(([a], [b]) => a - b)
      .map(([, entry]) => entry);
  };
  const walk = (item: unknown): unknown => {
    if (item instanceof Uint8Array) return item;
    if (item instanceof Map) return new Map(mixed(item).map(([key, entry]) => [key, walk(entry)]));
    if (item instanceof Set) return new Set(mixed(item));
    if (Array.isArray(item)) return item.map(walk);
    if (typeof item !== 'object' || item === null) return item;
    return Object.fromEntries(mixed(Object.entries(item)).map(([key, entry]) => [key, walk(entry)]));
  };
  return walk(value) as T;
}

const point = fc.constantFrom(...POINTS);
const random = fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true }));

describe('the same question', () => {
  it('has byte for byte the same answer in whatever order the maps of the request come', () => {
    fc.assert(
      fc.property(point, validSpec, validSettings, random, (at, spec, input, stream) => {
        const world = worldAt(at, spec, input === undefined ? {} : { input });
        const request = world.request(world.ask().requirements);
        const again = shuffled(request, () => Number(stream.next().value));
        expect(bytes(again, world.now * 1000)).toBe(bytes(request, world.now * 1000));
      }),
      { numRuns: 200 },
    );
  });

  it.each([...SETTLED, 'install failed', 'unreachable'] as const)(
    'has byte for byte the same answer at two times while %s and nothing is due in between',
    (at) => {
      const world = worldAt(at, RICH);
      world.wait(1).step();
      const request = world.request(world.ask().requirements);
      const answers = [0, 1, 1.5, 3].map((later) => bytes(request, (world.now + later) * 1000));
      expect(new Set(answers).size).toBe(1);
    },
  );

  it.each(POINTS)('has the same answer about a preview at any time, as it stands when %s', (at) => {
    const world = worldAt(at, RICH);
    const request = world.request(world.ask().requirements);
    const composite = request.composite?.resource ?? {};
    composite['metadata'] = { namespace: 'team-a', name: 'blue' };
    expect(bytes(request, 0)).toBe(bytes(request, Date.UTC(2040, 0, 1)));
  });

  it.each(SETTLED)('asked once more after its answer is applied, gives the same while %s', (at) => {
    const world = worldAt(at, RICH);
    world.wait(1).step();
    const first = bytes(world.request(world.ask().requirements), world.now * 1000);
    world.step();
    expect(bytes(world.request(world.ask().requirements), world.now * 1000)).toBe(first);
  });

  it('gives no results in the steady state, and is asked again after a minute', () => {
    const world = worldAt('ready', RICH);
    const answers = [1, 60, 60].map((seconds) => world.wait(seconds).step());
    expect(answers.map(({ results, ttlSeconds }) => ({ results, ttlSeconds }))).toEqual(
      answers.map(() => ({ results: [], ttlSeconds: 60 })),
    );
  });

  it('gives no results on the way to Ready', () => {
    const results = SETTLED.flatMap((at) => worldAt(at, RICH).step().results);
    expect(results).toEqual([]);
  });

  it('gives a warning once, when its reason is new', () => {
    const world = worldAt('installing', RICH).stackFailed('boom', { gaveUp: true });
    const counts = [world.step(), world.wait(1).step(), world.wait(1).step()].map(({ results }) => results.length);
    expect(counts).toEqual([1, 0, 0]);
  });

  it('asks for the same resources on every path', () => {
    const world = worldAt('ready', RICH);
    const request = world.request(world.ask().requirements);
    const wanted = runFunction(request, world.now * 1000).requirements;
    const metadata = request.composite?.resource['metadata'] as JsonObject;
    const composite = (change: (resource: JsonObject) => void): RunFunctionRequest => {
      const whole = structuredClone(request);
      change(whole.composite?.resource ?? {});
      return whole;
    };
    const spec = (resource: JsonObject): JsonObject => resource['spec'] as JsonObject;
    const paths: Readonly<Record<string, RunFunctionRequest>> = {
      'nothing fetched yet': { ...request, requiredResources: new Map() },
      'nothing exists': {
        ...request,
        requiredResources: new Map([...request.requiredResources.keys()].map((key) => [key, []])),
      },
      'unknown setting': { ...request, input: { unknown: true } },
      'composed twice': { ...request, desired: { ...request.desired, names: ['vcluster'] } },
      'unreadable spec': composite((resource) => {
        spec(resource)['version'] = 7;
      }),
      'unreadable spec in a preview': composite((resource) => {
        spec(resource)['version'] = 7;
        resource['metadata'] = { name: metadata['name'] ?? '', namespace: metadata['namespace'] ?? '' };
      }),
      'being deleted': composite((resource) => {
        resource['metadata'] = { ...metadata, deletionTimestamp: '2026-06-02T00:00:00Z' };
      }),
      'status lost': composite((resource) => delete resource['status']),
    };
    for (const [path, asked] of Object.entries(paths)) {
      for (const later of [0, 10_000]) {
        const { requirements } = runFunction(asked, (world.now + later) * 1000);
        expect({ path, ...requirements }).toEqual({ path, ...wanted });
      }
    }
  });
});

describe('the status of the instance', () => {
  it('is never read: losing it changes nothing but events', () => {
    fc.assert(
      fc.property(point, validSpec, (at, spec) => {
        const world = worldAt(at, spec);
        const request = world.request(world.ask().requirements);
        const without = structuredClone(request);
        delete without.composite?.resource['status'];
        const [a, b] = [request, without].map((asked) => runFunction(asked, world.now * 1000));
        expect({ ...b, results: [] }).toEqual({ ...a, results: [] });
      }),
      { numRuns: 100 },
    );
  });
});
