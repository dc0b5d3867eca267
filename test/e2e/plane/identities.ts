import { join } from 'node:path';
import { type JsonObject, objectAt, stringAt } from '../../../function/json.ts';
import type { Kube } from './kube.ts';
import { accessOf, kubeconfigOf, type Plane, writeSecretFile } from './plane.ts';

export const SYSTEM_NAMESPACE = 'crossplane-system';

/** A kubeconfig file of a ServiceAccount that it creates, with a token from the API server. */
export async function serviceAccountKubeconfig(plane: Plane, kube: Kube, name: string): Promise<string> {
  const token = await serviceAccountToken(kube, SYSTEM_NAMESPACE, name);
  return writeSecretFile(join(plane.folder, 'kubeconfigs'), name, kubeconfigOf(accessOf(plane, token)));
}

export async function serviceAccountToken(kube: Kube, namespace: string, name: string): Promise<string> {
  await kube.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name } });
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 86_400 } };
  const { body } = await kube.request('POST', path, request);
  const token = stringAt(body, 'status', 'token');
  if (token === undefined) throw new Error(`cannot get a token for ${namespace}/${name}: ${JSON.stringify(body)}`);
  return token;
}

export function clusterRoleBinding(name: string, role: string, account: string): JsonObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', namespace: SYSTEM_NAMESPACE, name: account }],
  };
}

/**
 * What Crossplane's RBAC manager grants a provider that declares SafeStart, from its ProviderRevision
 * (internal/controller/rbac/provider/roles/roles.go); there is none where nothing is pulled from a registry.
 */
export function providerSystemRole(name: string, definitions: readonly JsonObject[]): JsonObject {
  const verbs = ['get', 'list', 'watch', 'update', 'patch', 'create'];
  const owned = definitions.map((definition) => {
    const spec = objectAt(definition, 'spec');
    const plural = stringAt(spec, 'names', 'plural') ?? '';
    return { apiGroups: [stringAt(spec, 'group') ?? ''], resources: [plural, `${plural}/status`], verbs };
  });
  const groups = [...new Set(owned.flatMap(({ apiGroups }) => apiGroups))];
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    rules: [
      ...owned,
      { apiGroups: groups, resources: ['*/finalizers'], verbs: ['update'] },
      {
        apiGroups: ['', 'coordination.k8s.io'],
        resources: ['secrets', 'configmaps', 'events', 'leases'],
        verbs: ['*'],
      },
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        verbs: ['get', 'list', 'watch'],
      },
    ],
  };
}
