import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type JsonObject, listAt, numberAt, stringAt } from '../../function/json.ts';
import { job } from '../core/teardown/job.sandbox.ts';
import { ensureNamespace, NAMESPACE, platformInstance } from './instance.ts';
import { eventually } from './plane/eventually.ts';
import { serviceAccountToken } from './plane/identities.ts';
import { Kube, type Reference, referenceOf } from './plane/kube.ts';
import { accessOf, admin } from './plane/plane.ts';

const plane = inject('plane');
const kube = admin(plane);
const LABELS = { 'platform.di-framework.dev/instance-uid': 'uid-of-nobody' };
const HOST = { 'platform.di-framework.dev/instance': `${NAMESPACE}/nobody` };
const POLICY: Reference = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  name: 'platform-instance-teardown',
};
let teardown: Kube;

beforeAll(async () => {
  await ensureNamespace(kube, NAMESPACE);
  teardown = new Kube(
    accessOf(plane, await serviceAccountToken(kube, 'crossplane-system', 'platform-instance-teardown')),
  );
});

const object = (apiVersion: string, kind: string, name: string, metadata: JsonObject, rest: JsonObject = {}) => ({
  apiVersion,
  kind,
  metadata: { name, ...metadata },
  ...rest,
});

const volume = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } };
const managed = (name: string, metadata: JsonObject): JsonObject =>
  object(
    'kubernetes.m.crossplane.io/v1alpha1',
    'Object',
    name,
    { namespace: NAMESPACE, ...metadata },
    {
      spec: {
        managementPolicies: ['Observe', 'Create', 'Update'],
        forProvider: { manifest: object('v1', 'ConfigMap', name, { namespace: NAMESPACE }) },
      },
    },
  );

/** What the API server says to a deletion by the controller that is only tried. */
async function tried(made: JsonObject): Promise<string> {
  const { namespace, name, apiVersion, kind } = referenceOf(made);
  await kube.apply(made);
  try {
    const { status, body } = await teardown.tryDelete({ apiVersion, kind, name, ...(namespace && { namespace }) });
    return status < 300 ? 'deleted' : (stringAt(body, 'message') ?? '');
  } finally {
    await kube.delete(referenceOf(made));
  }
}

describe('[X07] the fence of the teardown controller, on the API server', () => {
  it('is understood: no expression raises a warning', async () => {
    const checked = await eventually(async () => {
      const live = await kube.get(POLICY);
      return numberAt(live, 'status', 'observedGeneration') === numberAt(live, 'metadata', 'generation')
        ? live
        : undefined;
    }, 30_000);
    expect(listAt(checked, 'status', 'typeChecking', 'expressionWarnings')).toEqual([]);
  });

  it('lets it delete what is marked as part of an instance', async () => {
    const marked = [
      object('v1', 'Namespace', 'fence-host', { labels: LABELS, annotations: HOST }),
      object('v1', 'ConfigMap', 'fence', { namespace: NAMESPACE, labels: LABELS }),
      object('v1', 'ServiceAccount', 'fence', { namespace: NAMESPACE, labels: LABELS }),
      object('v1', 'PersistentVolume', 'vcluster-a-x-fence-x-vcluster', {}, { spec: volume }),
      object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'vc-vcluster-v-fence', {}, { rules: [] }),
      managed('fence', { labels: LABELS }),
    ];
    for (const made of marked) expect([made, await tried(made)]).toEqual([made, 'deleted']);
  });

  it('denies it what is not, whatever the name', async () => {
    const foreign = [
      object('v1', 'Namespace', 'fence-plain', {}),
      object('v1', 'Namespace', 'fence-labelled', { labels: LABELS }),
      object('v1', 'ConfigMap', 'fence', { namespace: NAMESPACE }),
      object('v1', 'ServiceAccount', 'fence', { namespace: NAMESPACE }),
      object('v1', 'PersistentVolume', 'fence', { labels: LABELS }, { spec: volume }),
      object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'fence', { labels: LABELS }, { rules: [] }),
      managed('fence', {}),
    ];
    for (const made of foreign) {
      expect(await tried(made)).toContain("ValidatingAdmissionPolicy 'platform-instance-teardown'");
    }
  });

  it('lets it close management policies and change nothing else', async () => {
    const made = managed('fence', { labels: LABELS });
    await kube.apply(made);
    const reference = referenceOf(made);
    const closed = await teardown.patch(reference, { spec: { managementPolicies: ['Observe'] } });
    expect(closed).toMatchObject({ spec: { managementPolicies: ['Observe'] } });
    const change = { spec: { forProvider: { manifest: { metadata: { name: 'other' } } } } };
    await expect(teardown.patch(reference, change)).rejects.toThrow('only its management policies may be changed');
    await kube.delete(reference);
  });

  it('lets it create the cleanup Job, and none with an account', async () => {
    const made = job();
    expect(await teardown.tryCreate(made, '?dryRun=All')).toMatchObject({ status: 201 });
    const pod = { serviceAccountName: 'crossplane' };
    const spec = made['spec'] as { template: { spec: JsonObject } };
    Object.assign(spec.template.spec, pod);
    const { status, body } = await teardown.tryCreate(made, '?dryRun=All');
    expect([status, stringAt(body, 'message')]).toEqual([403, expect.stringContaining('ServiceAccount of its own')]);
  });

  it('is about it alone', async () => {
    await ensureNamespace(kube, 'fence-admin');
    expect((await kube.tryDelete({ apiVersion: 'v1', kind: 'Namespace', name: 'fence-admin' })).status).toBe(200);
  });
});

describe('[X07] the note of the teardown controller, on the API server', () => {
  const NOTE: Reference = { ...POLICY, name: 'platform-instance-teardown-note' };
  const instance = platformInstance('noted', { deletionPolicy: 'Retain' });
  const annotation = (value: string): JsonObject => ({
    metadata: { annotations: { 'platform.di-framework.dev/teardown': value } },
  });

  it('is understood, and written by the controller alone', async () => {
    const checked = await eventually(async () => {
      const live = await kube.get(NOTE);
      return numberAt(live, 'status', 'observedGeneration') === numberAt(live, 'metadata', 'generation')
        ? live
        : undefined;
    }, 30_000);
    expect(listAt(checked, 'status', 'typeChecking', 'expressionWarnings')).toEqual([]);
    await kube.create(instance);
    const reference = referenceOf(instance);
    await expect(kube.patch(reference, annotation('{"root":"/etc/team-a/noted"}'))).rejects.toThrow("controller's own");
    await teardown.patch(reference, annotation('{}'));
    await expect(kube.patch(reference, annotation('{"root":"/etc"}'))).rejects.toThrow('403');
    await kube.patch(reference, { metadata: { annotations: { other: 'x' } } });
    await kube.delete(reference);
  });
});
