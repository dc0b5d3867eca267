import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../function/json.ts';
import { Ready } from '../../../function/wire/messages.ts';
import { MINIMAL, World } from '../world.ts';

const REPAIR = 30 * 60;
/** The spread of repairs is at most a tenth of the interval. */
const SPREAD = REPAIR / 10;

const shown = (world: World): string[] => [
  world.condition('Installed'),
  world.condition('ConfigApplied'),
  world.condition('InstanceReady'),
  String(world.status()['phase']),
];
const READY = (reason: string): string[] => [`True ${reason}`, 'True Applied', 'True Ready', 'Ready'];

const withTenants = (...names: string[]): JsonObject => ({ tenants: names.map((name) => ({ name })) });
const set =
  (key: string, value: Json) =>
  (spec: JsonObject): void => {
    spec[key] = value;
  };
const done = (world: World): World => {
  world.stackRunning().step();
  world.wait(30).stackDone().step();
  return world;
};
const gaveUp = (world: World, message = 'error: boom'): World => {
  world.wait(30).stackFailed(message, { gaveUp: true }).step();
  return world;
};

describe('a change of the spec', () => {
  it('[I02] of the version: Unknown and Installing while it runs, VersionChanged when it has succeeded', () => {
    const world = World.ready(MINIMAL);
    world.edit(set('version', '6.0.23')).step();
    expect(shown(world)).toEqual(['Unknown Installing', 'True Applied', 'False Installing', 'Installing']);
    expect(world.last?.desired.compositeReady).toBe(Ready.False);
    world.stackRunning().step();
    expect(world.status()['installedVersion']).toBe('6.0.22');
    world.wait(30).stackDone().step();
    expect(shown(world)).toEqual(READY('VersionChanged'));
    expect(world.status()['installedVersion']).toBe('6.0.23');
  });

  it('[I03] [C02] of the settings: the instance stays Ready, ConfigApplied is Unknown until they are applied, SpecChanged then', () => {
    const world = World.ready(MINIMAL);
    world.edit(set('platform', withTenants('acme', 'shop'))).step();
    expect(shown(world)).toEqual(['True FirstInstall', 'Unknown Installing', 'True Ready', 'Installing']);
    expect(world.message('ConfigApplied')).toContain('eneration 1 is applied');
    done(world);
    expect(shown(world)).toEqual(READY('SpecChanged'));
    expect(world.status()['applied']).toMatchObject({ generation: 2, tenants: 2, users: 0 });
  });

  it('[I15] [C04] of deletionPolicy alone, or a generation that Crossplane moved: no run, and the generation follows', () => {
    const world = World.ready(MINIMAL);
    const token = world.token;
    world.edit(set('deletionPolicy', 'Retain')).step();
    expect([world.token, world.restartAnnotation()]).toEqual([token, '0']);
    expect(shown(world)).toEqual(READY('FirstInstall'));
    expect(world.status()).toMatchObject({ observedGeneration: 2, applied: { generation: 2 } });
    expect(world.message('ConfigApplied')).toContain('Generation 2 is applied');
  });

  it('in other words, with defaults written out or lists in another order, starts nothing', () => {
    const world = World.ready({ ...MINIMAL, platform: withTenants('acme', 'shop') });
    const token = world.token;
    world
      .edit(
        set('platform', {
          ...withTenants('shop', 'acme'),
          networkPolicyEngine: 'existing',
          gateway: { httpNodePort: 0 },
        }),
      )
      .step();
    expect(world.token).toBe(token);
  });

  it('while a run is in flight waits until that run has ended, and the Stack stays as it was', () => {
    const world = World.ready(MINIMAL);
    world.edit(set('platform', withTenants('acme'))).step();
    world.stackRunning().step();
    const stack = JSON.stringify(world.composed.get('platform-stack')?.['spec']);
    const token = world.token;
    world.edit(set('platform', withTenants('acme', 'shop'))).step();
    expect([world.token, JSON.stringify(world.composed.get('platform-stack')?.['spec'])]).toEqual([token, stack]);
    world.wait(30).stackDone().step();
    expect(world.token).not.toBe(token);
    expect(world.status()['applied']).toMatchObject({ tenants: 1 });
    done(world);
    expect(world.status()['applied']).toMatchObject({ tenants: 2 });
  });

  it('that is taken back before its run began gives the old token back', () => {
    const world = World.ready(MINIMAL);
    const token = world.token;
    world.edit(set('platform', withTenants('acme'))).step();
    expect(world.token).not.toBe(token);
    world.edit((spec) => void delete spec['platform']).step();
    expect(world.token).toBe(token);
    expect(shown(world)).toEqual(READY('FirstInstall'));
  });
});

