import { describe, expect, it } from 'vitest';
import { Severity } from '../../../function/wire/messages.ts';
import { MINIMAL, World } from '../world.ts';

const GRACE = 45;
const PROBE = 30;
const REPAIR = 30 * 60;
const DIAL =
  'observe failed: cannot get object: failed to get server groups: Get "https://10.0.0.1:443": dial tcp 10.0.0.1:443: connect: connection refused';

const shown = (world: World): string[] => [
  world.condition('TargetReady'),
  world.condition('InstanceReady'),
  String(world.status()['phase']),
];
const PENDING = ['False TargetPending', 'Provisioning'];

/** The control plane's pod restarts with the values of the moment. */
function restarted(world: World): World {
  return world.syncRelease().chartObjects().controlPlaneUp();
}

describe('a vCluster comes up', () => {
  it('[T02] a StatefulSet that is not ready is ControlPlanePending', () => {
    const world = new World(MINIMAL);
    world.step();
    world.syncObjects().step();
    world.syncRelease().chartObjects().step();
    expect(shown(world)).toEqual(['False ControlPlanePending', ...PENDING]);
  });

  it('[T03] without vc-vcluster, which was never seen, it is KubeconfigPending, also while the provider complains of it', () => {
    const world = new World(MINIMAL);
    world.step();
    world.syncObjects().step();
    world.syncRelease().chartObjects().controlPlaneUp({ kubeconfig: false });
    const error = 'observe failed: cannot get connection details: cannot get object: secrets "vc-vcluster" not found';
    world.syncRelease({ error, revision: 1 }).step();
    expect(shown(world)).toEqual(['False KubeconfigPending', ...PENDING]);
    world.wait(3600).step();
    expect(shown(world)).toEqual(['False KubeconfigPending', ...PENDING]);
    expect(world.restartAnnotation()).toBe('0');
  });
});

describe('the probe', () => {
  it('[T08] holds the previous answer for two failing checks, says TargetUnreachable at the third, heals at once and counts anew', () => {
    const world = World.ready(MINIMAL);
    world.probe(DIAL).step();
    expect(shown(world)).toEqual(['True Ready', 'True Ready', 'Ready']);
    world.wait(PROBE).probe(DIAL.replace('refused', 'reset by peer')).step();
    expect(shown(world)).toEqual(['True Ready', 'True Ready', 'Ready']);
    world.wait(PROBE).step();
    expect(shown(world)).toEqual(['False TargetUnreachable', ...PENDING]);
    expect(world.message('TargetReady')).toContain(`https://vcluster.${world.hostNamespace}.svc:443`);
    world.probe().step();
    expect(shown(world)).toEqual(['True Ready', 'True Ready', 'Ready']);
    world.probe(DIAL).step();
    world.wait(2 * PROBE - 1).step();
    expect(shown(world)).toEqual(['True Ready', 'True Ready', 'Ready']);
  });

  it('counts by time, not by calls', () => {
    const world = World.ready(MINIMAL);
    world.probe(DIAL);
    for (let call = 0; call < 50; call++) world.step();
    expect(world.condition('TargetReady')).toBe('True Ready');
  });
});

