import type { JsonObject } from '../../json.ts';

/** One kind as the API server serves it. */
export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  /** the plural in its URL */
  readonly resource: string;
}

/** One object. Cluster-scoped without a namespace. */
export interface Reference extends Kind {
  readonly namespace?: string;
  readonly name: string;
}

/** Objects of a kind, those with all the labels; in all namespaces without a namespace. */
export interface Selection extends Kind {
  readonly namespace?: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Something the plan wants to know. */
export type Request =
  | { readonly id: string; readonly get: Reference }
  | { readonly id: string; readonly list: Selection };

/**
 * What the API server answered, by id: the object, or undefined when it or its kind does not exist; a list for a list,
 * empty when the kind does not exist.
 */
export type Found = ReadonlyMap<string, JsonObject | undefined | readonly JsonObject[]>;

export const Kinds = {
  Definition: {
    apiVersion: 'apiextensions.crossplane.io/v2',
    kind: 'CompositeResourceDefinition',
    resource: 'compositeresourcedefinitions',
  },
  CustomResourceDefinition: {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    resource: 'customresourcedefinitions',
  },
  Revision: {
    apiVersion: 'apiextensions.crossplane.io/v1',
    kind: 'CompositionRevision',
    resource: 'compositionrevisions',
  },
  Instance: {
    apiVersion: 'platform.di-framework.dev/v1alpha1',
    kind: 'PlatformInstance',
    resource: 'platforminstances',
  },
  Release: { apiVersion: 'helm.m.crossplane.io/v1beta1', kind: 'Release', resource: 'releases' },
  Object: { apiVersion: 'kubernetes.m.crossplane.io/v1alpha1', kind: 'Object', resource: 'objects' },
  ProviderConfig: {
    apiVersion: 'kubernetes.m.crossplane.io/v1alpha1',
    kind: 'ProviderConfig',
    resource: 'providerconfigs',
  },
  Stack: { apiVersion: 'pulumi.com/v1', kind: 'Stack', resource: 'stacks' },
  ConfigMap: { apiVersion: 'v1', kind: 'ConfigMap', resource: 'configmaps' },
  ServiceAccount: { apiVersion: 'v1', kind: 'ServiceAccount', resource: 'serviceaccounts' },
  Namespace: { apiVersion: 'v1', kind: 'Namespace', resource: 'namespaces' },
  Claim: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', resource: 'persistentvolumeclaims' },
  Volume: { apiVersion: 'v1', kind: 'PersistentVolume', resource: 'persistentvolumes' },
  Pod: { apiVersion: 'v1', kind: 'Pod', resource: 'pods' },
  Job: { apiVersion: 'batch/v1', kind: 'Job', resource: 'jobs' },
  Policy: {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    resource: 'validatingadmissionpolicies',
  },
  PolicyBinding: {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    resource: 'validatingadmissionpolicybindings',
  },
  ClusterRole: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', resource: 'clusterroles' },
  ClusterRoleBinding: {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    resource: 'clusterrolebindings',
  },
} as const satisfies Readonly<Record<string, Kind>>;

/** What is enough to name an object to a person. */
export type Named = Pick<Reference, 'kind' | 'namespace' | 'name'>;

const ALWAYS_SERVED = new Set(['v1', 'batch/v1', 'rbac.authorization.k8s.io/v1', 'apiextensions.k8s.io/v1']);

/** Whether every API server has the kind: one that says it has not is none, and what it does not show is not gone. */
export function isAlwaysServed({ apiVersion }: Kind): boolean {
  return ALWAYS_SERVED.has(apiVersion);
}

/** How a reference reads in a message: `Namespace pi-team-a-demo-abc` or `Stack team-a/pi-demo-abc`. */
export function titleOf({ kind, namespace, name }: Named): string {
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
