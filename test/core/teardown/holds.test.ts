import { describe, expect, it, test } from 'vitest';
import { blocked } from '../../../function/core/teardown/index.ts';
import type { JsonObject } from '../../../function/json.ts';
import { Life } from './life.ts';
import { merge } from './merge.ts';

const API = 'platforminstances.platform.di-framework.dev';

/** Nothing is done for hours, and the reason is told once. */
function expectHeld(life: Life, message: string): void {
  const before = life.left();
  life.run(7200);
  expect(life.left()).toEqual(before);
  expect([life.condition('InstanceReady'), life.message('InstanceReady')]).toEqual(['False TeardownHeld', message]);
  expect(life.events).toEqual([`TeardownHeld: ${message}`]);
}

describe('nothing is destroyed', () => {
  test.each(['CompositeResourceDefinition', 'CustomResourceDefinition'])(
    '[X06] while the %s is being deleted, whatever the policy',
    (kind) => {
      for (const deletionPolicy of ['Delete', 'Retain']) {
        const life = new Life({ deletionPolicy }).deleteInBackground();
        const api = life.cluster.find(kind, API) ?? {};
        life.cluster.edit(api, () =>
          merge(api, { metadata: { deletionTimestamp: '2026-06-01T12:00:00Z', finalizers: ['x'] } }),
        );
        expectHeld(
          life,
          `Nothing is deleted while ${kind} ${API} is being deleted: that is no wish to delete the instances`,
        );
      }
    },
  );

  const unreadable: readonly (readonly [string, (life: Life) => unknown, string])[] = [
    [
      'have an unknown field',
      (life) => life.setSettings({ colour: 1 }),
      'CompositionRevision platform-instance-1: colour: is no field of these settings',
    ],
    [
      'went with their CompositionRevision',
      (life) => life.cluster.drop('CompositionRevision', 'platform-instance-1'),
      'CompositionRevision platform-instance-1 does not exist',
    ],
    [
      'are in no CompositionRevision that the instance names',
      (life) => life.edit((xr) => merge(xr, { spec: { crossplane: { compositionRevisionRef: null } } })),
      'the instance names no CompositionRevision',
    ],
    [
      'are in no step of its CompositionRevision',
      (life) =>
        life.cluster.put({
          kind: 'CompositionRevision',
          metadata: { name: 'platform-instance-1' },
          spec: { pipeline: [{ functionRef: { name: 'other' } }] },
        }),
      'CompositionRevision platform-instance-1 has no step of function-platform-instance',
    ],
  ];

  test.each(unreadable)('[X08] while the settings %s', (_, change, problem) => {
    const life = new Life().deleteInBackground();
    change(life);
    expectHeld(life, `Nothing is deleted while the settings cannot be read: ${problem}`);
  });

  it('[X08] and everything is once they can be read again', () => {
    const life = new Life().setSettings({ colour: 1 }).deleteInBackground();
    life.run(60);
    life.setSettings({});
    life.run(60);
    expect(life.left()).toEqual([]);
  });

  it('[X08] but an instance that made nothing needs none to go', () => {
    const life = new Life().setSettings({ colour: 1 });
    for (const each of life.cluster.all()) {
      if (!['PlatformInstance', 'CompositionRevision'].includes(String(each['kind']))) {
        const { name, namespace = '' } = each['metadata'] as { name: string; namespace?: string };
        life.cluster.drop(String(each['kind']), name, namespace);
      }
    }
    life.deleteInBackground().run(10);
    expect(life.left()).toEqual([]);
  });

  it('while what is left cannot be read', () => {
    const life = new Life().deleteInBackground();
    const step = blocked(life.xr ?? {}, 'namespaces is forbidden', life.cluster.now);
    expect(step).toMatchObject({ actions: [], metadata: undefined });
    expect(step.status).toMatchObject({ phase: 'Deleting' });
    expect(step.events).toEqual([
      {
        type: 'Warning',
        reason: 'TeardownHeld',
        message: 'Cannot read what is left of the instance: namespaces is forbidden',
      },
    ]);
  });
});

