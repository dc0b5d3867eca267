import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { FINALIZER } from '../../../function/core/keys.ts';
import { planTeardown } from '../../../function/core/teardown/index.ts';
import { objectAt } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';
import type { Controller } from './cluster.ts';
import { Life } from './life.ts';

const WAYS = [
  ['in the background', (life: Life) => life.deleteInBackground()],
  ['in the foreground', (life: Life) => life.deleteInForeground()],
] as const;

describe('the finalizer', () => {
  const live = (finalizers: string[]) => ({ metadata: { name: 'blue', namespace: 'team-a', uid: 'u', finalizers } });

  it('[D01] is added beside those that are there, once', () => {
    expect(planTeardown(live(['a']), new Map(), 0).metadata).toEqual({ finalizers: ['a', FINALIZER] });
    expect(planTeardown(live(['a', FINALIZER]), new Map(), 0)).toMatchObject({ metadata: undefined, actions: [] });
  });

  it('[D01] is not added to what is being deleted already, and nothing is done for it', () => {
    const life = new Life().deleteInBackground();
    life.edit((xr) => {
      Object.assign(xr['metadata'] as object, { finalizers: ['other'] });
    });
    expect(life.plan()).toMatchObject({ status: undefined, metadata: undefined, actions: [], againIn: undefined });
  });
});

