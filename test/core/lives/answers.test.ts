import { describe, expect, it } from 'vitest';
import { runFunction } from '../../../function/core/run.ts';
import { type JsonObject, objectAt, stringAt } from '../../../function/json.ts';
import { Ready } from '../../../function/wire/messages.ts';
import { decodeRequest } from '../../../function/wire/request.ts';
import { encodeResponse } from '../../../function/wire/response.ts';
import { encodeBy, structOf } from '../../wire/referee.ts';
import { MINIMAL, World } from '../world.ts';

const GRACE = 45;
const REPAIR = 30 * 60;
const DIGEST = `sha256:${'0'.repeat(64)}`;
const DIAL = 'observe failed: cannot get object: dial tcp: connection refused';

const shown = (world: World): string[] => [
  String(world.status()['phase']),
  world.condition('Installed'),
  world.condition('InstanceReady'),
];
const set =
  (key: string, value: JsonObject | string) =>
  (spec: JsonObject): void => {
    spec[key] = value;
  };
const resynced = (world: World): World => {
  world.put('Service', world.hostNamespace, 'vcluster', {});
  world.step();
  world.wait(GRACE).step();
  return world.syncRelease().chartObjects().controlPlaneUp().probe();
};

describe('[I13] a run that is wanted or in flight', () => {
  it.each<[string, () => World, string[]]>([
    ['first install', () => new World(MINIMAL).provision(), ['Installing', 'Unknown Installing', 'False Installing']],
    [
      'version change',
      () => World.ready(MINIMAL).edit(set('version', '6.0.23')),
      ['Installing', 'Unknown Installing', 'False Installing'],
    ],
    ['resync', () => resynced(World.ready(MINIMAL)), ['Installing', 'True FirstInstall', 'False Installing']],
    [
      'settings change on a Ready instance',
      () => World.ready(MINIMAL).edit(set('platform', { tenants: [], tenantHostImage: 'x/y:1' })),
      ['Installing', 'True FirstInstall', 'True Ready'],
    ],
    ['repair', () => World.ready(MINIMAL).wait(2 * REPAIR), ['Ready', 'True FirstInstall', 'True Ready']],
    [
      'any change after a failure',
      () => {
        const world = World.ready(MINIMAL).edit(set('platform', { tenants: [{ name: 'a' }] }));
        world.step();
        world.stackFailed('error: boom', { gaveUp: true }).step();
        return world.edit(set('platform', { tenants: [{ name: 'b' }] }));
      },
      ['Installing', 'Unknown Installing', 'False Installing'],
    ],
    [
      'retry of the same version and settings',
      () => {
        const world = new World(MINIMAL).provision();
        world.stackFailed('error: boom', { gaveUp: true }).step();
        return world.wait(60);
      },
      ['Failed', 'False InstallFailed', 'False InstallFailed'],
    ],
  ])('%s', (_, life, wanted) => {
    const world = life();
    world.step();
    expect(shown(world)).toEqual(wanted);
    world.stackRunning().step();
    expect(shown(world)).toEqual(wanted);
  });
});

describe('[I16] several causes at once give one run, by the first reason that holds', () => {
  it.each<[string, () => World, RegExp]>([
    ['Resync before a version change', () => resynced(World.ready(MINIMAL)).edit(set('version', '6.0.23')), /^resync-/],
    [
      'Resync before Retry',
      () => {
        const world = World.ready(MINIMAL).edit(set('version', '6.0.23'));
        world.step();
        world.stackFailed('error: boom', { gaveUp: true }).step();
        return resynced(world).wait(60);
      },
      /^resync-/,
    ],
    [
      'Retry before FirstInstall',
      () => {
        const world = new World(MINIMAL).provision();
        world.stackFailed('error: boom', { gaveUp: true }).step();
        return world.wait(60);
      },
      /^retry-/,
    ],
    [
      'VersionChanged before SpecChanged',
      () =>
        World.ready(MINIMAL)
          .edit(set('version', '6.0.23'))
          .edit(set('platform', { tenants: [{ name: 'a' }] })),
      /^version-changed-/,
    ],
    [
      'SpecChanged before RepairDue',
      () =>
        World.ready(MINIMAL)
          .edit(set('platform', { tenants: [{ name: 'a' }] }))
          .wait(2 * REPAIR),
      /^spec-changed-/,
    ],
  ])('%s', (_, life, token) => {
    const world = life();
    world.step();
    expect(world.token).toMatch(token);
    const asked = world.token;
    world.wait(5).step();
    expect(world.token).toBe(asked);
  });
});

describe('[I06] an install after a resync', () => {
  it('is True Resync', () => {
    const world = resynced(World.ready(MINIMAL));
    world.step();
    world.stackDone().step();
    expect(world.condition('Installed')).toBe('True Resync');
  });
});

