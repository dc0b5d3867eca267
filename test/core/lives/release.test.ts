import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonObject, numberAt, objectAt, stringAt } from '../../../function/json.ts';
import { Severity } from '../../../function/wire/messages.ts';
import { chartValueProblems } from '../../chart/values.ts';
import { MINIMAL, World } from '../world.ts';

const shown = (world: World): string[] => [
  world.condition('TargetReady'),
  world.condition('InstanceReady'),
  String(world.status()['phase']),
];
const ERROR = ['False TargetError', 'False TargetError', 'Failed'];
const limit = (world: World): number | undefined => numberAt(world.composed.get('vcluster'), 'spec', 'rollbackLimit');

function installing(): World {
  const world = new World(MINIMAL);
  world.step();
  world.syncObjects().step();
  return world;
}

describe('[T10] a Helm install that fails', () => {
  it.each<[string, Parameters<World['syncRelease']>[0], string]>([
    [
      'chart pull',
      { state: '', revision: 0, error: 'create failed: failed to install release: failed to pull chart: 404' },
      'Cannot install the vCluster release: failed to pull chart: 404',
    ],
    [
      'closed values schema',
      {
        state: '',
        revision: 0,
        error: "create failed: failed to install release: values don't meet the specifications",
      },
      "Cannot install the vCluster release: values don't meet the specifications",
    ],
    [
      'namespace missing',
      { state: '', revision: 0, error: 'create failed: failed to install release: namespaces "x" not found' },
      'Cannot install the vCluster release: namespaces "x" not found',
    ],
    [
      'failed at revision 1',
      { state: 'failed', revision: 1, description: 'Release "vcluster" failed: boom' },
      'Cannot install the vCluster release: Release "vcluster" failed: boom',
    ],
    [
      'left pending-install',
      {
        state: 'pending-install',
        revision: 1,
        error: 'update failed: another operation (install/upgrade/rollback) is in progress',
      },
      'Cannot install the vCluster release: an earlier attempt was interrupted in state pending-install',
    ],
    [
      'upgrade forbidden',
      { state: 'deployed', revision: 2, synced: false, error: 'update failed: failed to upgrade release: forbidden' },
      'Cannot upgrade the vCluster release: forbidden',
    ],
    [
      'foreign kubeconfig Secret',
      {
        state: '',
        revision: 0,
        error: 'cannot create or update connection secret: existing secret is not controlled by UID "x"',
      },
      'Cannot write the kubeconfig Secret: cannot create or update connection secret: existing secret is not controlled by UID "x"',
    ],
  ])('%s: names step and error on both conditions, and is gone at the first success', (_, options, message) => {
    const world = installing();
    world.syncRelease(options).step();
    expect(shown(world)).toEqual(ERROR);
    expect([world.message('TargetReady'), world.message('InstanceReady')]).toEqual([message, message]);
    world.syncRelease({ revision: 1 }).chartObjects().step();
    expect(shown(world)).toEqual(['False ControlPlanePending', 'False TargetPending', 'Provisioning']);
  });

  it.each([
    ['goes well: none, so that none is in force when the vCluster comes up', 'deployed', undefined],
    ['failed', 'failed', 1],
    ['was interrupted', 'pending-install', 1],
  ])('has a limit only when the provider has something to take away: a first install that %s', (_, state, expected) => {
    const world = installing();
    expect(limit(world)).toBeUndefined();
    world.syncRelease({ state, revision: 1 }).step();
    expect(limit(world)).toBe(expected);
  });

  it('is tried again with a doubling backoff that the limit drives', () => {
    const world = installing();
    world.syncRelease({ state: 'failed', revision: 1, failed: 0 }).step();
    expect(limit(world)).toBe(1);
    const waits: number[] = [];
    for (let failed = 1; failed <= 7; failed++) {
      world.syncRelease({ state: 'failed', revision: 1, failed }).step();
      expect(limit(world)).toBe(failed);
      let waited = 0;
      while (limit(world) === failed && waited < 7200) {
        world.wait(10).syncRelease({ state: 'failed', revision: 1, failed }).step();
        waited += 10;
      }
      waits.push(waited);
    }
    expect(waits).toEqual([60, 120, 240, 480, 960, 1800, 1800]);
  });

  it.each([
    [
      'an API that is unreachable',
      'observe failed: failed to get last helm release: kubernetes cluster unreachable: dial tcp: connection refused',
    ],
    [
      'a missing provider config',
      'connect failed: failed to resolve provider config: cannot get provider config: not found',
    ],
  ])('%s counts once it has lasted, also when its text changes', (_, error) => {
    const world = installing();
    world.syncRelease({ state: '', revision: 0, error }).step();
    expect(world.condition('TargetReady')).toBe('False Creating');
    world
      .wait(599)
      .syncRelease({ state: '', revision: 0, error: `${error} again` })
      .step();
    expect(world.condition('TargetReady')).toBe('False Creating');
    world.wait(1).step();
    expect(shown(world)).toEqual(ERROR);
  });

  it('one warning event is given when the failure is new, and none after', () => {
    const world = installing();
    const failing = world.syncRelease({ state: 'failed', revision: 1, description: 'boom' }).step();
    expect(failing.results.map(({ severity, reason }) => [severity, reason])).toEqual([
      [Severity.Warning, 'TargetError'],
    ]);
    expect(world.step().results).toEqual([]);
  });
});

