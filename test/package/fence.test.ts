import { describe, expect, it } from 'vitest';
import { merged } from '../../function/core/canonical.ts';
import { Kinds } from '../../function/core/teardown/requests.ts';
import { at, isObject, type JsonObject, listAt, objectAt, stringAt } from '../../function/json.ts';
import { job, podOf } from '../core/teardown/job.sandbox.ts';
import { MINIMAL, World } from '../core/world.ts';
import { type Attempt, bare, FENCE, FENCE_BINDING, manifestIn, NOTE, refusals, TEARDOWN_USER } from './fence.ts';

const LABEL = 'platform.di-framework.dev/instance-uid';
const world = World.ready(MINIMAL);
const composed = [...world.composed.values()];
// The probe only looks at what it stands for, which is inside the instance.
const manifests = [...world.composed]
  .filter(([key]) => key !== 'target-probe')
  .map(([, each]) => manifestIn(each))
  .filter(isObject);

function resourceOf(object: JsonObject): string {
  const kind = Object.values(Kinds).find(
    (known) => known.kind === object['kind'] && known.apiVersion === object['apiVersion'],
  );
  if (kind === undefined) throw new Error(`${stringAt(object, 'kind')} is unknown`);
  return `${kind.apiVersion.includes('/') ? kind.apiVersion.split('/')[0] : ''}/${kind.resource}`;
}

const deletion = (oldObject: JsonObject): Attempt => ({
  operation: 'DELETE',
  resource: resourceOf(oldObject),
  oldObject,
});
const named = (kind: (typeof Kinds)[keyof typeof Kinds], name: string, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: kind.apiVersion,
  kind: kind.kind,
  metadata: { name, ...metadata },
});
/** Kinds that the API server never asks a policy about (its own plugin leaves them out). */
const isPolicy = (object: JsonObject): boolean => stringAt(object, 'kind')?.startsWith('ValidatingAdmission') === true;

const ours = [...composed, ...manifests].filter((object) => !isPolicy(object));
const title = (object: JsonObject): string => `${stringAt(object, 'kind')} ${stringAt(object, 'metadata', 'name')}`;

