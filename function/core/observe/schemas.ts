import { Capability, type RunFunctionRequest, type SchemaSelector } from '../../wire/messages.ts';
import { Key } from '../keys.ts';

/**
 * Composing a kind whose CRD is absent aborts Crossplane's whole compose, and caches of kinds that do not exist hang, so
 * each kind is asked for until a resource of it has been seen. Which ones depends on the observed composed resources
 * alone: requirements that alternate block the instance (crossplane internal/xfn/required_resources.go).
 */
export interface KindRequirement extends SchemaSelector {
  readonly name: string;
  /** composed keys that need the kind */
  readonly keys: readonly Key[];
  /** the kind counts as seen once one of these keys is observed */
  readonly seenBy: readonly Key[];
  /** what a user calls it */
  readonly title: string;
}

const OBJECTS = [
  Key.HostNamespace,
  Key.OwnerServicePolicy,
  Key.OwnerServicePolicyBinding,
  Key.TargetProbe,
  Key.StackAuthDelegator,
  Key.StackState,
] as const;

export const KINDS: readonly KindRequirement[] = [
  {
    name: 'admission-policy',
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    keys: [Key.OwnerServicePolicy, Key.OwnerServicePolicyBinding],
    seenBy: [Key.OwnerServicePolicy],
    title: 'ValidatingAdmissionPolicy',
  },
  {
    name: 'release',
    apiVersion: 'helm.m.crossplane.io/v1beta1',
    kind: 'Release',
    keys: [Key.VCluster],
    seenBy: [Key.VCluster],
    title: 'Release of provider-helm',
  },
  {
    name: 'object',
    apiVersion: 'kubernetes.m.crossplane.io/v1alpha1',
    kind: 'Object',
    keys: OBJECTS,
    seenBy: OBJECTS,
    title: 'Object of provider-kubernetes',
  },
  {
    name: 'provider-config',
    apiVersion: 'kubernetes.m.crossplane.io/v1alpha1',
    kind: 'ProviderConfig',
    keys: [Key.TargetProviderConfig],
    seenBy: [Key.TargetProviderConfig],
    title: 'ProviderConfig of provider-kubernetes',
  },
  {
    // The Stack's own CRD is 1.5 MB of schema; Program comes with the same operator and is small.
    name: 'stack',
    apiVersion: 'pulumi.com/v1',
    kind: 'Program',
    keys: [Key.PlatformStack],
    seenBy: [Key.PlatformStack],
    title: 'Stack of the Pulumi Kubernetes Operator',
  },
];

export interface SchemaFacts {
  /** the host can be asked for schemas at all */
  readonly supported: boolean;
  readonly wanted: readonly KindRequirement[];
  /** kinds that the API server is known not to serve */
  readonly absent: readonly KindRequirement[];
  /** kinds whose answer is still awaited */
  readonly pending: readonly KindRequirement[];
}

/**
 * @param preview without a cluster every kind is answered as absent, which then says nothing
 */
export function schemaFacts(request: RunFunctionRequest, preview = false): SchemaFacts {
  const supported = request.capabilities.has(Capability.RequiredSchemas);
  if (!supported) return { supported, wanted: [], absent: [], pending: [] };
  const wanted = KINDS.filter((kind) => !kind.seenBy.some((key) => request.resources.has(key)));
  const asked = (kind: KindRequirement): boolean => request.requiredSchemas.has(kind.name);
  const absent = wanted.filter((kind) => asked(kind) && request.requiredSchemas.get(kind.name) === undefined);
  return {
    supported,
    wanted,
    absent: preview && absent.length === wanted.length ? [] : absent,
    pending: wanted.filter((kind) => !asked(kind)),
  };
}