describe('what is waiting, not failing', () => {
  it.each<[string, (world: World) => void]>([
    ['no conditions yet', () => undefined],
    [
      'a paused release',
      (world) =>
        world.setStatus('vcluster', { conditions: [{ type: 'Synced', status: 'False', reason: 'ReconcilePaused' }] }),
    ],
    [
      'a spec that was not looked at yet',
      (world) =>
        world.setStatus('vcluster', {
          conditions: [
            {
              type: 'Synced',
              status: 'False',
              reason: 'ReconcileError',
              message: 'create failed: old',
              observedGeneration: 0,
            },
          ],
        }),
    ],
  ])('%s', (_, change) => {
    const world = installing();
    change(world);
    world.wait(3600).step();
    expect(shown(world)).toEqual(['False Creating', 'False TargetPending', 'Provisioning']);
  });
});

describe('a release that was uninstalled behind our back while the policy guards its Service', () => {
  it.each(['uninstalling', 'uninstalled'])(
    '%s: after the grace period its own TargetError with the way out, and it heals',
    (state) => {
      const world = World.ready(MINIMAL);
      world.syncRelease({ state, revision: 1 }).step();
      expect(world.condition('TargetReady')).toBe('True Ready');
      world.wait(45).step();
      expect(shown(world)).toEqual(ERROR);
      expect(world.message('TargetReady')).toMatch(
        /uninstalled outside of Crossplane.*delete the .*Helm release Secrets? sh\.helm\.release\.v1\.vcluster/,
      );
      for (let call = 0; call < 20; call++) world.wait(60).step();
      expect(world.restartAnnotation()).toBe('0');
      world.syncRelease({ revision: 1 }).step();
      expect(shown(world)).toEqual(['True Ready', 'True Ready', 'Ready']);
    },
  );
});

describe('[T06] an upgrade that was rolled back', () => {
  it('is RolledBack, not TargetError, and heals', () => {
    const world = World.ready(MINIMAL);
    world.syncRelease({ revision: 3, synced: false, description: 'Rollback to 1' }).step();
    expect(shown(world)).toEqual(['False RolledBack', 'False TargetPending', 'Provisioning']);
    world.syncRelease({ revision: 4 }).step();
    expect(shown(world)).toEqual(['True Ready', 'True Ready', 'Ready']);
  });
});

