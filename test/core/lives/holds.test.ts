import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storageRootProblem } from '../../../function/core/decide/storage-root.ts';
import { type JsonObject, objectAt, stringAt } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;
const AUTH: JsonObject = {
  image: `ghcr.io/example/auth@${DIGEST}`,
  issuer: 'https://login.example',
  clientId: 'console',
  clientSecretRef: { name: 'oauth', key: 'secret' },
};
const withAuth: JsonObject = { ...MINIMAL, platform: { tenantAuth: AUTH } };
const stackSpec = (world: World): string => JSON.stringify(world.composed.get('platform-stack')?.['spec']);
const failing = (world: World): string[] => [
  world.condition('Installed'),
  world.condition('ConfigApplied'),
  world.condition('InstanceReady'),
  String(world.status()['phase']),
];
const FAILED = (reason: string): string[] => [`False ${reason}`, `False ${reason}`, `False ${reason}`, 'Failed'];

function ready(spec: JsonObject): World {
  const world = new World(spec);
  world.put('Secret', 'team-a', 'oauth', { data: { secret: true } });
  world.provision().install();
  return world.syncObjects().syncRelease({ revision: 1 });
}

describe('[I08] the client secret is judged when a run is due', () => {
  it.each<[string, JsonObject | undefined, RegExp]>([
    ['a missing Secret', undefined, /Secret oauth does not exist$/],
    ['a missing key', { other: true }, /Secret oauth has no key secret$/],
    ['an empty value', { secret: false }, /Secret oauth has an empty key secret$/],
  ])('%s: one message on three conditions, nothing new applied, and it goes on by itself', (_, data, message) => {
    const world = ready(withAuth);
    if (data === undefined) world.remove('Secret', 'oauth', 'team-a');
    else world.put('Secret', 'team-a', 'oauth', { data });
    world.step();
    expect(failing(world).slice(2)).toEqual(['True Ready', 'Ready']);
    const [before, token] = [stackSpec(world), world.token];
    world.edit((spec) => {
      spec['version'] = '6.0.23';
    });
    world.step();
    expect(failing(world)).toEqual(FAILED('TenantAuthSecretUnavailable'));
    expect(world.message('Installed')).toMatch(message);
    expect([world.message('ConfigApplied'), world.message('InstanceReady')]).toEqual([
      world.message('Installed'),
      world.message('Installed'),
    ]);
    expect([stackSpec(world), world.token]).toEqual([before, token]);
    world.put('Secret', 'team-a', 'oauth', { data: { secret: true } });
    world.step();
    expect(world.token).not.toBe(token);
    world.stackDone().step();
    expect(failing(world)).toEqual(['True VersionChanged', 'True Applied', 'True Ready', 'Ready']);
  });

  it('[I17] deleted on a Ready instance, with nothing due: nothing flips and nothing restarts', () => {
    const world = ready(withAuth);
    world.step();
    const before = [stackSpec(world), world.token, ...failing(world)];
    world.remove('Secret', 'oauth', 'team-a').step();
    expect([stackSpec(world), world.token, ...failing(world)]).toEqual(before);
    world.wait(2 * 30 * 60).step();
    expect(failing(world)).toEqual(FAILED('TenantAuthSecretUnavailable'));
  });

  it('[P09] a rotated value arrives with the next run, and restarts nothing before it', () => {
    const world = ready(withAuth);
    world.step();
    const before = stackSpec(world);
    world.put('Secret', 'team-a', 'oauth', { metadata: { resourceVersion: '77' }, data: { secret: true } });
    world.step();
    expect(stackSpec(world)).toBe(before);
    world.wait(2 * 30 * 60).step();
    expect(stackSpec(world)).toContain('"platform.di-framework.dev/tenant-auth-version":"77"');
  });
});

