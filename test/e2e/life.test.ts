import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { instanceNames } from '../../function/core/names.ts';
import { isObject, type JsonObject, listAt, objectAt, stringAt } from '../../function/json.ts';
import { ClusterDouble } from './double/cluster.ts';
import { ensureNamespace, hostNamespaceOf, NAMESPACE, platformInstance, READY, reaches } from './instance.ts';
import { eventually } from './plane/eventually.ts';
import { serviceAccountToken } from './plane/identities.ts';
import { Kube, type Reference } from './plane/kube.ts';
import { kubectl, tableOf } from './plane/kubectl.ts';
import { COMPOSITION } from './plane/package.ts';
import { accessOf, admin } from './plane/plane.ts';

const plane = inject('plane');
const kube = admin(plane);
const double = new ClusterDouble(plane);
const COMPOSITION_NAME = stringAt(COMPOSITION, 'metadata', 'name') ?? '';

beforeAll(async () => {
  await ensureNamespace(kube, NAMESPACE);
  double.start();
});
afterAll(() => double.stop());

describe('an instance on real Crossplane with the real providers', () => {
  let live: JsonObject = {};

  it('[I01] [R01] becomes Ready', async () => {
    await kube.apply(platformInstance('blue'));
    live = await reaches(plane, kube, 'blue', {
      ...READY,
      conditions: [...READY.conditions, 'Installed=True/FirstInstall'],
    });
  });

  it('[S04] has its kubeconfig Secret, filled by the real provider-helm', async () => {
    expect(stringAt(live, 'status', 'kubeconfigSecretRef', 'name')).toBe('blue-kubeconfig');
    const secret = await kube.get({ apiVersion: 'v1', kind: 'Secret', namespace: NAMESPACE, name: 'blue-kubeconfig' });
    expect(stringAt(secret, 'data', 'kubeconfig')).toBeTruthy();
  });

  it('[A04] has the columns of the reference in kubectl, and then those that Crossplane adds', async () => {
    // Right after a burst of changes Crossplane shows older conditions again for a moment, out of its cache.
    await eventually(() => {
      const table = tableOf(kubectl(plane, 'get', 'pi', 'blue', `--namespace=${NAMESPACE}`));
      expect(table).toEqual([
        ['NAME', 'VERSION', 'INSTALLED', 'PHASE', 'SYNCED', 'READY', 'COMPOSITION', 'AGE'],
        ['blue', '6.0.22', '6.0.22', 'Ready', 'True', 'True', COMPOSITION_NAME, expect.stringMatching(/^\d+[smh]/)],
      ]);
      return true;
    }, 30_000);
  });

  it('has a workspace pod that the API server takes in a namespace with the restricted pod security', async () => {
    const stack = await kube.get({
      apiVersion: 'pulumi.com/v1',
      kind: 'Stack',
      namespace: NAMESPACE,
      name: instanceNames(NAMESPACE, 'blue').composed['platform-stack'],
    });
    const workspace = objectAt(stack, 'spec', 'workspaceTemplate', 'spec');
    const template = objectAt(workspace, 'podTemplate', 'spec') ?? {};
    const restricted = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
    // What the operator adds: its volume, and image and security context of its own container.
    const containers = listAt(template, 'containers').filter(isObject);
    const metadata = { namespace: 'restricted', name: 'workspace' };
    await kube.apply({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'restricted', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
    await kube.apply({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { namespace: 'restricted', name: 'default' },
    });
    const { status, body } = await kube.tryCreate(
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...metadata, annotations: objectAt(workspace, 'podTemplate', 'metadata', 'annotations') ?? {} },
        spec: {
          ...template,
          securityContext: {
            ...objectAt(template, 'securityContext'),
            runAsNonRoot: true,
            runAsUser: 1000,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: containers.map((container) => ({
            ...container,
            image: stringAt(workspace, 'image') ?? '',
            securityContext: restricted,
          })),
          volumes: [...listAt(template, 'volumes').filter(isObject), { name: 'share', emptyDir: {} }],
        },
      },
      '?dryRun=All&fieldValidation=Strict',
    );
    expect(stringAt(body, 'message')).toBeUndefined();
    expect(status).toBe(201);
  });

  describe('[O03] DELETE of service/vcluster', () => {
    const host = hostNamespaceOf('blue');
    const service = (name: string, namespace = host): Reference => ({
      apiVersion: 'v1',
      kind: 'Service',
      namespace,
      name,
    });

    it('is denied to cluster-admin, single', async () => {
      const { status, body } = await kube.tryDelete(service('vcluster'));
      expect([status, stringAt(body, 'message')]).toEqual([
        403,
        expect.stringContaining('delete the PlatformInstance instead'),
      ]);
    });

    it('is denied to cluster-admin, as a collection', async () => {
      const { status } = await kube.request('DELETE', `/api/v1/namespaces/${host}/services`);
      expect(status).toBe(403);
      expect(await kube.find(service('vcluster'))).toBeDefined();
    });

    it('is allowed to the Helm provider, by a dry run', async () => {
      const token = await serviceAccountToken(kube, 'crossplane-system', 'provider-helm');
      const helm = new Kube(accessOf(plane, token));
      const { status } = await helm.request('DELETE', `/api/v1/namespaces/${host}/services/vcluster?dryRun=All`);
      expect(status).toBe(200);
    });

    it('is allowed for another Service there, and for a service/vcluster elsewhere', async () => {
      await ensureNamespace(kube, 'elsewhere');
      const port = { spec: { ports: [{ port: 80 }] } };
      await kube.apply({ apiVersion: 'v1', kind: 'Service', metadata: { namespace: host, name: 'other' }, ...port });
      await kube.apply({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { namespace: 'elsewhere', name: 'vcluster' },
        ...port,
      });
      expect((await kube.tryDelete(service('other'))).status).toBe(200);
      expect((await kube.tryDelete(service('vcluster', 'elsewhere'))).status).toBe(200);
    });
  });
});