describe('[X04] a vCluster that was up', () => {
  it('is never given a rollback limit at revision 1, which would uninstall it, whatever the provider shows', () => {
    const states = fc.constantFrom('deployed', 'failed', 'pending-install', 'pending-upgrade', 'uninstalling', '');
    fc.assert(
      fc.property(states, fc.nat(5), fc.boolean(), fc.nat(10_000), (state, failed, synced, later) => {
        const world = World.ready(MINIMAL);
        for (let call = 0; call < 4; call++) {
          world.syncRelease({ state, failed, synced, revision: 1 }).wait(later).step();
          expect(limit(world)).toBeUndefined();
        }
      }),
      { numRuns: 60 },
    );
  });

  it('whose upgrade failed at revision 1 is upgraded again, with backoff, and not more often', () => {
    const world = World.ready(MINIMAL);
    world.syncRelease({ state: 'failed', revision: 1, description: 'Upgrade "vcluster" failed: boom' }).step();
    expect(shown(world)).toEqual(ERROR);
    const restarts: number[] = [];
    for (let second = 0; second < 4 * 3600; second += 10) {
      const before = world.restartAnnotation();
      world.wait(10).syncRelease({ state: 'failed', revision: 1, description: 'boom' }).step();
      if (world.restartAnnotation() !== before) restarts.push(second);
    }
    const gaps = restarts.slice(1).map((at, index) => at - (restarts[index] ?? 0));
    expect(gaps.slice(0, 6)).toEqual([60, 120, 240, 480, 960, 1800]);
  });
});

describe('[S04] the kubeconfig Secret', () => {
  it('is named while it has a kubeconfig, and not when it is empty or gone', () => {
    const world = installing();
    world.syncRelease().chartObjects().controlPlaneUp();
    world.connectionDetails.set('vcluster', new Map([['kubeconfig', false]]));
    world.step();
    expect(world.status()).not.toHaveProperty('kubeconfigSecretRef');
    world.connectionDetails.set('vcluster', new Map([['kubeconfig', true]]));
    world.step();
    expect(world.status()['kubeconfigSecretRef']).toEqual({ name: 'blue-kubeconfig' });
    world.syncRelease({ state: 'failed' }).step();
    expect(world.status()['kubeconfigSecretRef']).toEqual({ name: 'blue-kubeconfig' });
    world.connectionDetails.delete('vcluster');
    world.step();
    expect(world.status()).not.toHaveProperty('kubeconfigSecretRef');
  });
});

describe('[S08] conditions', () => {
  it('stand once each on every answer, and an unchanged answer moves nothing', () => {
    const world = World.ready(MINIMAL);
    const first = world.ask().conditions;
    world.wait(7);
    expect(world.ask().conditions).toEqual(first);
    expect(first.map(({ type }) => type)).toEqual([
      'TargetReady',
      'Installed',
      'ConfigApplied',
      'OwnerServiceProtected',
      'InstanceReady',
      'SettingsApplied',
    ]);
    for (const { reason, message } of first) {
      expect(reason).toMatch(/^[A-Z][A-Za-z]+$/);
      expect(message).not.toMatch(/\d{4}-\d\d-\d\dT/);
    }
  });
});