describe('[X07] the fence', () => {
  it('asks about every kind that the controller may delete, but about policies', () => {
    const asked = listAt(FENCE, 'spec', 'matchConstraints', 'resourceRules').flatMap((rule) =>
      listAt(rule, 'operations').includes('DELETE') ? listAt(rule, 'resources') : [],
    );
    expect([...asked].sort()).toEqual([
      'clusterrolebindings',
      'clusterroles',
      'configmaps',
      'jobs',
      'namespaces',
      'objects',
      'persistentvolumeclaims',
      'persistentvolumes',
      'providerconfigs',
      'releases',
      'serviceaccounts',
      'stacks',
    ]);
  });

  it.each(ours.map((object) => [title(object), object]))(
    'lets the controller delete %s, which is labelled',
    (_, object) => {
      expect(refusals(deletion(object))).toEqual([]);
    },
  );

  it.each(ours.map((object) => [title(object), object]))(
    'denies it %s once that carries no label, or an empty one',
    (_, object) => {
      const empty = structuredClone(object);
      const labels = objectAt(empty, 'metadata', 'labels') ?? {};
      labels[LABEL] = '';
      for (const other of [bare(object, 'labels'), empty]) expect(refusals(deletion(other))).not.toEqual([]);
    },
  );

  it('denies a namespace that is labelled but is no host namespace', () => {
    const host = manifests.find((manifest) => manifest['kind'] === 'Namespace') ?? {};
    const marks = at(host, 'metadata', 'annotations', 'platform.di-framework.dev/instance');
    expect(marks).toBe('team-a/blue');
    const empty = structuredClone(host);
    (objectAt(empty, 'metadata', 'annotations') ?? {})['platform.di-framework.dev/instance'] = '';
    for (const other of [bare(host, 'annotations'), empty]) {
      expect(refusals(deletion(other))).toEqual([
        'it carries no annotation platform.di-framework.dev/instance, so it is no host namespace',
      ]);
    }
    for (const name of ['kube-system', 'crossplane-system', 'default', 'team-a']) {
      expect(refusals(deletion(named(Kinds.Namespace, name)))).toHaveLength(2);
    }
  });

  it.each<[string, JsonObject, boolean]>([
    ['vcluster-data-x-pi-team-a-blue-fgtgq3ru-x-vcluster', {}, true],
    ['vcluster-a-x-b-x-vcluster', {}, true],
    ['vcluster-registry-data-x-pi-team-a-blue-fgtgq3ru-x-0123456789', {}, false],
    [
      'vcluster-registry-data-x-pi-team-a-blue-fgtgq3ru-x-0123456789',
      { labels: { 'vcluster.loft.sh/managed-by': 'pi-team-a-blue-fgtgq3ru-x-vcluster' } },
      true,
    ],
    ['pvc-0c9e0c4e', { labels: { 'vcluster.loft.sh/managed-by': 'pi-team-a-blue-fgtgq3ru-x-vcluster' } }, false],
    ['vcluster-data', { labels: { 'vcluster.loft.sh/managed-by': 'vcluster' } }, false],
    ['vcluster-x-x-vcluster', {}, false],
    ['my-vcluster-a-x-b-x-vcluster', {}, false],
    ['vcluster-a-x-b-x-vcluster-2', {}, false],
    ['pvc-0c9e0c4e', { labels: { [LABEL]: 'uid' } }, false],
  ])('of a volume %s with %j', (name, metadata, allowed) => {
    const answer = refusals(deletion(named(Kinds.Volume, name, metadata)));
    expect(answer).toEqual(allowed ? [] : ['it is no volume that a vCluster synced']);
  });

  it.each<[string, JsonObject, boolean, boolean]>([
    ['vc-vcluster-v-pi-team-a-blue-fgtgq3ru', {}, true, true],
    ['pi-blue-fgtgq3ru-stack-auth-delegator', { labels: { [LABEL]: 'uid' } }, false, true],
    ['cluster-admin', {}, false, false],
    ['my-vc-vcluster-v-x', {}, false, false],
    ['vc-vcluster', {}, false, false],
  ])('of a ClusterRole and a ClusterRoleBinding %s with %j', (name, metadata, role, binding) => {
    expect(refusals(deletion(named(Kinds.ClusterRole, name, metadata))).length === 0).toBe(role);
    expect(refusals(deletion(named(Kinds.ClusterRoleBinding, name, metadata))).length === 0).toBe(binding);
  });

  it('is about the controller alone', () => {
    for (const username of ['kim', 'system:serviceaccount:team-a:platform-instance-teardown', `${TEARDOWN_USER}-2`]) {
      expect(refusals({ ...deletion(named(Kinds.Namespace, 'kube-system')), username })).toEqual([]);
    }
    expect(refusals(deletion(named(Kinds.Namespace, 'kube-system')))).not.toEqual([]);
  });

  it('denies by its binding, and when it cannot be asked', () => {
    expect(at(FENCE, 'spec', 'failurePolicy')).toBe('Fail');
    expect(FENCE_BINDING['spec']).toEqual({
      policyName: stringAt(FENCE, 'metadata', 'name'),
      validationActions: ['Deny'],
    });
    const [teardown] = listAt(FENCE, 'spec', 'matchConditions');
    expect(stringAt(teardown, 'expression')).toBe(`request.userInfo.username == '${TEARDOWN_USER}'`);
  });
});

describe('[X07] a change by the controller', () => {
  const update = (oldObject: JsonObject, change: JsonObject): string[] => {
    const object = merged(oldObject, change);
    return refusals({ operation: 'UPDATE', resource: resourceOf(object), object, oldObject });
  };
  const managed = composed.filter(({ kind }) => kind === 'Release' || kind === 'Object');
  const stack = composed.find(({ kind }) => kind === 'Stack') ?? {};
  const kept = ['its spec may not be changed'];

  it.each(managed.map((object) => [title(object), object]))(
    'may close the management policies of %s, and nothing else',
    (_, object) => {
      const close = { spec: { managementPolicies: ['Observe'] } };
      const only = ['only its management policies may be changed'];
      expect(update(object, close)).toEqual([]);
      expect(update(object, { spec: { forProvider: { chart: { name: 'x' } } } })).toEqual(only);
      expect(update(object, { spec: { providerConfigRef: { name: 'x' } } })).toEqual(only);
      const foreign = bare(object, 'labels');
      expect(update(foreign, close)).not.toEqual([]);
      expect(update(foreign, { metadata: { labels: { [LABEL]: 'x' } } })).not.toEqual([]);
    },
  );

  it('may take the finalizer of the Stack, and change nothing of what it runs', () => {
    expect(update(stack, { metadata: { finalizers: [] } })).toEqual([]);
    expect(update(stack, { spec: { backend: 's3://x' } })).toEqual(kept);
  });

  it('may set finalizers and annotations of an instance, and never its spec', () => {
    expect(update(world.xr, { metadata: { finalizers: [], annotations: { a: 'b' } } })).toEqual([]);
    expect(update(world.xr, { spec: { version: '6.0.23' } })).toEqual(kept);
  });
});

