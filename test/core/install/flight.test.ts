import { describe, expect, it } from 'vitest';
import { type JsonObject, stringAt } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';

/** After so long an update that has not ended counts as hung. */
const HUNG = 6 * 600;

const tenants =
  (...names: string[]) =>
  (spec: JsonObject): void => {
    spec['platform'] = { tenants: names.map((name) => ({ name })) };
  };
const stack = (world: World): string =>
  JSON.stringify([
    world.token,
    world.composed.get('platform-stack')?.['spec'],
    world.composed.get('stack-program')?.['data'],
  ]);
const condition = (reason: string, message: string): JsonObject => ({
  type: 'Stalled',
  status: 'True',
  reason,
  message,
});

describe("the operator's own next attempt of a run that failed", () => {
  const again = (): World => {
    const world = World.ready(MINIMAL).edit(tenants('acme'));
    world.step();
    world.wait(30).stackFailed('error: boom').step();
    world.wait(10).stackRunning().step();
    return world;
  };

  it('is in flight like the first: a change waits for its end, since any other spec replaces the pod under it', () => {
    const world = again();
    const before = stack(world);
    world.edit(tenants('acme', 'shop')).step();
    expect(stack(world)).toBe(before);
    expect([world.condition('Installed'), world.status()['phase']]).toEqual(['False InstallFailed', 'Failed']);
    world.wait(60).stackDone().step();
    expect(stack(world)).not.toBe(before);
    expect(world.status()['applied']).toMatchObject({ tenants: 1 });
  });

  it('[I07] [I14] that hangs is given a new pod, counted from the end of the attempt before', () => {
    const world = again();
    const token = world.token;
    world.wait(HUNG - 11).step();
    expect(world.token).toBe(token);
    world.wait(1).step();
    world.wait(60).step();
    expect(world.token).not.toBe(token);
    expect(JSON.stringify(world.composed.get('platform-stack')?.['spec'])).toContain(
      `"platform.di-framework.dev/workspace-attempt":"${world.token}"`,
    );
  });
});

describe('[I14] a workspace that was said to have failed', () => {
  const STALE = condition('WorkspaceFailed', 'InstallationFailed: npm ERR! 404');

  /** The Stack still says what it said before the newest spec and token were looked at. */
  const fixed = (seen: JsonObject): World => {
    const world = World.ready(MINIMAL).edit((spec) => Object.assign(spec, { version: '6.0.99' }));
    world.step();
    world.setStatus('platform-stack', { conditions: [STALE] });
    world.step();
    expect(world.condition('Installed')).toBe('False InstallFailed');
    world.edit((spec) => Object.assign(spec, { version: '6.0.23' })).step();
    world.setStatus('platform-stack', { conditions: [STALE], ...seen });
    world.wait(5).step();
    return world;
  };

  it.each<[string, JsonObject]>([
    ['generation', { observedGeneration: 1 }],
    ['token', { observedReconcileRequest: 'version-changed-of-before-0' }],
  ])('is not believed of a newer run until the operator has seen its %s', (_, seen) => {
    const world = fixed(seen);
    const token = world.token;
    expect([world.condition('Installed'), world.status()['phase']]).toEqual(['Unknown Installing', 'Installing']);
    world.wait(300).step();
    expect(world.token).toBe(token);
    world.stackDone().step();
    expect(world.condition('Installed')).toBe('True VersionChanged');
  });

  it('is believed once the operator has seen both', () => {
    const world = fixed({ observedGeneration: 9 });
    expect(world.condition('Installed')).toBe('False InstallFailed');
  });

  it('is not believed while the Workspace itself says it of an older generation, and is when it says it of the present one', () => {
    const world = new World(MINIMAL).provision();
    const name = stringAt(world.composed.get('platform-stack'), 'metadata', 'name') ?? '';
    const says = (observedGeneration: number): void => {
      world.put('Workspace', 'team-a', name, {
        metadata: { generation: 2 },
        status: { conditions: [{ ...STALE, observedGeneration }] },
      });
    };
    world.setStatus('platform-stack', { conditions: [STALE] });
    says(1);
    world.step();
    expect(world.condition('Installed')).toBe('Unknown Installing');
    says(2);
    world.step();
    expect(world.condition('Installed')).toBe('False InstallFailed');
  });
});

describe('a Stack whose status was lost, as a restore from a backup leaves it', () => {
  it('[S09] is what it was, and the next change goes on from it', () => {
    const world = World.ready(MINIMAL).edit(tenants('acme'));
    world.step();
    world.stackDone().step();
    world.wait(1200).setStatus('platform-stack', {});
    world.step();
    expect([world.condition('Installed'), world.condition('InstanceReady')]).toEqual([
      'True SpecChanged',
      'True Ready',
    ]);
    const token = world.token;
    world.edit((spec) => void delete spec['platform']).step();
    expect(world.token).toMatch(/^spec-changed-/);
    expect(world.token).not.toBe(token);
    expect(world.condition('ConfigApplied')).toBe('Unknown Installing');
  });

  it('[I07] a failed run is asked for again, though nothing says any more that the operator gave up', () => {
    const world = new World(MINIMAL).provision();
    world.stackFailed('error: boom', { gaveUp: true }).step();
    const token = world.token;
    world.setStatus('platform-stack', {});
    world.wait(3600).step();
    expect(world.token).not.toBe(token);
  });
});
