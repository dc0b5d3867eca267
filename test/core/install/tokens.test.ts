import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';

const platform =
  (...names: string[]) =>
  (spec: JsonObject): void => {
    spec['platform'] = { tenants: names.map((name) => ({ name })) };
  };
const shown = (world: World): string[] => [
  world.condition('Installed'),
  world.condition('InstanceReady'),
  String(world.status()['phase']),
];
const gaveUp = (world: World): World => {
  world.wait(30).stackFailed('error: boom', { gaveUp: true }).step();
  return world;
};
const done = (world: World): World => {
  world.stackRunning().step();
  world.wait(30).stackDone().step();
  return world;
};

describe('a change that fails and is taken back to settings that were applied by a change before', () => {
  const reverted = (): World => {
    const world = World.ready(MINIMAL).edit(platform('acme'));
    world.step();
    done(world).edit(platform('shop')).step();
    return gaveUp(world).edit(platform('acme'));
  };

  it('[I04] [I13] is a run of its own: Installing until it has succeeded, then SpecChanged at its own time', () => {
    const world = reverted();
    const before = world.runs()['applied'] as JsonObject;
    world.step();
    expect(world.token).not.toBe(before['token']);
    expect(shown(world)).toEqual(['Unknown Installing', 'False Installing', 'Installing']);
    done(world);
    expect(shown(world)).toEqual(['True SpecChanged', 'True Ready', 'Ready']);
    expect((world.runs()['applied'] as JsonObject)['finishedAt']).toBe(world.now);
  });

  it('[I07] is tried again when it fails, and hangs visibly when it hangs', () => {
    const failing = reverted();
    failing.step();
    const token = failing.token;
    gaveUp(failing).wait(60).step();
    expect(failing.token).not.toBe(token);
    const hanging = reverted();
    hanging.step();
    hanging.wait(600).step();
    expect(shown(hanging)).toEqual(['False InstallFailed', 'False InstallFailed', 'Failed']);
  });
});

describe('the tokens of a long life', () => {
  it('never repeat among runs that follow one another, so that no success is taken for another one', () => {
    const world = World.ready(MINIMAL);
    const tokens = [world.token];
    for (const names of [['a'], ['b'], ['a'], ['b'], ['a']]) {
      world.edit(platform(...names)).step();
      done(world);
      tokens.push(world.token);
      world.wait(2000).step();
      done(world);
      tokens.push(world.token);
    }
    expect(new Set(tokens).size).toBe(tokens.length);
  });

  it('are the same again when a change is taken back and made again before its run began', () => {
    const world = World.ready(MINIMAL);
    const seen = new Set([world.token]);
    for (let round = 0; round < 4; round++) {
      world.edit(platform('a')).step();
      seen.add(world.token);
      world.edit((spec) => void delete spec['platform']).step();
      seen.add(world.token);
    }
    expect(seen.size).toBe(2);
  });
});

describe('a change that is taken back just when the operator had begun its run', () => {
  const crossed = (): { world: World; taken: string; kept: string } => {
    const world = World.ready(MINIMAL);
    const kept = world.token;
    world.edit(platform('acme')).step();
    const taken = world.token;
    world.edit((spec) => void delete spec['platform']).step();
    expect(world.token).toBe(kept);
    world.setStatus('platform-stack', { conditions: [], currentUpdate: { reconcileRequest: taken, name: 'update' } });
    return { world, taken, kept };
  };
  const ended = (world: World, token: string): World => {
    world.setStatus('platform-stack', {
      lastUpdate: { type: 'up', state: 'succeeded', reconcileRequest: token, lastResyncTime: world.time() },
    });
    return world;
  };

  it('is never said to have failed, says what is applied, and ends as the operator has run the old token again', () => {
    const { world, taken, kept } = crossed();
    world.wait(1800).step();
    expect([world.token, world.condition('InstanceReady')]).toEqual([kept, 'True Ready']);
    ended(world.wait(5), taken).step();
    expect(world.status()['applied']).toMatchObject({ tenants: 1 });
    expect([world.token, world.condition('ConfigApplied')]).toEqual([kept, 'Unknown Installing']);
    ended(world.wait(60), kept).step();
    expect(world.status()['applied']).toMatchObject({ tenants: 0 });
    expect(shown(world)).toEqual(['True FirstInstall', 'True Ready', 'Ready']);
  });

  it('is not disturbed by a third change', () => {
    const { world, taken, kept } = crossed();
    world.edit(platform('other')).step();
    expect(world.token).toBe(kept);
    ended(world, taken).step();
    expect(world.token).not.toBe(kept);
  });
});
