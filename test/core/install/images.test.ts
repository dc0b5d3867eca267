import { describe, expect, it } from 'vitest';
import { type JsonObject, objectAt, stringAt } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';

const DEFAULT = 'ghcr.io/di-framework/wash:2.8.0-wasi-tls-exclusive';
const OTHER = 'ghcr.io/example/wash:1';
const RUNS = 'platform.di-framework.dev/runs';

const withImage = (tenantHostImage: string | undefined): JsonObject =>
  tenantHostImage === undefined ? MINIMAL : { ...MINIMAL, platform: { tenantHostImage } };
const image = (world: World): string | undefined =>
  stringAt(world.composed.get('platform-stack'), 'spec', 'config', 'tenantHostImage');

/** The instance was installed with the image; undefined is an install that left the platform its own default. */
function installedWith(recorded: string | undefined): World {
  const world = World.ready(withImage(recorded ?? OTHER));
  if (recorded !== undefined) return world;
  const annotations = objectAt(world.composed.get('platform-stack'), 'metadata', 'annotations') ?? {};
  const runs = world.runs();
  for (const run of ['current', 'applied']) delete objectAt(runs, run)?.['image'];
  annotations[RUNS] = JSON.stringify(runs);
  return world;
}

/** The next run: whatever the spec says about the image, the version changes too. */
function next(world: World, explicit: string | undefined, version = '6.0.23'): World {
  world.edit((spec) => {
    spec['version'] = version;
    if (explicit === undefined) delete spec['platform'];
    else spec['platform'] = { tenantHostImage: explicit };
  });
  world.step();
  return world;
}

describe('[P05] the tenant host image of the next run', () => {
  it.each<[string, string | undefined, string | undefined, JsonObject | undefined, string | undefined]>([
    // what, recorded, in the spec, settings, expected
    ["the spec's over a recorded one", DEFAULT, 'x/y:2', undefined, 'x/y:2'],
    ["the spec's over a record without one", undefined, 'x/y:2', undefined, 'x/y:2'],
    ['a recorded one when the spec has none', OTHER, undefined, undefined, OTHER],
    ['a recorded one also when the default moved', DEFAULT, undefined, { tenantHost: { image: 'x/y:3' } }, DEFAULT],
    ["none, the platform's own, after a record without one", undefined, undefined, undefined, undefined],
    ['none also when the default moved', undefined, undefined, { tenantHost: { image: 'x/y:3' } }, undefined],
  ])('is %s', (_, recorded, explicit, input, expected) => {
    const world = installedWith(recorded);
    if (input !== undefined) world.input = input;
    next(world, explicit);
    expect(image(world)).toBe(expected);
    world.stackDone().step();
    expect(objectAt(world.status(), 'applied')?.['tenantHostImage']).toBe(expected);
  });

  it.each<[string, string | undefined, JsonObject | undefined, string]>([
    ["the spec's", OTHER, undefined, OTHER],
    ['the default', undefined, undefined, DEFAULT],
    ["the settings' default", undefined, { tenantHost: { image: 'x/y:3' } }, 'x/y:3'],
  ])('of a new instance is %s, also in the attempts after a failed one', (_, explicit, input, expected) => {
    const world = new World(withImage(explicit), input === undefined ? {} : { input }).provision();
    expect(image(world)).toBe(expected);
    world.stackFailed('error: boom', { gaveUp: true }).step();
    world.wait(60).step();
    expect(world.token).toMatch(/^retry-/);
    expect(image(world)).toBe(expected);
  });

  it('of a Stack that is there without any record is left to the platform', () => {
    const world = new World(MINIMAL).provision();
    const annotations = objectAt(world.composed.get('platform-stack'), 'metadata', 'annotations') ?? {};
    delete annotations[RUNS];
    world.step();
    expect(image(world)).toBeUndefined();
  });
});

describe('[I09] a version that does not approve the default image', () => {
  const input: JsonObject = { tenantHost: { approvedVersions: '<6.0.23' } };
  const shown = (world: World): string[] => [
    world.condition('Installed'),
    world.condition('ConfigApplied'),
    world.condition('InstanceReady'),
    String(world.status()['phase']),
  ];

  it.each<[string, string | undefined, string | undefined]>([
    ['an explicit image', DEFAULT, OTHER],
    ['an explicit image that is the default', DEFAULT, DEFAULT],
    ['another recorded image', OTHER, undefined],
    ['a record without one', undefined, undefined],
  ])('is no trouble with %s', (_, recorded, explicit) => {
    const world = installedWith(recorded);
    world.input = input;
    const token = world.token;
    next(world, explicit);
    expect(world.token).not.toBe(token);
    expect(world.condition('Installed')).toBe('Unknown Installing');
  });

  it.each<[string, (world: World) => void]>([
    ['the version', (world) => void next(world, undefined, '6.0.22')],
    ['the image', (world) => void next(world, OTHER)],
  ])('is refused with the recorded default, the Stack as it was, until %s changes', (_, mend) => {
    const world = World.ready(MINIMAL, { input });
    const stack = (): string => JSON.stringify([world.token, world.composed.get('platform-stack')?.['spec']]);
    const before = stack();
    next(world, undefined);
    const reason = 'False TenantHostImageUnsupported';
    expect(shown(world)).toEqual([reason, reason, reason, 'Failed']);
    expect(world.message('Installed')).toBe(
      `Platform 6.0.23 does not approve the default tenant host image ${DEFAULT}; set platform.tenantHostImage`,
    );
    for (const type of ['ConfigApplied', 'InstanceReady']) expect(world.message(type)).toBe(world.message('Installed'));
    expect(stack()).toBe(before);
    mend(world);
    if (world.condition('InstanceReady') !== 'True Ready') world.stackDone().step();
    expect(shown(world).slice(1)).toEqual(['True Applied', 'True Ready', 'Ready']);
    expect(JSON.stringify(world.last?.conditions)).not.toContain('does not approve');
  });
});