describe('Delete', () => {
  test.each(WAYS)('[D02] %s leaves nothing', (_, remove) => {
    const life = remove(new Life()).run(60);
    expect(life.left()).toEqual([]);
    expect(life.reasons[0]).toBe('Deleting');
    expect(life.events).toEqual([]);
  });

  it('[D02] goes in order: Stack, managed resources, host Namespace, what stands outside it, claim, data', () => {
    const life = new Life().deleteInBackground().run(60);
    const kinds = life.cluster.done.map((line) => line.split(' ').slice(0, 2).join(' '));
    const order = [...new Set(kinds)];
    expect(order[0]).toBe('delete Stack');
    expect(order.indexOf('delete Namespace')).toBeGreaterThan(order.indexOf('delete Release'));
    expect(order.slice(order.indexOf('delete Namespace') + 1)).toEqual([
      'delete ValidatingAdmissionPolicy',
      'delete ValidatingAdmissionPolicyBinding',
      'delete ClusterRoleBinding',
      'delete ClusterRole',
      'delete PersistentVolume',
      'delete PersistentVolumeClaim',
      'create Job',
      'delete Job',
    ]);
  });

  it('[D08] shows phase Deleting before anything is done, and until the object is gone', () => {
    const life = new Life().deleteInBackground();
    life.step();
    life.step();
    expect([life.cluster.done, objectAt(life.xr, 'status')?.['phase']]).toEqual([[], 'Deleting']);
    life.cluster.down.add('namespace-controller');
    life.run(1200);
    expect(objectAt(life.xr, 'status')?.['phase']).toBe('Deleting');
  });

  it('[S09] keeps what the last install applied in the status', () => {
    const life = new Life().deleteInBackground();
    const before = objectAt(life.xr, 'status') ?? {};
    life.cluster.down.add('namespace-controller');
    life.run(30);
    const { phase: _, conditions: __, observedGeneration: ___, ...kept } = objectAt(life.xr, 'status') ?? {};
    const { phase: ____, conditions: _____, observedGeneration: ______, ...applied } = before;
    expect(kept).toEqual(applied);
    expect(Object.keys(kept)).toContain('installedVersion');
  });

  it('[D10] says that nothing can be said of a target that is going, and what is awaited', () => {
    const life = new Life().deleteInBackground();
    life.cluster.down.add('namespace-controller');
    life.run(30);
    expect(['TargetReady', 'Installed', 'ConfigApplied'].map((type) => life.condition(type))).toEqual(
      Array(3).fill('Unknown Deleting'),
    );
    expect(life.condition('OwnerServiceProtected')).toBe('True AdmissionPolicyInstalled');
    expect(life.message('InstanceReady')).toBe(`Waiting for Namespace ${life.host} to be gone`);
  });

  test.each(WAYS)('[D09] %s converges at whatever point of its life the instance is', (_, remove) => {
    const lives: World[] = [];
    const world = new World(MINIMAL);
    for (const step of ['new', 'again']) {
      world.step();
      lives.push(Object.assign(Object.create(World.prototype), structuredClone({ ...world })));
      expect(step).toBeTruthy();
    }
    for (const each of lives) {
      const life = remove(new Life({}, each)).run(60);
      expect(life.left()).toEqual([]);
    }
  });

  it('[T11] says with its own conditions why the host Namespace does not go, and goes on when it does', () => {
    const life = new Life().deleteInBackground();
    life.cluster.down.add('namespace-controller');
    life.run(30);
    const namespace = life.cluster.find('Namespace', life.host) ?? {};
    life.cluster.edit(namespace, () => {
      namespace['status'] = {
        conditions: [
          { type: 'NamespaceContentRemaining', status: 'True', message: 'Some resources are remaining: pods. has 1' },
          { type: 'NamespaceDeletionDiscoveryFailure', status: 'False', message: 'no' },
        ],
      };
    });
    life.run(601);
    const message = `Namespace ${life.host} is not gone after 10m: Some resources are remaining: pods. has 1`;
    expect([life.condition('TargetReady'), life.condition('InstanceReady')]).toEqual(
      Array(2).fill('False TargetDeleteFailed'),
    );
    expect([life.message('TargetReady'), life.message('InstanceReady')]).toEqual([message, message]);
    expect(objectAt(life.xr, 'status')?.['phase']).toBe('Deleting');
    expect(life.events).toEqual([`TargetDeleteFailed: ${message}`]);
    life.cluster.down.clear();
    life.run(60);
    expect(life.left()).toEqual([]);
  });

  it('[T11] says at once that the API server refuses to delete the host Namespace, and heals', () => {
    const life = new Life().deleteInBackground();
    life.refused.set('Namespace', 'namespaces "x" is forbidden');
    life.run(30);
    expect(life.condition('TargetReady')).toBe('False TargetDeleteFailed');
    expect(life.message('InstanceReady')).toBe(`Cannot delete Namespace ${life.host}: namespaces "x" is forbidden`);
    expect(life.events).toHaveLength(1);
    life.refused.clear();
    life.run(60);
    expect(life.left()).toEqual([]);
  });

  it('[I11] goes on without a Stack that does not go, says so, and takes the operator’s finalizer off at the end', () => {
    const life = new Life().deleteInBackground();
    life.cluster.down.add('pulumi-operator');
    life.run(599);
    expect(life.reasons).toEqual(['Deleting']);
    life.cluster.down.add('namespace-controller');
    life.run(10);
    expect([life.condition('Installed'), life.condition('InstanceReady')]).toEqual(
      Array(2).fill('False UninstallFailed'),
    );
    expect(life.message('Installed')).toMatch(
      /^Stack team-a\/pi-blue-\w+ is not gone after 10m: its finalizers remain: finalizer\.stack\.pulumi\.com$/,
    );
    expect(life.cluster.done.at(-1)).toBe(`delete Namespace ${life.host}`);
    life.cluster.down.delete('namespace-controller');
    life.run(60);
    expect(life.left()).toEqual([]);
    expect(life.cluster.done.at(-1)).toMatch(/^patch Stack/);
  });

  it('[I11] leaves a Stack alone that something else keeps as well', () => {
    const life = new Life().deleteInBackground();
    const stack = life.cluster.all('Stack')[0] ?? {};
    life.cluster.edit(stack, () => {
      Object.assign(stack['metadata'] as object, { finalizers: ['finalizer.stack.pulumi.com', 'mine'] });
    });
    life.cluster.down.add('pulumi-operator');
    life.run(1200);
    expect(life.left()).toHaveLength(2);
    expect(life.condition('InstanceReady')).toBe('False UninstallFailed');
    expect(life.cluster.done.filter((line) => line.startsWith('patch'))).toEqual([]);
  });

  it('[I11] goes on without a state claim that does not go, and the reason goes with it', () => {
    const life = new Life().deleteInBackground();
    life.cluster.down.add('claim-controller');
    life.run(700);
    expect(life.condition('Installed')).toBe('False UninstallFailed');
    expect(life.message('InstanceReady')).toContain('kubernetes.io/pvc-protection');
    expect(life.annotation('storage-cleaned')).toBe('uid-xr');
    life.cluster.down.clear();
    life.run(10);
    expect(life.left()).toEqual([]);
  });

  it('waits for managed resources whose provider is away, and says which after the deadline', () => {
    const life = new Life().deleteInBackground();
    life.cluster.down.add('provider-helm');
    life.run(60);
    expect(life.message('InstanceReady')).toMatch(/^Waiting for Release team-a\/pi-blue-\w+-vcluster to be gone$/);
    life.run(600);
    expect(life.condition('InstanceReady')).toBe('False TargetDeleteFailed');
    life.cluster.down.clear();
    life.run(10);
    expect(life.left()).toEqual([]);
  });

  it('[D02] converges whatever is away for how long, in whatever order, and never shows another reason than it should', () => {
    const controllers: Controller[] = [
      'provider-helm',
      'provider-kubernetes',
      'pulumi-operator',
      'namespace-controller',
      'claim-controller',
      'kubelet',
    ];
    const outage = fc.record({ by: fc.constantFrom(...controllers), seconds: fc.integer({ min: 1, max: 3000 }) });
    fc.assert(
      fc.property(fc.array(outage, { maxLength: 4 }), fc.boolean(), (outages, foreground) => {
        const life = foreground ? new Life().deleteInForeground() : new Life().deleteInBackground();
        for (const { by, seconds } of outages) {
          life.cluster.down.add(by);
          life.run(seconds);
          life.cluster.down.delete(by);
        }
        life.run(7200);
        expect(life.left()).toEqual([]);
        const known = [
          'Deleting',
          'TargetDeleteFailed',
          'UninstallFailed',
          'WaitingForStorageCleanup',
          'StorageCleanupFailed',
        ];
        expect(life.reasons.filter((reason) => !known.includes(reason))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