describe('a run that fails', () => {
  const failing = (world: World): string[] => [
    world.condition('Installed'),
    world.condition('InstanceReady'),
    String(world.status()['phase']),
  ];

  it("[I07] names step, version and error on Installed and InstanceReady, and is tried again beyond the operator's own limit", () => {
    const world = new World(MINIMAL).provision();
    world.syncObjects().stackRunning().step();
    world
      .wait(30)
      .stackFailed('up failed: exit status 255\ncode: 255\nstdout: \nerror: quota exceeded\nstderr: ')
      .step();
    expect(failing(world)).toEqual(['False InstallFailed', 'False InstallFailed', 'Failed']);
    expect(world.message('Installed')).toBe('Cannot install platform 6.0.22: pulumi up failed: quota exceeded');
    expect(world.message('InstanceReady')).toBe(world.message('Installed'));
    const token = world.token;
    world.wait(30).stackFailed('error: quota exceeded', { gaveUp: true }).step();
    expect(world.token).toBe(token);
    const attempts: number[] = [];
    for (let second = 0; second < 3 * 3600 && attempts.length < 7; second += 10) {
      const before = world.token;
      world.wait(10).step();
      if (world.token === before) continue;
      attempts.push(second);
      world.stackFailed('error: quota exceeded', { gaveUp: true });
    }
    const gaps = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
    expect(gaps).toEqual([120, 240, 480, 960, 1800, 1800]);
  });

  it('[I04] [I18] and succeeds with the same inputs is a Retry, without a trace of the failure', () => {
    const world = gaveUp(new World(MINIMAL).provision());
    const token = world.token;
    world.wait(61).step();
    expect(world.token).not.toBe(token);
    world.stackRunning().step();
    expect(failing(world)).toEqual(['False InstallFailed', 'False InstallFailed', 'Failed']);
    world.wait(30).stackDone().syncObjects().step();
    expect(shown(world)).toEqual(READY('Retry'));
    expect(JSON.stringify(world.last?.conditions)).not.toContain('boom');
  });

  it('[I04] and succeeds with changed inputs is FirstInstall while nothing was installed, SpecChanged or VersionChanged after', () => {
    const first = gaveUp(new World(MINIMAL).provision());
    first.edit(set('platform', withTenants('acme'))).step();
    done(first.syncObjects());
    expect(first.condition('Installed')).toBe('True FirstInstall');
    const later = World.ready(MINIMAL);
    later.edit(set('platform', withTenants('acme'))).step();
    gaveUp(later);
    later.edit(set('platform', withTenants('shop'))).step();
    expect(shown(later)).toEqual(['Unknown Installing', 'Unknown Installing', 'False Installing', 'Installing']);
    done(later);
    expect(later.condition('Installed')).toBe('True SpecChanged');
    later.edit(set('version', '6.0.23')).step();
    gaveUp(later);
    later.edit(set('version', '6.0.24')).step();
    done(later);
    expect(later.condition('Installed')).toBe('True VersionChanged');
  });

  it('[C05] [S09] leaves what is applied as it was', () => {
    const world = World.ready(MINIMAL);
    const before = world.status();
    world.edit(set('platform', withTenants('acme'))).step();
    gaveUp(world);
    expect(world.condition('ConfigApplied')).toBe('Unknown ChangePending');
    for (const field of ['installedVersion', 'endpoints', 'applied', 'target'])
      expect(world.status()[field]).toEqual(before[field]);
  });

  it('and is reverted to what is applied runs once more', () => {
    const world = World.ready(MINIMAL);
    world.edit(set('platform', withTenants('acme'))).step();
    gaveUp(world);
    const token = world.token;
    world.edit((spec) => void delete spec['platform']).step();
    expect(world.token).not.toBe(token);
    done(world);
    expect(shown(world)).toEqual(READY('SpecChanged'));
  });
});

