import type { JsonObject } from '../../function/json.ts';
import { encodeRequest } from '../../function/wire/caller/request.ts';
import type { ObservedResource } from '../../function/wire/messages.ts';

/** Objects per request, and about how large the request then is. */
export const SIZES = [
  { name: '10 KB', objects: 5 },
  { name: '100 KB', objects: 55 },
  { name: '1 MB', objects: 560 },
] as const;

export interface Fixture {
  readonly name: string;
  readonly bytes: Buffer;
  /** the same data as JSON text */
  readonly json: string;
}

/** Requests as Crossplane sends them: Objects with status and managedFields. The same bytes every time. */
export function fixtures(): Fixture[] {
  return SIZES.map(({ name, objects }) => {
    const resources = Array.from({ length: objects }, (_, index) => providerObject(index));
    const observed = new Map<string, ObservedResource>(
      resources.map((resource, index) => [`thing-${index}`, { resource, connectionDetails: new Map() }]),
    );
    const bytes = encodeRequest({
      tag: 'bench',
      capabilities: new Set([1, 2, 3, 4, 5]),
      composite: { resource: providerObject(0), connectionDetails: new Map() },
      resources: observed,
      desired: { composite: undefined, compositeRest: new Uint8Array(), names: [], entries: [] },
      input: undefined,
      context: undefined,
      requiredResources: new Map(),
      requiredSchemas: new Map(),
      credentials: new Map(),
    });
    return { name, bytes: Buffer.from(bytes), json: JSON.stringify([providerObject(0), ...resources]) };
  });
}

function providerObject(index: number): JsonObject {
  const manifest = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `settings-${index}`,
      namespace: 'team-a',
      labels: { 'app.kubernetes.io/name': 'thing', tier: 'a' },
    },
    data: { text: `a value of ordinary length, number ${index}`, flag: 'true', count: String(index) },
  };
  return {
    apiVersion: 'kubernetes.m.crossplane.io/v1alpha1',
    kind: 'Object',
    metadata: {
      name: `pi-blue-abcdefgh-thing-${index}`,
      namespace: 'team-a',
      uid: `8f2f6b3e-0000-4000-8000-${String(index).padStart(12, '0')}`,
      generation: 3,
      resourceVersion: String(100_000 + index),
      creationTimestamp: '2026-06-01T12:00:00Z',
      labels: { 'crossplane.io/composite': 'blue' },
      annotations: {
        'crossplane.io/composition-resource-name': `thing-${index}`,
        'crossplane.io/external-name': `settings-${index}`,
      },
      managedFields: [
        {
          manager: 'apiextensions.crossplane.io/composed',
          operation: 'Apply',
          time: '2026-06-01T12:00:00Z',
          fieldsV1: {
            'f:metadata': { 'f:annotations': { 'f:crossplane.io/composition-resource-name': {} } },
            'f:spec': { 'f:forProvider': { 'f:manifest': {} } },
          },
        },
        {
          manager: 'provider',
          operation: 'Update',
          subresource: 'status',
          fieldsV1: { 'f:status': { 'f:atProvider': { 'f:manifest': {} }, 'f:conditions': {} } },
        },
      ],
    },
    spec: {
      forProvider: { manifest },
      readiness: { policy: 'SuccessfulCreate' },
      managementPolicies: ['Observe', 'Create', 'Update'],
      providerConfigRef: { kind: 'ClusterProviderConfig', name: 'default' },
    },
    status: {
      conditions: [
        { type: 'Ready', status: 'True', reason: 'Available', lastTransitionTime: '2026-06-01T12:00:00Z' },
        {
          type: 'Synced',
          status: 'True',
          reason: 'ReconcileSuccess',
          observedGeneration: 3,
          lastTransitionTime: '2026-06-01T12:00:00Z',
        },
      ],
      atProvider: { manifest: { ...manifest, metadata: { ...manifest.metadata, uid: 'u', resourceVersion: '12345' } } },
    },
  };
}
