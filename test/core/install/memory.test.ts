import { describe, expect, it } from 'vitest';
import { type JsonObject, objectAt, stringAt } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';

const REPAIR_AND_SPREAD = 33 * 60;
const ACCEPT = 'platform.di-framework.dev/accept-state-volume';

describe('[S05] applied.generation', () => {
  it('never goes back: it stays the newest one that had the applied settings, while others are wanted, run and fail', () => {
    const world = World.ready(MINIMAL);
    for (let write = 0; write < 4; write++) world.edit((spec) => Object.assign(spec, { crossplane: { write } })).step();
    const generation = (): unknown => objectAt(world.status(), 'applied')?.['generation'];
    expect(generation()).toBe(5);
    world.edit((spec) => Object.assign(spec, { platform: { tenants: [{ name: 'acme' }] } })).step();
    expect(generation()).toBe(5);
    expect(world.message('ConfigApplied')).toContain('Generation 5 is applied');
    world.wait(30).stackFailed('error: boom', { gaveUp: true }).step();
    expect(generation()).toBe(5);
  });
});

describe('[X09] a state claim that is not to be seen', () => {
  const claimUid = (world: World): string | undefined =>
    stringAt(world.composed.get('stack-state'), 'status', 'atProvider', 'manifest', 'metadata', 'uid');

  it('keeps a due repair from running until it is known which claim it is', () => {
    const world = World.ready(MINIMAL);
    const [token, uid] = [world.token, claimUid(world)];
    world.setStatus('stack-state', {});
    world.wait(REPAIR_AND_SPREAD).step();
    expect([world.token, world.condition('InstanceReady')]).toEqual([token, 'True Ready']);
    world.syncObject('stack-state', { metadata: { uid: uid ?? '' } }).step();
    expect(world.token).not.toBe(token);
  });

  it('is composed again with a lost Stack, and nothing runs when it turns out to be another one', () => {
    const world = World.ready(MINIMAL);
    world.composed.delete('platform-stack');
    world.composed.delete('stack-state');
    world.step();
    expect(world.composed.has('stack-state')).toBe(true);
    expect(world.composed.has('platform-stack')).toBe(false);
    world.syncObject('stack-state', { metadata: { uid: 'uid-empty' } }).step();
    expect(world.composed.has('platform-stack')).toBe(false);
    expect([world.condition('InstanceReady'), world.condition('Installed')]).toEqual([
      'False StateVolumeChanged',
      'True FirstInstall',
    ]);
    const metadata = world.xr['metadata'] as JsonObject;
    metadata['annotations'] = { [ACCEPT]: 'uid-empty' };
    world.step();
    expect(world.token).toMatch(/^repair-due-/);
    world.stackDone().step();
    expect(world.condition('InstanceReady')).toBe('True Ready');
  });

  it('runs at once with a lost Stack whose claim is the one it was', () => {
    const world = World.ready(MINIMAL);
    const before = world.status();
    world.composed.delete('platform-stack');
    world.step();
    expect(world.token).toMatch(/^repair-due-/);
    for (const field of ['installedVersion', 'endpoints', 'applied', 'target'])
      expect(world.status()[field]).toEqual(before[field]);
  });
});

describe('a record on the Stack that cannot be read', () => {
  it('[S09] is replaced by the one on the host namespace: nothing that was said is lost, and one repair runs', () => {
    const world = World.ready(MINIMAL);
    const before = world.status();
    const metadata = world.composed.get('platform-stack')?.['metadata'] as JsonObject;
    Object.assign(metadata['annotations'] as JsonObject, {
      'platform.di-framework.dev/runs': '{"applied":{"token":7}}',
    });
    world.step();
    expect(world.token).toMatch(/^repair-due-/);
    const token = world.token;
    for (const field of ['phase', 'installedVersion', 'endpoints', 'applied', 'target'])
      expect(world.status()[field]).toEqual(before[field]);
    for (let call = 0; call < 5; call++) world.wait(10).step();
    expect(world.token).toBe(token);
  });
});