describe('ConfigApplied', () => {
  const platform: JsonObject = {
    tenants: [{ name: 'acme' }],
    users: [
      { name: 'kim', memberships: [] },
      { name: 'lee', memberships: [] },
    ],
    tenantAuth: {
      image: `a@${DIGEST}`,
      issuer: 'https://login.example',
      clientId: 'c',
      clientSecretRef: { name: 's', key: 'k' },
    },
  };

  it('[C01] names generation, counts and issuer, or says that there is no tenantAuth', () => {
    expect(World.ready(MINIMAL).message('ConfigApplied')).toBe(
      'Generation 1 is applied: 0 tenants, 0 users, no tenantAuth',
    );
    const world = new World({ ...MINIMAL, platform });
    world.put('Secret', 'team-a', 's', { data: { k: true } });
    world.provision().install();
    expect([world.condition('ConfigApplied'), world.message('ConfigApplied')]).toEqual([
      'True Applied',
      'Generation 1 is applied: 1 tenant, 2 users, issuer https://login.example',
    ]);
    expect(world.status()['applied']).toMatchObject({ tenantAuthIssuer: 'https://login.example' });
  });

  it('[C03] takes reason and message of the two tenant failures', () => {
    const secret = new World({ ...MINIMAL, platform }).provision();
    expect([secret.condition('ConfigApplied'), secret.message('ConfigApplied')]).toEqual([
      'False TenantAuthSecretUnavailable',
      secret.message('Installed'),
    ]);
    const image = new World(MINIMAL, { input: { tenantHost: { approvedVersions: '>7.0.0' } } }).provision();
    expect([image.condition('ConfigApplied'), image.message('ConfigApplied')]).toEqual([
      'False TenantHostImageUnsupported',
      image.message('Installed'),
    ]);
  });
});

describe('[R02] a target that is away', () => {
  it.each<[string, (world: World) => void]>([
    [
      'KubeconfigMissing',
      (world) => {
        world.remove('Secret', 'vc-vcluster').step();
        world.wait(GRACE);
      },
    ],
    [
      'Repairing',
      (world) => {
        world.remove('StatefulSet', 'vcluster').step();
        world.wait(GRACE);
      },
    ],
    [
      'TargetUnreachable',
      (world) => {
        world.probe(DIAL).step();
        world.wait(60);
      },
    ],
    ['RolledBack', (world) => void world.syncRelease({ synced: false, description: 'Rollback to 1' })],
  ])('%s gives TargetPending and Provisioning', (reason, lose) => {
    const world = World.ready(MINIMAL);
    lose(world);
    world.step();
    expect([world.condition('TargetReady'), world.condition('InstanceReady'), world.status()['phase']]).toEqual([
      `False ${reason}`,
      'False TargetPending',
      'Provisioning',
    ]);
    expect(world.last?.desired.compositeReady).toBe(Ready.False);
  });
});

describe('[R04] failures on InstanceReady', () => {
  const failed = (): World => {
    const world = World.ready(MINIMAL).edit(set('version', '6.0.23'));
    world.step();
    world.stackFailed('error: boom', { gaveUp: true }).step();
    return world;
  };

  it('stand also while the target is merely pending', () => {
    const world = failed();
    world.get('StatefulSet', 'vcluster')['status'] = { observedGeneration: 1, readyReplicas: 0 };
    world.step();
    expect(shown(world)).toEqual(['Failed', 'False InstallFailed', 'False InstallFailed']);
    expect(world.message('InstanceReady')).toBe(world.message('Installed'));
  });

  it("are the target's when two stand at once", () => {
    const world = failed();
    world.syncRelease({ state: 'failed', revision: 2, description: 'no' }).step();
    expect(shown(world)).toEqual(['Failed', 'False InstallFailed', 'False TargetError']);
    expect(world.message('InstanceReady')).toBe(world.message('TargetReady'));
  });
});

