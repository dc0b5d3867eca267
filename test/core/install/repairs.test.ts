import { describe, expect, it } from 'vitest';
import { type JsonObject, stringAt } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';

const INTERVAL = 30 * 60;
const SPREAD = INTERVAL / 10;

/** Seconds from the last success to the repair. */
function dueAfter(world: World): number {
  const token = world.token;
  const from = Number((world.runs()['applied'] as JsonObject)['finishedAt']);
  while (world.now < from + 2 * INTERVAL) {
    world.now += Math.max(1, world.step().ttlSeconds ?? 1);
    world.step();
    if (world.token !== token) return world.now - from;
  }
  throw new Error('no repair was asked for');
}

const repaired = (world: World): World => {
  world.stackRunning().step();
  world.wait(40).stackDone().step();
  return world;
};

describe('[S06] [P08] when a repair is due', () => {
  it('is the interval and a spread after the last success, brought about to the second by the ttl alone', () => {
    const world = World.ready(MINIMAL);
    const first = dueAfter(world);
    expect(first).toBeGreaterThanOrEqual(INTERVAL);
    expect(first).toBeLessThan(INTERVAL + SPREAD);
    repaired(world);
    expect(dueAfter(world)).toBe(first);
  });

  it('differs from instance to instance, so that a fleet is not repaired at once', () => {
    const names = Array.from({ length: 8 }, (_, index) => `instance-${index}`);
    const due = names.map((name) => dueAfter(World.ready(MINIMAL, { name })));
    expect(new Set(due).size).toBeGreaterThan(5);
    expect(due.every((after) => after >= INTERVAL && after < INTERVAL + SPREAD)).toBe(true);
  });

  it('is put off by any other run that succeeds, which does not move lastRepair', () => {
    const world = World.ready(MINIMAL);
    const first = dueAfter(world);
    repaired(world);
    const last = world.status()['lastRepair'];
    world
      .wait(INTERVAL - 60)
      .edit((spec) => Object.assign(spec, { platform: { tenants: [{ name: 'acme' }] } }))
      .step();
    repaired(world);
    expect(world.status()['lastRepair']).toBe(last);
    expect(dueAfter(world)).toBe(first);
  });

  it('is at once, and once, when the function did not run for long', () => {
    const world = World.ready(MINIMAL).wait(50 * INTERVAL);
    world.step();
    expect(world.token).toMatch(/^repair-due-/);
    repaired(world);
    const token = world.token;
    for (let call = 0; call < 10; call++) world.wait(60).step();
    expect(world.token).toBe(token);
  });

  it("is the Stack's own finish time, not the time at which the function saw it", () => {
    const world = World.ready(MINIMAL).wait(2 * INTERVAL);
    world.step();
    world.stackDone();
    const finished = world.time();
    world.wait(300).step();
    expect(world.status()['lastRepair']).toBe(finished);
  });
});

describe('[I10] a storageRoot that a live instance may not take', () => {
  it('freezes its Stack, changes nothing of what is installed, and is over when it is taken back', () => {
    const world = World.ready(MINIMAL);
    const frozen = (): unknown[] => [world.token, world.composed.get('platform-stack')?.['spec'], world.composed.size];
    const before = frozen();
    world.edit((spec) => Object.assign(spec, { platform: { storageRoot: '/var/lib' } })).step();
    const problem =
      'Cannot use storageRoot /var/lib: it overlaps the storage root base /var/lib/di-framework/instances';
    expect([world.condition('Installed'), world.condition('InstanceReady'), world.status()['phase']]).toEqual([
      'False InvalidStorageRoot',
      'False InvalidStorageRoot',
      'Failed',
    ]);
    expect([world.message('Installed'), world.message('InstanceReady')]).toEqual([problem, problem]);
    expect(world.condition('ConfigApplied')).toBe('True Applied');
    world.wait(2 * INTERVAL).step();
    expect(frozen()).toEqual(before);
    expect(world.status()).toMatchObject({ installedVersion: '6.0.22', applied: { tenants: 0 } });
    world.edit((spec) => void delete spec['platform']).step();
    expect(world.condition('InstanceReady')).toBe('True Ready');
    expect(stringAt(world.composed.get('platform-stack'), 'spec', 'config', 'storageRoot')).toBe(
      '/var/lib/di-framework/instances/team-a/blue',
    );
  });
});
