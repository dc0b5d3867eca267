import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Json, type JsonObject, objectAt } from '../../../function/json.ts';
import { POINTS, worldAt } from '../invariants/lives.ts';
import { MINIMAL, World } from '../world.ts';

const FINALIZER = 'platform.di-framework.dev/instance';
const AWAITED = `Waiting for the teardown controller to add its finalizer ${FINALIZER}`;

function withFinalizers(world: World, finalizers: Json | undefined): World {
  const metadata = objectAt(world.xr, 'metadata') ?? {};
  if (finalizers === undefined) delete metadata['finalizers'];
  else metadata['finalizers'] = finalizers;
  return world;
}

describe('[D01] an instance without the finalizer of the teardown controller', () => {
  it.each<[string, Json | undefined]>([
    ['no finalizers', undefined],
    ['an empty list', []],
    ["Crossplane's alone", ['composite.apiextensions.crossplane.io']],
    ['one that only looks like it', [`${FINALIZER}s`]],
    ['something odd', { [FINALIZER]: true }],
  ])('composes nothing yet and says what it waits for: %s', (_, finalizers) => {
    const world = withFinalizers(new World(MINIMAL), finalizers);
    for (const seconds of [0, 60, 3600]) {
      world.wait(seconds).step();
      expect(world.composed.size).toBe(0);
      expect([world.status()['phase'], world.condition('InstanceReady')]).toEqual(['Pending', 'Unknown Pending']);
      expect(world.message('InstanceReady')).toBe(AWAITED);
    }
    expect(world.last?.results).toEqual([]);
  });

  it('begins as soon as it is there, beside whatever else', () => {
    const world = withFinalizers(new World(MINIMAL), []);
    world.step();
    withFinalizers(world, ['composite.apiextensions.crossplane.io', FINALIZER]).step();
    expect([...world.composed.keys()]).toContain('host-namespace');
    expect(world.status()['phase']).toBe('Provisioning');
  });

  it('is held by default, and not when the setting is off', () => {
    const size = (input: JsonObject | undefined): number => {
      const world = withFinalizers(new World(MINIMAL, input === undefined ? {} : { input }), []);
      world.step();
      return world.composed.size;
    };
    expect([size(undefined), size({}), size({ holdForFinalizer: true })]).toEqual([0, 0, 0]);
    expect(size({ holdForFinalizer: false })).toBeGreaterThan(0);
  });

  it('is not held in a preview, which shows all that will be composed', () => {
    const held = withFinalizers(new World(MINIMAL), undefined);
    delete objectAt(held.xr, 'metadata')?.['creationTimestamp'];
    expect(held.ask().desired.resources.size).toBe(11);
  });

  it('keeps all that is observed, and goes on with what is missing, once anything of it exists', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...POINTS),
        fc.constantFrom<Json | undefined>(undefined, [], ['other.example/finalizer'], 'odd'),
        (point, finalizers) => {
          const world = worldAt(point, MINIMAL);
          const composed = [...world.composed.keys()];
          const before = [...world.ask().desired.resources];
          const after = [...withFinalizers(world, finalizers).ask().desired.resources];
          if (composed.length === 0) expect(after).toEqual([]);
          else expect(after).toEqual(before);
          expect(after.map(([key]) => key)).toEqual(expect.arrayContaining(composed));
        },
      ),
    );
  });
});