describe('a resync', () => {
  it('[T04] begins when the kubeconfig Secret is gone for the grace period, once, and goes on as Resyncing', () => {
    const world = World.ready(MINIMAL);
    world.remove('Secret', 'vc-vcluster').step();
    expect(shown(world)).toEqual(['True Ready', 'True Ready', 'Ready']);
    world.wait(GRACE).step();
    expect(shown(world)).toEqual(['False KubeconfigMissing', ...PENDING]);
    const uid = String((world.get('Service', 'vcluster')['metadata'] as { uid: string }).uid);
    expect(world.status()['target']).toMatchObject({ resyncServiceUID: uid, resyncStarted: world.time() });
    expect(world.restartAnnotation()).toBe('1');
    for (let call = 0; call < 50; call++) world.wait(10).step();
    expect(shown(world)).toEqual(['False Resyncing', ...PENDING]);
    expect(world.restartAnnotation()).toBe('1');
  });

  it('[T07] begins when the Service was replaced, shows its fields until the Resync run has succeeded, and restarts once', () => {
    const world = World.ready(MINIMAL);
    world.put('Service', world.hostNamespace, 'vcluster', {});
    world.step();
    expect(shown(world)).toEqual(['True Ready', 'True Ready', 'Ready']);
    world.wait(GRACE).step();
    expect(shown(world)).toEqual(['False Resyncing', ...PENDING]);
    restarted(world).probe().wait(20).step();
    expect(world.condition('TargetReady')).toBe('True Ready');
    expect(world.condition('InstanceReady')).toBe('False Installing');
    expect(world.status()['target']).toHaveProperty('resyncStarted');
    world.stackRunning().step();
    expect([world.status()['phase'], world.condition('Installed')]).toEqual(['Installing', 'True FirstInstall']);
    world.wait(60).stackDone().step();
    const uid = String((world.get('Service', 'vcluster')['metadata'] as { uid: string }).uid);
    expect(world.status()['target']).toEqual({ serviceUID: uid });
    expect([world.condition('Installed'), world.condition('InstanceReady')]).toEqual(['True Resync', 'True Ready']);
    expect(world.restartAnnotation()).toBe('1');
  });

  it('[T13] begins again, once more, when the Service is replaced while it runs', () => {
    const world = World.ready(MINIMAL);
    world.put('Service', world.hostNamespace, 'vcluster', {});
    world.step();
    world.wait(GRACE).step();
    restarted(world).wait(90).step();
    const second = world.put('Service', world.hostNamespace, 'vcluster', {});
    world.step();
    world.wait(GRACE).step();
    const uid = String((second['metadata'] as { uid: string }).uid);
    expect(world.restartAnnotation()).toBe('2');
    expect(world.status()['target']).toMatchObject({ resyncServiceUID: uid, resyncStarted: world.time() });
    for (let call = 0; call < 20; call++) world.wait(10).step();
    expect(world.restartAnnotation()).toBe('2');
  });

  it('[T09] is Resyncing until three repair intervals have passed, and TargetUnreachable after them', () => {
    const world = World.ready(MINIMAL);
    world.remove('Secret', 'vc-vcluster').step();
    world.wait(GRACE).step();
    world.wait(3 * REPAIR).step();
    expect(world.condition('TargetReady')).toBe('False Resyncing');
    world.wait(1).step();
    expect(shown(world)).toEqual(['False TargetUnreachable', ...PENDING]);
    restarted(world).probe().step();
    expect(world.condition('TargetReady')).toBe('True Ready');
    world.stackFailed('error: boom').step();
    expect(world.condition('TargetReady')).toBe('True Ready');
  });
});

describe('[T05] a missing object of the release is recreated by one upgrade', () => {
  it.each([
    ['StatefulSet', 'vcluster'],
    ['Service', 'vcluster-headless'],
    ['Secret', 'vc-config-vcluster'],
  ])('%s %s', (kind, name) => {
    const world = World.ready(MINIMAL);
    world.remove(kind, name).step();
    expect(world.condition('TargetReady')).toBe('True Ready');
    world.wait(GRACE).step();
    expect(shown(world)).toEqual(['False Repairing', ...PENDING]);
    for (let call = 0; call < 20; call++) world.wait(10).step();
    expect(world.restartAnnotation()).toBe('1');
    restarted(world).probe().step();
    expect(shown(world)).toEqual(['True Ready', 'True Ready', 'Ready']);
    expect(world.status()['target']).not.toHaveProperty('resyncStarted');
  });

  it('Service vcluster: Resyncing follows, without a second restart', () => {
    const world = World.ready(MINIMAL);
    world.remove('Service', 'vcluster').remove('Secret', 'vc-vcluster').probe(DIAL).step();
    world.wait(GRACE).step();
    expect(shown(world)).toEqual(['False Repairing', ...PENDING]);
    world.syncRelease().chartObjects().wait(5).step();
    expect(shown(world)).toEqual(['False Resyncing', ...PENDING]);
    world.controlPlaneUp().probe().wait(5).step();
    expect(world.condition('TargetReady')).toBe('True Ready');
    world.stackDone().step();
    expect(world.condition('Installed')).toBe('True Resync');
    for (let call = 0; call < 20; call++) world.wait(10).step();
    expect(world.restartAnnotation()).toBe('1');
  });
});

