import { type JsonObject, objectAt, stringAt } from '../../json.ts';
import { Annotation, Key, Label } from '../keys.ts';
import type { Observed } from '../observe/index.ts';

/** Deleting a managed resource, by whatever accident, must never delete the real thing: only teardown destroys. */
export const ORPHAN_POLICIES: readonly string[] = ['Observe', 'Create', 'Update'];
export const OBSERVE_POLICIES: readonly string[] = ['Observe'];

/** metadata of a composed resource: an explicit name, so that previews and clusters agree, and our own labels. */
export function composedMetadata(observed: Observed, key: Key, annotations: JsonObject = {}): JsonObject {
  return {
    name: observed.names.composed[key],
    namespace: observed.identity.namespace,
    labels: ownLabels(observed),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

export function ownLabels(observed: Observed): JsonObject {
  const { uid } = observed.identity;
  return { [Label.Instance]: observed.names.id, ...(uid === undefined ? {} : { [Label.InstanceUid]: uid }) };
}

export interface ObjectOptions {
  readonly annotations?: JsonObject;
  readonly managementPolicies?: readonly string[];
  readonly providerConfigRef?: JsonObject;
}

/** A provider-kubernetes Object around a manifest: the only way for a namespaced XR to reach beyond its namespace. */
export function objectAround(
  observed: Observed,
  key: Key,
  manifest: JsonObject,
  options: ObjectOptions = {},
): JsonObject {
  const { kubernetes } = observed.settings.providerConfigs;
  return {
    apiVersion: 'kubernetes.m.crossplane.io/v1alpha1',
    kind: 'Object',
    metadata: composedMetadata(observed, key, { ...externalName(observed, key), ...options.annotations }),
    spec: {
      forProvider: { manifest },
      readiness: { policy: 'SuccessfulCreate' },
      managementPolicies: [...(options.managementPolicies ?? ORPHAN_POLICIES)],
      providerConfigRef: options.providerConfigRef ?? { kind: kubernetes.kind, name: kubernetes.name },
    },
  };
}

/**
 * The provider would add it by an update of its own, and Crossplane's circuit breaker counts every update. Not on what is
 * only observed: there that update is what makes the provider look again at once, instead of half a minute later.
 */
function externalName(observed: Observed, key: Key): JsonObject {
  if (key === Key.TargetProbe) return {};
  const inUse = stringAt(observed.resources.get(key), 'metadata', 'annotations', Annotation.ExternalName);
  return { [Annotation.ExternalName]: inUse ?? observed.names.composed[key] };
}

/** The manifest inside an observed Object, as it was desired. */
export function manifestOf(observed: Observed, key: Key): JsonObject | undefined {
  return objectAt(observed.resources.get(key), 'spec', 'forProvider', 'manifest');
}
