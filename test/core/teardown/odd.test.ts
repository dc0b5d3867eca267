import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { FINALIZER } from '../../../function/core/keys.ts';
import { blocked, lookups, planTeardown } from '../../../function/core/teardown/index.ts';
import type { Found, Request } from '../../../function/core/teardown/requests.ts';
import { isObject, type Json, type JsonObject } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';
import { foreigners } from './foreign.ts';
import { Life } from './life.ts';
import { merge } from './merge.ts';

const READY = World.ready(MINIMAL);
const PREFIX = 'platform.di-framework.dev';

const odd: fc.Arbitrary<Json | undefined> = fc.oneof(
  fc.constantFrom<Json | undefined>(undefined, null, '', 'x', '..', 'a/b', 0, -1, 1e308, true, [], {}, [null], [[]]),
  fc.constantFrom<Json>({ name: null }, [{ type: 1 }, 'x', { type: 'Failed', status: 'True' }], '1970-01-01T00:00:00Z'),
);

/** Takes or replaces some fields, wherever they are. */
function mutilate(value: JsonObject, gaps: readonly (readonly [number, Json | undefined])[]): JsonObject {
  const copy = structuredClone(value);
  for (const [at, instead] of gaps) {
    const places = placesIn(copy);
    const place = places[at % Math.max(1, places.length)];
    if (place === undefined) continue;
    const [parent, key] = place;
    if (instead === undefined) delete parent[key];
    else parent[key] = structuredClone(instead);
  }
  return copy;
}

function placesIn(value: Json): (readonly [JsonObject, string])[] {
  if (Array.isArray(value)) return value.flatMap(placesIn);
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) => [[value, key] as const, ...placesIn(value[key] ?? null)]);
}

const gaps = fc.array(fc.tuple(fc.nat(400), odd), { maxLength: 4 });

describe('objects as no API server would give them', () => {
  it('never stop the plan, never make it touch what has no name, and nothing is looked for that cannot be', () => {
    const life = new Life({}, READY);
    for (const each of foreigners(life)) life.cluster.put(each, false);
    life.deleteInBackground();
    life.cluster.outcomes.push('running');
    const stages = [structuredClone(life.cluster.all())];
    while (life.xr !== undefined && stages.length < 12) {
      life.step();
      life.cluster.settle();
      stages.push(structuredClone(life.cluster.all()));
    }
    fc.assert(
      fc.property(fc.nat(stages.length - 1), fc.array(gaps, { minLength: 40, maxLength: 40 }), (at, all) => {
        const objects = (stages[at] ?? []).map((each, index) => mutilate(each, all[index % all.length] ?? []));
        const instance = objects.find(({ kind }) => kind === 'PlatformInstance') ?? {};
        const asked: Request[] = [];
        const { found } = life.gather((request) => {
          asked.push(request);
          return answered(objects, request);
        }, instance);
        const step = planTeardown(instance, found, life.cluster.now);
        for (const { object } of step.actions) expect(object.name).not.toBe('');
        const names = asked.flatMap((request) => ('get' in request ? [request.get.name] : []));
        expect(names.filter((name) => /^\.{0,2}$/.test(name))).toEqual([]);
        blocked(instance, 'x', life.cluster.now);
      }),
      { numRuns: 300 },
    );
  });

  it('change nothing where they stand beside others in a list', () => {
    const life = new Life({}, READY).deleteInBackground();
    const { instance, found } = life.gather();
    const worse: Found = new Map(
      [...found].map(([id, value]) => [id, Array.isArray(value) ? [null, 1, 'x', ...value] : value]),
    );
    expect(planTeardown(instance, worse as Found, 0)).toEqual(planTeardown(instance, found, 0));
  });
});

function answered(objects: readonly JsonObject[], request: Request): JsonObject | undefined | JsonObject[] {
  const { kind } = 'get' in request ? request.get : request.list;
  const same = objects.filter((each) => each['kind'] === kind);
  if ('list' in request) return same;
  return same.find((each) => isObject(each['metadata']) && each['metadata']['name'] === request.get.name);
}