describe('[X07] what is not this instance’s', () => {
  const foreign: readonly (readonly [string, JsonObject])[] = [
    [
      'a Namespace of our name and label that belongs to another instance',
      {
        kind: 'Namespace',
        metadata: {
          name: 'pi-other',
          labels: { 'platform.di-framework.dev/instance-uid': 'uid-xr' },
          annotations: { 'platform.di-framework.dev/instance': 'team-b/blue' },
        },
      },
    ],
    [
      'a Namespace that copied the label alone',
      { kind: 'Namespace', metadata: { name: 'copy', labels: { 'platform.di-framework.dev/instance-uid': 'uid-xr' } } },
    ],
    [
      'a policy of another UID',
      {
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: 'pi-blue-x', labels: { 'platform.di-framework.dev/instance-uid': 'uid-2' } },
      },
    ],
    [
      'a volume of a name like ours that another namespace claims',
      {
        kind: 'PersistentVolume',
        metadata: { name: 'vcluster-a-x-b-x-vcluster' },
        spec: { claimRef: { namespace: 'other' } },
      },
    ],
    [
      'a volume of the user’s that the host namespace claimed',
      { kind: 'PersistentVolume', metadata: { name: 'pvc-1' }, spec: { claimRef: { namespace: 'HOST' } } },
    ],
    ['a claim without our label', { kind: 'PersistentVolumeClaim', metadata: { name: 'mine', namespace: 'team-a' } }],
    [
      'a Job of the same namespace',
      { kind: 'Job', metadata: { name: 'other', namespace: 'crossplane-system' }, status: {} },
    ],
  ];

  test.each(foreign)('%s stays', (_, object) => {
    const life = new Life();
    const kept = life.cluster.put(JSON.parse(JSON.stringify(object).replace('HOST', life.host)), false);
    life.deleteInBackground().run(120);
    expect(life.left()).toHaveLength(1);
    expect(life.cluster.all(String(kept['kind']))).toEqual([kept]);
  });

  it('what another step of the pipeline composed is left to garbage collection', () => {
    const life = new Life();
    life.cluster.put({
      kind: 'ConfigMap',
      metadata: {
        name: 'step',
        namespace: 'team-a',
        ownerReferences: [{ uid: 'uid-xr', controller: true }],
        annotations: { 'crossplane.io/composition-resource-name': 'theirs' },
        labels: { 'platform.di-framework.dev/instance-uid': 'uid-xr' },
      },
    });
    life.edit((xr) => {
      const crossplane = ((xr['spec'] as JsonObject)['crossplane'] as { resourceRefs: unknown[] }).resourceRefs;
      crossplane.push({ apiVersion: 'v1', kind: 'ConfigMap', name: 'step' });
    });
    life.deleteInBackground().run(120);
    expect(life.left()).toEqual([]);
    expect(life.cluster.done.filter((line) => line.includes(' step'))).toEqual([]);
  });

  it('a resource under one of our names whose controller is another stays', () => {
    const life = new Life();
    const release = life.cluster.all('Release')[0] ?? {};
    life.cluster.edit(release, () =>
      merge(release, {
        metadata: {
          ownerReferences: [{ uid: 'uid-2', controller: true }],
          labels: { 'platform.di-framework.dev/instance-uid': 'uid-2' },
        },
      }),
    );
    life.deleteInBackground().run(120);
    expect(life.left()).toEqual([expect.stringMatching(/^Release /)]);
  });

  it('the chart’s cluster-wide roles stay when Helm says that they are another release’s', () => {
    const life = new Life();
    for (const kind of ['ClusterRole', 'ClusterRoleBinding']) {
      const role = life.cluster.find(kind, `vc-vcluster-v-${life.host}`) ?? {};
      life.cluster.edit(role, () =>
        merge(role, { metadata: { annotations: { 'meta.helm.sh/release-namespace': 'other' } } }),
      );
    }
    life.deleteInBackground().run(120);
    expect(life.left()).toHaveLength(2);
  });

  it('[X11] a plan of the first instance has no action on what the second, of the same name, has adopted', () => {
    const life = new Life().deleteInBackground();
    for (const each of life.cluster.all()) {
      if (each['kind'] === 'PlatformInstance') continue;
      life.cluster.edit(each, () =>
        merge(each, JSON.parse(JSON.stringify({ metadata: { labels: objectLabels(each), ...controller(each) } }))),
      );
    }
    life.run(120);
    const touched = life.cluster.done.filter((line) => !/ClusterRole|PersistentVolume |Job/.test(line));
    expect(touched).toEqual([]);
    expect(life.left().some((key) => key.startsWith('Namespace'))).toBe(true);
  });
});

function controller(object: JsonObject): JsonObject {
  const isOwned = (object['metadata'] as JsonObject)['ownerReferences'] !== undefined;
  return isOwned ? { ownerReferences: [{ uid: 'uid-2', controller: true }] } : {};
}

function objectLabels(object: JsonObject): JsonObject {
  const labels = (object['metadata'] as JsonObject)['labels'];
  const isOurs = JSON.stringify(labels ?? {}).includes('uid-xr');
  return isOurs ? { 'platform.di-framework.dev/instance-uid': 'uid-2' } : {};
}