describe('a periodic repair', () => {
  const due = (world: World): World => world.wait(REPAIR + SPREAD);

  it('[I05] [P08] [S06] runs once when its interval is over, moves nothing while it runs, and lastRepair when it has succeeded', () => {
    const world = World.ready(MINIMAL);
    const token = world.token;
    world.wait(REPAIR - 120).step();
    expect(world.token).toBe(token);
    due(world).step();
    expect(world.token).toMatch(/^repair-due-/);
    const started = world.token;
    world.stackRunning().step();
    expect(shown(world)).toEqual(READY('FirstInstall'));
    expect(world.status()).not.toHaveProperty('lastRepair');
    world.wait(40).stackDone().step();
    expect(shown(world)).toEqual(READY('RepairDue'));
    expect(world.status()['lastRepair']).toBe(world.time());
    for (let call = 0; call < 20; call++) world.wait(60).step();
    expect(world.token).toBe(started);
  });

  it('[I05] that fails is InstallFailed, lastRepair stays, and its retry moves it', () => {
    const world = World.ready(MINIMAL);
    due(world).step();
    done(world);
    const repaired = world.status()['lastRepair'];
    due(world).step();
    gaveUp(world);
    expect([world.condition('Installed'), world.status()['phase'], world.status()['lastRepair']]).toEqual([
      'False InstallFailed',
      'Failed',
      repaired,
    ]);
    world.wait(61).step();
    done(world);
    expect(shown(world)).toEqual(READY('Retry'));
    expect(world.status()['lastRepair']).toBe(world.time());
  });
});

describe('a workspace that cannot start', () => {
  it('[I14] npm install fails: said with its cause at once, and a new pod is asked for', () => {
    const world = new World(MINIMAL).provision();
    world.setStatus('platform-stack', {
      conditions: [
        {
          type: 'Stalled',
          status: 'True',
          reason: 'WorkspaceFailed',
          message: 'InstallationFailed: rpc error: npm ERR! 404 not found',
        },
      ],
    });
    world.wait(20).step();
    expect([world.condition('Installed'), world.status()['phase']]).toEqual(['False InstallFailed', 'Failed']);
    expect(world.message('Installed')).toBe(
      'Cannot install platform 6.0.22: npm install failed: rpc error: npm ERR! 404 not found',
    );
    world.wait(60).step();
    const pod = JSON.stringify(world.composed.get('platform-stack')?.['spec']);
    expect(pod).toContain(`"platform.di-framework.dev/workspace-attempt":"${world.token}"`);
  });

  it('[I14] silence is InstallFailed after the start deadline and names the pod, and heals when the cause is gone', () => {
    const world = new World(MINIMAL).provision();
    world.syncObjects().wait(599).step();
    expect(world.condition('Installed')).toBe('Unknown Installing');
    world.wait(1).step();
    expect(world.condition('Installed')).toBe('False InstallFailed');
    expect(world.message('Installed')).toMatch(
      /did not start within 10m; look at pod pi-blue-[a-z2-7]{8}-workspace-0$/,
    );
    world.wait(30).stackDone().step();
    expect(world.condition('Installed')).toBe('True Retry');
  });
});