describe('[X07] a Job of the controller', () => {
  const creation = (object: JsonObject): string[] => refusals({ operation: 'CREATE', resource: 'batch/jobs', object });
  const withPod = (pod: JsonObject): JsonObject => merged(job(), { spec: { template: { spec: pod } } });
  const refused = ['a cleanup Job has no token, no ServiceAccount of its own and nothing but a path of its node'];

  it('is the cleanup Job as it is, also with what the API server fills in', () => {
    for (const pod of [{}, { serviceAccountName: 'default' }, { serviceAccountName: '' }]) {
      expect(creation(withPod(pod))).toEqual([]);
    }
    expect(refusals({ operation: 'DELETE', resource: 'batch/jobs', oldObject: job() })).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['account of its own', { serviceAccountName: 'crossplane' }],
    ['token', { automountServiceAccountToken: true }],
    [
      'token in a volume',
      { volumes: [{ name: 'x', projected: { sources: [{ serviceAccountToken: { path: 'x' } }] } }] },
    ],
    ['Secret', { volumes: [{ name: 'x', secret: { secretName: 'x' } }] }],
    ['Secret beside its path', { volumes: [...listAt(podOf(job()), 'volumes'), { name: 'x', secret: {} }] }],
  ])('has no %s', (_, pod) => {
    expect(creation(withPod(pod))).toEqual(refused);
  });

  it('has no token by default', () => {
    const manifest = job();
    const { automountServiceAccountToken: _, ...pod } = podOf(manifest);
    const template = { ...objectAt(manifest, 'spec', 'template'), spec: pod };
    expect(creation({ ...manifest, spec: { ...objectAt(manifest, 'spec'), template } })).toEqual(refused);
  });

  it('is labelled like all that belongs to an instance', () => {
    const foreign = bare(job(), 'labels');
    expect(creation(foreign)).toHaveLength(1);
    expect(refusals({ operation: 'DELETE', resource: 'batch/jobs', oldObject: foreign })).toHaveLength(1);
  });
});

describe('[X07] the note that says where the data is', () => {
  const instance = (annotations?: JsonObject): JsonObject => ({
    kind: 'PlatformInstance',
    metadata: { name: 'blue', ...(annotations === undefined ? {} : { annotations }) },
  });
  const noted = (root: string): JsonObject => ({ 'platform.di-framework.dev/teardown': JSON.stringify({ root }) });
  const attempt = (object: JsonObject, oldObject?: JsonObject, username = 'kim'): string[] =>
    refusals(
      {
        operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
        resource: 'platform.di-framework.dev/platforminstances',
        object,
        username,
        ...(oldObject === undefined ? {} : { oldObject }),
      },
      NOTE,
    );

  it('is written, changed and taken away by the controller alone', () => {
    const denied: readonly (readonly [JsonObject, JsonObject?])[] = [
      [instance(noted('/etc/team-a/blue'))],
      [instance(noted('/etc/team-a/blue')), instance()],
      [instance(noted('/etc/team-a/blue')), instance({ other: 'x' })],
      [instance(noted('/etc/team-a/blue')), instance(noted('/data/team-a/blue'))],
      [instance(), instance(noted('/data/team-a/blue'))],
    ];
    for (const [object, oldObject] of denied) {
      expect(attempt(object, oldObject)).toHaveLength(1);
      expect(attempt(object, oldObject, TEARDOWN_USER)).toEqual([]);
    }
  });

  it('is in nobody’s way', () => {
    expect(attempt(instance())).toEqual([]);
    expect(attempt(instance({ other: 'x' }))).toEqual([]);
    expect(attempt(instance({ other: 'y' }), instance({ other: 'x' }))).toEqual([]);
    expect(attempt(instance({ ...noted('/a'), other: 'y' }), instance(noted('/a')))).toEqual([]);
  });
});