describe('the tenant host image', () => {
  const DEFAULT = 'ghcr.io/di-framework/wash:2.8.0-wasi-tls-exclusive';
  const image = (world: World): string | undefined =>
    stringAt(world.composed.get('platform-stack'), 'spec', 'config', 'tenantHostImage');
  const range: JsonObject = { tenantHost: { approvedVersions: '>=6.0.23' } };

  it('[I09] the default is refused for a version that does not approve it, and goes on with one that does', () => {
    const world = new World(MINIMAL, { input: range }).provision();
    expect(failing(world)).toEqual(FAILED('TenantHostImageUnsupported'));
    expect(world.composed.has('platform-stack')).toBe(false);
    world.edit((spec) => {
      spec['version'] = '6.0.23';
    });
    world.step();
    expect(world.composed.has('platform-stack')).toBe(true);
  });

  it('[I09] an explicit image is never refused', () => {
    const world = new World(
      { ...MINIMAL, platform: { tenantHostImage: 'ghcr.io/example/wash:1' } },
      { input: range },
    ).provision();
    expect(image(world)).toBe('ghcr.io/example/wash:1');
  });

  it("[I09] the program's own refusal is recognised by the settings' pattern", () => {
    const world = new World(MINIMAL, { input: { tenantHost: { errorPattern: 'not an approved host' } } }).provision();
    world.stackFailed('error: wash:2.8.0 is not an approved host').step();
    expect(failing(world)).toEqual(FAILED('TenantHostImageUnsupported'));
  });

  it("[P05] is the spec's, else the recorded one, else the default of a new instance, and stays when the default moves", () => {
    const world = World.ready(MINIMAL);
    expect([image(world), objectAt(world.status(), 'applied')?.['tenantHostImage']]).toEqual([DEFAULT, DEFAULT]);
    world.edit((spec) => {
      spec['platform'] = { tenantHostImage: 'ghcr.io/example/wash:1' };
    });
    world.step();
    world.stackDone().step();
    world.edit((spec) => {
      delete spec['platform'];
    });
    world.input = { tenantHost: { image: 'ghcr.io/example/wash:2' } };
    world.step();
    world.stackDone().step();
    expect([image(world), objectAt(world.status(), 'applied')?.['tenantHostImage']]).toEqual([
      'ghcr.io/example/wash:1',
      'ghcr.io/example/wash:1',
    ]);
  });
});

describe('[I10] a custom storage root', () => {
  const BASE = '/var/lib/di-framework/instances';

  it.each([
    BASE,
    `${BASE}/`,
    '/var/lib',
    '/',
    `${BASE}/team-a/blue`,
    '/var/lib/di-framework/x/../instances/a',
    '/var//lib/di-framework/instances',
    'data/relative',
  ])('%s is refused: nothing composed for a new instance', (storageRoot) => {
    const world = new World({ ...MINIMAL, platform: { storageRoot } });
    world.step();
    expect([
      world.condition('Installed'),
      world.condition('InstanceReady'),
      world.status()['phase'],
      world.composed.size,
    ]).toEqual(['False InvalidStorageRoot', 'False InvalidStorageRoot', 'Failed', 0]);
    expect(world.condition('ConfigApplied')).toBe('Unknown Pending');
  });

  it.each([`${BASE}-other`, '/data/blue', '/var/lib/di-framework/other'])('%s is used', (storageRoot) => {
    const world = new World({ ...MINIMAL, platform: { storageRoot } }).provision();
    expect(stringAt(world.composed.get('platform-stack'), 'spec', 'config', 'storageRoot')).toBe(storageRoot);
  });

  it('overlaps exactly when one of the two paths is a beginning of the other, part by part', () => {
    const part = fc.constantFrom('a', 'b', 'ab');
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 4 }),
        fc.array(part, { minLength: 1, maxLength: 4 }),
        (one, two) => {
          const shared = Math.min(one.length, two.length);
          const overlaps = one.slice(0, shared).join('/') === two.slice(0, shared).join('/');
          const messy = `/${one.join('//')}/./`;
          expect(storageRootProblem(messy, `/${two.join('/')}`) !== undefined).toBe(overlaps);
        },
      ),
    );
  });
});

describe('[P04] an empty storage root', () => {
  it('is the base, the namespace and the name', () => {
    const world = new World({ ...MINIMAL, platform: { storageRoot: '' } }).provision();
    expect(stringAt(world.composed.get('platform-stack'), 'spec', 'config', 'storageRoot')).toBe(
      '/var/lib/di-framework/instances/team-a/blue',
    );
  });
});

describe('[X09] a state claim that was replaced', () => {
  it('stops every run until the annotation names the new claim', () => {
    const world = World.ready(MINIMAL);
    const status = objectAt(world.composed.get('stack-state'), 'status', 'atProvider', 'manifest', 'metadata');
    if (status !== undefined) status['uid'] = 'uid-other';
    const token = world.token;
    world.wait(2 * 30 * 60).step();
    expect([world.token, world.condition('InstanceReady')]).toEqual([token, 'False StateVolumeChanged']);
    const metadata = world.xr['metadata'] as JsonObject;
    metadata['annotations'] = { 'platform.di-framework.dev/accept-state-volume': 'uid-other' };
    world.step();
    expect(world.token).not.toBe(token);
    world.stackDone().step();
    expect(world.condition('InstanceReady')).toBe('True Ready');
  });
});

describe('[A30] a whole number above 2^53', () => {
  it('is not installed, and the message names its field', () => {
    const world = ready(withAuth);
    world.step();
    const before = stackSpec(world);
    world.edit((spec) => {
      spec['platform'] = {
        tenantAuth: { ...AUTH, registry: { component: `r@${DIGEST}`, limits: { maxBodyBytes: 2 ** 53 } } },
      };
    });
    world.step();
    expect(world.condition('Installed')).toBe('False InstallFailed');
    expect(world.message('Installed')).toContain('spec.platform.tenantAuth.registry.limits.maxBodyBytes');
    expect(stackSpec(world)).toBe(before);
  });
});
