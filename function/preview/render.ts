import { isObject, type JsonObject, listAt, numberAt, objectAt, stringAt } from '../json.ts';
import { ConditionStatus, Ready, type Result, type RunFunctionResponse, Severity } from '../wire/messages.ts';
import { identityOf } from './identity.ts';
import { type Inputs, RESOURCE_NAME_ANNOTATION } from './inputs.ts';

/**
 * What Crossplane makes of the response, as `crossplane composition render --include-function-results` prints it: the
 * composite resource, the composed resources by name, then the results. Source: crossplane
 * internal/controller/apiextensions/composite and crossplane/cli cmd/crossplane/render.
 */
export function render(inputs: Inputs, response: RunFunctionResponse): JsonObject[] {
  const composed = [...composedResources(inputs, response).values()];
  return [
    compositeResource(inputs.composite, composed, response),
    ...composed,
    ...response.results.map(resultDocument),
  ];
}

/** What is composed as Crossplane applies it, by composition resource name, in the order of these names. */
export function composedResources(inputs: Inputs, response: RunFunctionResponse): ReadonlyMap<string, JsonObject> {
  const sorted = [...response.desired.resources].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(sorted.map(([name, { resource }]) => [name, composedResource(name, resource, inputs)]));
}

const COMPOSITE_LABEL = 'crossplane.io/composite';

function composedResource(name: string, resource: JsonObject, { composite, observed }: Inputs): JsonObject {
  const owner = identityOf(composite);
  const before = observed.get(name);
  const metadata = { ...objectAt(resource, 'metadata') };
  // An observed resource keeps its name, whatever the function says.
  if (before !== undefined) metadata['name'] = identityOf(before).name;
  return {
    ...resource,
    metadata: {
      ...metadata,
      namespace: owner.namespace,
      annotations: { ...objectAt(metadata, 'annotations'), [RESOURCE_NAME_ANNOTATION]: name },
      labels: {
        ...objectAt(metadata, 'labels'),
        [COMPOSITE_LABEL]: stringAt(composite, 'metadata', 'labels', COMPOSITE_LABEL) ?? owner.name,
      },
      ownerReferences: [
        {
          apiVersion: owner.apiVersion,
          kind: owner.kind,
          name: owner.name,
          uid: stringAt(composite, 'metadata', 'uid') ?? '',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
  };
}

function compositeResource(
  composite: JsonObject,
  composed: readonly JsonObject[],
  response: RunFunctionResponse,
): JsonObject {
  const { apiVersion, kind, namespace, name } = identityOf(composite);
  const references = composed
    .map((resource) => {
      const identity = identityOf(resource);
      return { apiVersion: identity.apiVersion, kind: identity.kind, name: identity.name };
    })
    .sort((a, b) => (a.apiVersion + a.kind + a.name < b.apiVersion + b.kind + b.name ? -1 : 1));
  const status = objectAt(response.desired.composite, 'status') ?? {};
  return {
    apiVersion,
    kind,
    metadata: { name, namespace },
    ...(references.length === 0 ? {} : { spec: { crossplane: { resourceRefs: references } } }),
    status: { ...status, conditions: conditions(composite, response) },
  };
}

/** Transition times depend on the clock, so they are all the same fixed one. */
const TRANSITION_TIME = '2024-01-01T00:00:00Z';

const STATUSES: Readonly<Record<ConditionStatus, string>> = {
  [ConditionStatus.Unspecified]: 'Unknown',
  [ConditionStatus.Unknown]: 'Unknown',
  [ConditionStatus.True]: 'True',
  [ConditionStatus.False]: 'False',
};

/** Crossplane's own; it drops them when a function sets them. */
const SYSTEM_TYPES: ReadonlySet<string> = new Set(['Ready', 'Synced', 'Healthy', 'UpToDate', 'Responsive']);

/** Those that the composite resource has already, with what Crossplane and the function say now. */
function conditions(composite: JsonObject, response: RunFunctionResponse): JsonObject[] {
  const generation = numberAt(composite, 'metadata', 'generation');
  const observedGeneration = generation === undefined ? {} : { observedGeneration: generation };
  const stored = listAt(composite, 'status', 'conditions').filter(isObject);
  const ours = response.conditions
    .filter((condition) => !SYSTEM_TYPES.has(condition.type))
    .map(({ type, status, reason, message = '' }) => ({
      type,
      status: STATUSES[status],
      reason,
      ...(message === '' ? {} : { message }),
    }));
  const byType = new Map<string, JsonObject>();
  for (const condition of [
    ...stored,
    { type: 'Responsive', status: 'True', reason: 'WatchCircuitClosed', ...observedGeneration },
    ...ours,
    { type: 'Synced', status: 'True', reason: 'ReconcileSuccess' },
    readyCondition(response),
  ]) {
    byType.set(String(condition['type']), { ...condition, lastTransitionTime: TRANSITION_TIME });
  }
  return [...byType.values()];
}

function readyCondition({ desired }: RunFunctionResponse): JsonObject {
  const derived = [...desired.resources.values()].every((resource) => resource.ready === Ready.True);
  const ready = desired.compositeReady === Ready.Unspecified ? derived : desired.compositeReady === Ready.True;
  return ready
    ? { type: 'Ready', status: 'True', reason: 'Available' }
    : { type: 'Ready', status: 'False', reason: 'Creating' };
}

const SEVERITIES: Readonly<Record<Severity, string>> = {
  [Severity.Unspecified]: 'Warning',
  [Severity.Fatal]: 'Warning',
  [Severity.Warning]: 'Warning',
  [Severity.Normal]: 'Normal',
};

function resultDocument(result: Result): JsonObject {
  return {
    apiVersion: 'render.crossplane.io/v1beta1',
    kind: 'Result',
    severity: SEVERITIES[result.severity],
    reason: result.reason ?? 'ComposeResources',
    message: result.message,
  };
}