describe('what restarts nothing', () => {
  it.each<[string, (world: World) => void, (world: World) => void]>([
    [
      'a Service that the cache shows late',
      (world) => world.remove('Service', 'vcluster'),
      (world) => world.chartObjects().controlPlaneUp(),
    ],
    ['a Secret that blinks', (world) => world.remove('Secret', 'vc-vcluster'), (world) => world.controlPlaneUp()],
  ])('%s', (_, away, back) => {
    const world = World.ready(MINIMAL);
    const service = structuredClone(world.get('Service', 'vcluster'));
    away(world);
    world.step();
    world.wait(GRACE - 1).step();
    if (!world.cluster.has(`Service/${world.hostNamespace}/vcluster`))
      world.put('Service', world.hostNamespace, 'vcluster', service);
    back(world);
    world.step();
    world.wait(GRACE + 1).step();
    expect([world.restartAnnotation(), world.condition('TargetReady')]).toEqual(['0', 'True Ready']);
  });

  it('a lost status of the instance', () => {
    const world = World.ready(MINIMAL);
    const before = world.ask();
    delete world.xr['status'];
    const after = world.ask();
    expect([...after.desired.resources]).toEqual([...before.desired.resources]);
    expect(after.conditions).toEqual(before.conditions);
  });
});

describe('[T14] a target that is lost after Ready', () => {
  it.each<[string, (world: World) => void, (world: World) => void]>([
    [
      'StatefulSet not ready',
      (world) => {
        world.get('StatefulSet', 'vcluster')['status'] = { observedGeneration: 1, readyReplicas: 0 };
      },
      (world) => void world.controlPlaneUp(),
    ],
    [
      'API down',
      (world) => {
        world.probe(DIAL).step();
        world.wait(2 * PROBE);
      },
      (world) => void world.probe(),
    ],
  ])('%s: everything installed is kept, and it is Ready again', (_, lose, find) => {
    const world = World.ready(MINIMAL);
    const kept = ({ phase: _phase, ...status }: Record<string, unknown>): unknown => status;
    const before = kept(world.status());
    lose(world);
    world.step();
    expect(shown(world).slice(1)).toEqual(PENDING);
    expect([world.condition('Installed'), world.condition('ConfigApplied')]).toEqual([
      'True FirstInstall',
      'True Applied',
    ]);
    const { conditions: _conditions, ...status } = world.status();
    expect(kept(status)).toEqual(before);
    find(world);
    world.step();
    expect(shown(world)).toEqual(['True Ready', 'True Ready', 'Ready']);
  });
});

describe('the admission policy', () => {
  it('[O01] is protected when policy and binding are there', () => {
    expect(World.ready(MINIMAL).condition('OwnerServiceProtected')).toBe('True AdmissionPolicyInstalled');
  });

  it('[O02] unknown to the API server: said once as an event, the instance is Ready without it, and it heals', () => {
    const world = new World(MINIMAL);
    world.capabilities.add(5);
    world.schemas.set('admission-policy', undefined);
    const events: string[] = [];
    const step = world.step.bind(world);
    world.step = () => {
      const response = step();
      events.push(
        ...response.results.filter(({ severity }) => severity === Severity.Warning).map(({ reason }) => reason ?? ''),
      );
      return response;
    };
    world.provision().install();
    expect(world.composed.has('owner-service-policy')).toBe(false);
    expect([world.condition('OwnerServiceProtected'), world.condition('InstanceReady')]).toEqual([
      'False AdmissionPolicyUnavailable',
      'True Ready',
    ]);
    expect(events).toEqual(['AdmissionPolicyUnavailable']);
    world.schemas.delete('admission-policy');
    world.step();
    world.syncObjects().step();
    expect(world.condition('OwnerServiceProtected')).toBe('True AdmissionPolicyInstalled');
  });

  it('[O02] the same, known from the Object alone', () => {
    const world = World.ready(MINIMAL);
    const error =
      'observe failed: cannot get object: no matches for kind "ValidatingAdmissionPolicy" in version "admissionregistration.k8s.io/v1"';
    world.failObject('owner-service-policy', error).step();
    expect([world.condition('OwnerServiceProtected'), world.condition('InstanceReady')]).toEqual([
      'False AdmissionPolicyUnavailable',
      'True Ready',
    ]);
  });

  it.each(['owner-service-policy', 'owner-service-policy-binding'])(
    '[O04] %s forbidden: Unknown with the cause, no event',
    (key) => {
      const world = World.ready(MINIMAL);
      const response = world.failObject(key, 'observe failed: cannot get object: policies "x" is forbidden').step();
      expect(world.condition('OwnerServiceProtected')).toBe('Unknown PolicyPending');
      expect(world.message('OwnerServiceProtected')).toContain('is forbidden');
      expect(response.results).toEqual([]);
    },
  );
});