describe('[X03] a setting that changes while instances live', () => {
  const values = (world: World): JsonObject =>
    objectAt(world.composed.get('vcluster'), 'spec', 'forProvider', 'values') ?? {};

  it.each<[string, JsonObject, string]>([
    [
      'storageRootBase',
      { storageRootBase: '/mnt/other' },
      'storageRootBase stays /var/lib/di-framework/instances/team-a/blue',
    ],
    ['vcluster.volumeSize', { vcluster: { volumeSize: '50Gi' } }, 'vcluster.volumeSize stays 5Gi'],
    ['workspace.stateSize', { workspace: { stateSize: '9Gi' } }, 'workspace.stateSize stays 1Gi'],
    ['workspace.backend', { workspace: { backend: 's3://bucket' } }, 'workspace.backend stays file:///state'],
  ])('%s: what is in use is kept, one warning says so, nothing fails', (_, input, words) => {
    const world = World.ready(MINIMAL);
    const before = ['vcluster', 'platform-stack', 'stack-state'].map((key) =>
      JSON.stringify(world.composed.get(key)?.['spec']),
    );
    world.input = input;
    const response = world.step();
    expect(response.results.map(({ message }) => message)).toEqual([expect.stringContaining(words)]);
    expect(world.step().results).toEqual([]);
    expect(
      ['vcluster', 'platform-stack', 'stack-state'].map((key) => JSON.stringify(world.composed.get(key)?.['spec'])),
    ).toEqual(before);
    expect(world.condition('InstanceReady')).toBe('True Ready');
  });

  it.each<[string, JsonObject, (world: World) => unknown, unknown]>([
    [
      'chart version',
      { chart: { version: '0.36.9' } },
      (world) => stringAt(world.composed.get('vcluster'), 'spec', 'forProvider', 'chart', 'version'),
      '0.36.9',
    ],
    [
      'Kubernetes version',
      { vcluster: { kubernetesVersion: 'v1.34.0' } },
      (world) => stringAt(values(world), 'controlPlane', 'distro', 'k8s', 'image', 'tag'),
      'v1.34.0',
    ],
    [
      'image',
      { vcluster: { imageRepository: 'mirror/vcluster' } },
      (world) => stringAt(values(world), 'controlPlane', 'statefulSet', 'image', 'repository'),
      'mirror/vcluster',
    ],
    [
      'resources',
      { vcluster: { resources: { limits: { memory: '8Gi' } } } },
      (world) => objectAt(values(world), 'controlPlane', 'statefulSet', 'resources'),
      { limits: { memory: '8Gi' } },
    ],
    [
      'overlay',
      { chart: { values: { controlPlane: { coredns: { enabled: false } } } } },
      (world) => objectAt(values(world), 'controlPlane', 'coredns'),
      { enabled: false },
    ],
  ])('%s: applied', (_, input, read, wanted) => {
    const world = World.ready(MINIMAL);
    world.input = input;
    world.step();
    expect(read(world)).toEqual(wanted);
    expect(stringAt(values(world), 'controlPlane', 'statefulSet', 'persistence', 'volumeClaim', 'size')).toBe('5Gi');
  });
});

describe("the chart's values", () => {
  it.each<[string, JsonObject]>([
    ['by default', {}],
    [
      'with every setting',
      {
        vcluster: {
          imageRegistry: 'registry.example',
          imagePullSecrets: ['pull'],
          resources: { limits: { memory: '8Gi' } },
          storageClassName: 'fast',
        },
        placement: {
          nodeSelector: { pool: 'a' },
          tolerations: [{ key: 'pool', operator: 'Equal', value: 'a', effect: 'NoSchedule' }],
          affinity: { nodeAffinity: {} },
        },
      },
    ],
  ])("fit the chart's closed schema, %s", (_, input) => {
    const world = World.ready(MINIMAL, { input });
    expect(chartValueProblems(objectAt(world.composed.get('vcluster'), 'spec', 'forProvider', 'values') ?? {})).toEqual(
      [],
    );
  });

  it.each([
    ['exportKubeConfig', { exportKubeConfig: { server: 'https://x' } }],
    ['controlPlane.proxy.extraSANs', { controlPlane: { proxy: { extraSANs: ['x'] } } }],
    [
      'controlPlane.statefulSet.persistence',
      { controlPlane: { statefulSet: { persistence: { volumeClaim: { enabled: false } } } } },
    ],
    ['controlPlane.service', { controlPlane: { service: { enabled: false } } }],
  ])('an overlay may not touch %s', (path, values) => {
    const world = new World(MINIMAL, { input: { chart: { values } } });
    const { results, conditions } = world.step();
    expect(results.map(({ severity, message }) => [severity, message])).toEqual([
      [Severity.Fatal, expect.stringContaining(`chart.values.${path}: cannot be set`)],
    ]);
    expect(conditions.find(({ type }) => type === 'InstanceReady')?.reason).toBe('SettingsInvalid');
  });
});
