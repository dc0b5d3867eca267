import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../../../function/json.ts';
import { freeze, frozenInstances, frozenReleases, revived } from './release.ts';

const version = process.env['FREEZE'];
if (version !== undefined) freeze(version);

const FROZEN = frozenReleases().flatMap((release) =>
  frozenInstances(release).map(([name, frozen]) => [`${name} of ${release}`, frozen] as const),
);

/** Everything of a resource but what others write and the bookkeeping in its own annotations. */
function contents(resource: JsonObject | undefined): string {
  const { metadata: _, status: __, ...rest } = resource ?? {};
  return JSON.stringify(sorted(rest));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

it('[X05] there is a frozen release to upgrade from', () => {
  expect(FROZEN.length).toBeGreaterThan(0);
});

describe.each(FROZEN)('the instance %s, met by the function of today', (_, frozen) => {
  it('[X05] keeps every composed resource byte for byte, so that nothing restarts', () => {
    const world = revived(frozen);
    const response = world.ask();
    expect([...response.desired.resources.keys()].sort()).toEqual(Object.keys(frozen.composed).sort());
    for (const [key, { resource }] of response.desired.resources) {
      expect([key, contents(resource)]).toEqual([key, contents(frozen.composed[key])]);
    }
  });

  it('[X05] is Ready, and stays as it is while time goes by', () => {
    const world = revived(frozen);
    for (const seconds of [1, 60, 600]) {
      world.wait(seconds).step();
      expect(world.condition('InstanceReady')).toBe('True Ready');
      for (const [key, resource] of world.composed) {
        expect([key, contents(resource)]).toEqual([key, contents(frozen.composed[key])]);
      }
    }
    expect(world.last?.results).toEqual([]);
  });

  it('[X05] keeps the token of its Stack, the one thing whose change starts a run', () => {
    const world = revived(frozen);
    const token = world.token;
    expect(token).not.toBe('');
    world.wait(60).step();
    expect(world.token).toBe(token);
  });

  it('[X05] has nothing restarted while it is not readable or its target is away', () => {
    const world = revived(frozen);
    world.probe('connection refused').step();
    world.edit((spec) => {
      spec['version'] = 'six';
    });
    world.wait(5).step();
    for (const key of ['vcluster', 'platform-stack', 'stack-program', 'stack-state']) {
      expect([key, contents(world.composed.get(key))]).toEqual([key, contents(frozen.composed[key])]);
    }
  });
});