describe('the status', () => {
  it('[S01] [S02] reaches each phase, and says which generation it describes', () => {
    const held = new World(MINIMAL, { input: { holdForFinalizer: true } });
    (held.xr['metadata'] as JsonObject)['finalizers'] = [];
    held.step();
    expect([held.status()['phase'], held.composed.size]).toEqual(['Pending', 0]);
    expect(held.message('InstanceReady')).toContain('platform.di-framework.dev/instance');
    const world = new World(MINIMAL);
    const phases: unknown[] = [];
    const see = (): void => void phases.push(world.step() && world.status()['phase']);
    see();
    world.provision();
    phases.push(world.status()['phase']);
    world.stackFailed('error: boom').step();
    phases.push(world.status()['phase']);
    world.stackDone().step();
    phases.push(world.status()['phase']);
    expect(phases).toEqual(['Provisioning', 'Installing', 'Failed', 'Ready']);
    world.edit(set('deletionPolicy', 'Retain'));
    world.step();
    expect(world.status()['observedGeneration']).toBe(2);
    (world.xr['metadata'] as JsonObject)['deletionTimestamp'] = world.time();
    world.step();
    expect(world.status()['phase']).toBe('Deleting');
  });

  it('[S03] takes endpoints from the last successful run: a field goes when its output goes', () => {
    const world = World.ready(MINIMAL).edit(set('platform', { tenants: [{ name: 'a' }] }));
    world.step();
    world.stackFailed('error: boom').step();
    expect(world.status()['endpoints']).toEqual({ kubernetes: 'https://k.example', http: 'http://apps.example' });
    world.stackDone({ endpoints: { kubernetes: 'https://other.example' } }).step();
    expect(world.status()['endpoints']).toEqual({ kubernetes: 'https://other.example' });
  });

  it('[S05] writes counts of 0, leaves out what is empty, and keeps applied through a running and a failed run', () => {
    const world = World.ready(MINIMAL);
    const applied = world.status()['applied'];
    expect(applied).toEqual({
      generation: 1,
      tenants: 0,
      users: 0,
      tenantHostImage: 'ghcr.io/di-framework/wash:2.8.0-wasi-tls-exclusive',
    });
    world.edit(set('platform', { tenants: [{ name: 'a' }] }));
    world.step();
    expect(world.status()['applied']).toEqual(applied);
    world.stackFailed('error: boom').step();
    expect(world.status()['applied']).toEqual(applied);
  });

  it('[S07] names the Service only once installed, and the resync fields together while a resync runs', () => {
    const world = new World(MINIMAL).provision();
    expect(world.status()).not.toHaveProperty('target');
    world.install();
    const first = stringAt(world.get('Service', 'vcluster'), 'metadata', 'uid');
    expect(world.status()['target']).toEqual({ serviceUID: first });
    world.syncObjects().syncRelease({ revision: 1 }).step();
    resynced(world).step();
    const second = stringAt(world.get('Service', 'vcluster'), 'metadata', 'uid');
    expect(world.status()['target']).toEqual({
      serviceUID: first,
      resyncServiceUID: second,
      resyncStarted: expect.any(String),
    });
    world.stackDone().step();
    expect(world.status()['target']).toEqual({ serviceUID: second });
  });
});

describe('[P06] gateway, policy engine and pull policy', () => {
  const config = (platform: JsonObject | undefined): JsonObject => {
    const world = new World({ ...MINIMAL, ...(platform === undefined ? {} : { platform }) }).provision();
    return objectAt(world.composed.get('platform-stack'), 'spec', 'config') ?? {};
  };

  it('reach the config under their own keys', () => {
    const given = config({
      networkPolicyEngine: 'kube-router',
      gateway: { httpNodePort: 30080, httpEndpoint: 'http://apps.example' },
      tenantHostImagePullPolicy: 'Never',
    });
    expect(given).toMatchObject({
      networkPolicyEngine: 'kube-router',
      httpNodePort: '30080',
      httpEndpoint: 'http://apps.example',
      tenantHostImagePullPolicy: 'Never',
    });
  });

  it('are left out when the spec leaves them out, but for the engine', () => {
    const keys = Object.keys(config(undefined)).sort();
    expect(keys).toEqual(['kubeconfig', 'kubernetesEndpoint', 'networkPolicyEngine', 'storageRoot', 'tenantHostImage']);
    expect(config(undefined)['networkPolicyEngine']).toBe('existing');
    expect(config({ gateway: {} })['httpNodePort']).toBe('0');
  });
});

describe('[X10] a secret value', () => {
  it('in any Secret, credential or connection detail of a request is nowhere in the response, raw or base64', () => {
    const sentinel = 'sentinel-9b1c';
    const encoded = Buffer.from(sentinel).toString('base64');
    const world = World.ready(MINIMAL);
    const { requirements } = world.ask();
    const secret = (name: string): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name,
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"data":"${encoded}"}` },
        ownerReferences: [{ kind: 'Service', name: 'vcluster', uid: 'x' }],
      },
      data: { config: encoded, kubeconfig: encoded, secret: encoded },
      stringData: { plain: sentinel },
    });
    const holder = (resource: JsonObject) => ({
      resource: structOf({ ...resource, status: { ...objectAt(resource, 'status'), copied: secret('inner') } }),
      connectionDetails: { kubeconfig: Buffer.from(sentinel) },
    });
    const bytes = encodeBy('Request', {
      meta: { tag: 'tag', capabilities: [1, 2, 3, 4] },
      observed: {
        composite: holder(world.xr),
        resources: Object.fromEntries([...world.composed].map(([key, resource]) => [key, holder(resource)])),
      },
      credentials: { c: { credentialData: { data: { token: Buffer.from(sentinel) } } } },
      requiredResources: Object.fromEntries(
        [...requirements.resources].map(([name, { matchName }]) => [
          name,
          { items: [{ resource: structOf(secret(matchName)) }] },
        ]),
      ),
    });
    for (const later of [0, GRACE, 3600]) {
      const response = Buffer.from(encodeResponse(runFunction(decodeRequest(bytes), (world.now + later) * 1000)));
      expect(response.length).toBeGreaterThan(1000);
      for (const value of [sentinel, encoded]) expect(response.includes(value)).toBe(false);
    }
  });
});