describe('what cannot be told', () => {
  it('[X08] what was not looked up is not taken for gone', () => {
    const life = new Life({}, READY).deleteInBackground();
    const { instance, found } = life.gather();
    for (const id of found.keys()) {
      const fewer = new Map([...found].filter(([other]) => other !== id));
      expect(lookups(instance, fewer)).not.toEqual([]);
      expect(planTeardown(instance, fewer, 0)).toMatchObject({ status: undefined, metadata: undefined, actions: [] });
    }
  });

  test.each<readonly [Json | undefined, string]>([
    ['retain', 'deletionPolicy "retain" is neither Delete nor Retain'],
    ['', 'deletionPolicy "" is neither Delete nor Retain'],
    [null, 'deletionPolicy null is neither Delete nor Retain'],
    [['Delete'], 'deletionPolicy ["Delete"] is neither Delete nor Retain'],
  ])('[X08] nothing is destroyed under a policy that nobody knows, %j', (deletionPolicy, why) => {
    const life = new Life({}, READY);
    life.edit((xr) => Object.assign(xr['spec'] as JsonObject, { deletionPolicy }));
    const before = life.left();
    life.deleteInBackground().run(3600);
    expect(life.left()).toEqual(before);
    expect([life.condition('InstanceReady'), life.message('InstanceReady')]).toEqual([
      'False TeardownHeld',
      `Nothing is deleted while ${why}`,
    ]);
  });

  it('[X08] nothing is destroyed of an instance without a spec', () => {
    const life = new Life({}, READY);
    const before = life.left();
    life
      .edit((xr) => delete xr['spec'])
      .deleteInBackground()
      .run(600);
    expect([life.left(), life.condition('InstanceReady')]).toEqual([before, 'False TeardownHeld']);
  });

  test.each([
    ['is empty', ''],
    ['means another path', '..'],
    ['means the same path', '.'],
    ['is a path', 'a/b'],
    ['is in capitals', 'A'],
    ['is too long', 'x'.repeat(300)],
  ])('asks for no object whose name %s', (_, name) => {
    const life = new Life({}, READY);
    life.edit((xr) =>
      merge(xr, {
        spec: {
          crossplane: {
            compositionRevisionRef: { name },
            resourceRefs: [{ apiVersion: 'pulumi.com/v1', kind: 'Stack', name }],
          },
        },
        metadata: { annotations: { [`${PREFIX}/teardown`]: JSON.stringify({ host: name }) } },
      }),
    );
    life.deleteInBackground();
    const asked: string[] = [];
    life.gather((request) => {
      asked.push(JSON.stringify(request));
      return life.cluster.answer(request);
    });
    expect(asked.filter((each) => each.includes(`"${name}"`))).toEqual([]);
  });

  it('an instance without a UID gets no finalizer and no plan', () => {
    const metadata = { name: 'blue', namespace: 'team-a', uid: '', deletionTimestamp: '2026-06-01T12:00:00Z' };
    const instance = { metadata: { ...metadata, finalizers: [FINALIZER] }, spec: {} };
    expect(lookups(instance, new Map())).toEqual([]);
    expect(planTeardown(instance, new Map(), 0)).toMatchObject({ status: undefined, metadata: undefined, actions: [] });
  });

  it('[S08] a note of any length makes one bounded line', () => {
    const life = new Life({}, READY);
    const failure = 'x\n'.repeat(20_000);
    life.annotate({ [`${PREFIX}/teardown`]: JSON.stringify({ failure, host: 7, root: [], failedAt: 'x' }) });
    life.deleteInBackground();
    life.step();
    life.step();
    expect(life.condition('InstanceReady')).toBe('False StorageCleanupFailed');
    expect(life.message('InstanceReady').length).toBeLessThan(1000);
    expect(life.message('InstanceReady')).not.toContain('\n');
  });
});
