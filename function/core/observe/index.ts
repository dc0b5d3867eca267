import { type PlatformInstanceSpec, readInstance } from '../../api/instance.ts';
import type { Issue } from '../../api/issues.ts';
import type { Settings } from '../../api/settings.types.ts';
import { isObject, type JsonObject, numberAt, objectAt, stringAt } from '../../json.ts';
import type { ObservedResource, RunFunctionRequest } from '../../wire/messages.ts';
import { Annotation, FINALIZER, KEYS, Key, Required } from '../keys.ts';
import { instanceNames, type Names, namesInUse } from '../names.ts';
import { type AppliedRun, readAnnotation, readApplied } from './memory.ts';
import { type ObjectFacts, objectFacts } from './object.ts';
import { type ReleaseFacts, releaseFacts } from './release.ts';
import { type SchemaFacts, schemaFacts } from './schemas.ts';
import { type StackFacts, stackFacts } from './stack.ts';
import { counter, type Lookup, lookup, resourceOf, type WorkloadFacts, workloadFacts } from './workloads.ts';

/** Who the instance is. Present for every request that has a composite, however broken its spec. */
export interface Identity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly deleting: boolean;
  readonly annotations: JsonObject;
  readonly hasFinalizer: boolean;
}

/** Everything that is true now, as far as this one request shows it. */
export interface Observed {
  readonly identity: Identity;
  readonly names: Names;
  /** an XR without creationTimestamp: somebody looks at what would happen */
  readonly preview: boolean;
  /** seconds since 1970 */
  readonly now: number;
  readonly spec: PlatformInstanceSpec | undefined;
  readonly specIssues: readonly Issue[];
  readonly settings: Settings;
  /** the settings as the user wrote them, to tell an explicit one from a default */
  readonly input: JsonObject;
  readonly composite: JsonObject;
  /** our composed resources that exist */
  readonly resources: ReadonlyMap<Key, JsonObject>;
  readonly hostNamespace: HostNamespaceFacts;
  readonly policy: ObjectFacts | undefined;
  readonly policyBinding: ObjectFacts | undefined;
  readonly release: ReleaseFacts | undefined;
  readonly workloads: WorkloadFacts;
  readonly probe: ProbeFacts | undefined;
  readonly stack: StackFacts | undefined;
  readonly stateClaim: ObjectFacts | undefined;
  readonly authDelegator: ObjectFacts | undefined;
  readonly tenantAuthSecret: Lookup;
  readonly schemas: SchemaFacts;
}

export interface HostNamespaceFacts {
  readonly name: string;
  readonly object: ObjectFacts | undefined;
  readonly live: Lookup;
  readonly terminating: boolean;
  /** a Namespace of that name that carries no or another instance's annotation, and that we do not compose yet */
  readonly foreign: boolean;
  readonly memory: NamespaceMemory;
}

/** Durable memory: it survives Retain, re-creation and a lost Stack. */
export interface NamespaceMemory {
  readonly storageRoot: string | undefined;
  /** its user chose that path, or an earlier instance's did */
  readonly storageRootCustom: boolean;
  readonly restart: number | undefined;
  readonly chartVersion: string | undefined;
  readonly applied: AppliedRun | undefined;
}

export interface ProbeFacts extends ObjectFacts {
  readonly createdAt: string | undefined;
  /** since when the API has not answered */
  readonly failingSince: number | undefined;
  /** the last answer given was that the target is ready */
  readonly answeredReady: boolean;
}

export interface ObserveOptions {
  readonly settings: Settings;
  readonly preview: boolean;
  readonly now: number;
}

export function observe(
  request: RunFunctionRequest,
  composite: JsonObject,
  identity: Identity,
  options: ObserveOptions,
): Observed {
  const names = observedNames(request, identity);
  const composed = (key: Key): ObservedResource | undefined => request.resources.get(key);
  const release = releaseFacts(composed(Key.VCluster));
  const parsed = readInstance(composite);
  return {
    identity,
    names,
    preview: options.preview,
    now: options.now,
    spec: 'value' in parsed ? parsed.value.spec : undefined,
    specIssues: 'issues' in parsed ? parsed.issues : [],
    settings: options.settings,
    input: request.input ?? {},
    composite,
    resources: ourResources(request.resources),
    hostNamespace: hostNamespaceFacts(request, identity, names, release),
    policy: objectFacts(composed(Key.OwnerServicePolicy)),
    policyBinding: objectFacts(composed(Key.OwnerServicePolicyBinding)),
    release,
    workloads: workloadFacts(request.requiredResources),
    probe: probeFacts(composed(Key.TargetProbe)),
    stack: stackFacts(composed(Key.PlatformStack), lookup(request.requiredResources, Required.Workspace)),
    stateClaim: objectFacts(composed(Key.StackState)),
    authDelegator: objectFacts(composed(Key.StackAuthDelegator)),
    tenantAuthSecret: lookup(request.requiredResources, Required.TenantAuthSecret),
    schemas: schemaFacts(request, options.preview),
  };
}

/** undefined when the composite has no name or namespace to work with. */
export function identify(composite: JsonObject): Identity | undefined {
  const metadata = objectAt(composite, 'metadata');
  const namespace = stringAt(metadata, 'namespace');
  const name = stringAt(metadata, 'name');
  if (!namespace || !name) return undefined;
  const finalizers = metadata?.['finalizers'];
  return {
    namespace,
    name,
    uid: stringAt(metadata, 'uid'),
    generation: numberAt(metadata, 'generation'),
    deleting: stringAt(metadata, 'deletionTimestamp') !== undefined,
    annotations: objectAt(metadata, 'annotations') ?? {},
    hasFinalizer: Array.isArray(finalizers) && finalizers.includes(FINALIZER),
  };
}

function ourResources(resources: ReadonlyMap<string, ObservedResource>): ReadonlyMap<Key, JsonObject> {
  const ours = new Map<Key, JsonObject>();
  for (const key of KEYS) {
    const found = resources.get(key);
    if (found !== undefined) ours.set(key, found.resource);
  }
  return ours;
}

export function observedNames(request: RunFunctionRequest, identity: Identity): Names {
  const rule = instanceNames(identity.namespace, identity.name);
  return namesInUse(rule, (key) => request.resources.get(key)?.resource);
}

/** The host namespace is fixed once it is in use. */
export function hostNamespaceName(request: RunFunctionRequest, names: Names): string {
  const release = request.resources.get(Key.VCluster)?.resource;
  const object = request.resources.get(Key.HostNamespace)?.resource;
  return (
    stringAt(release, 'spec', 'forProvider', 'namespace') ??
    stringAt(object, 'spec', 'forProvider', 'manifest', 'metadata', 'name') ??
    names.hostNamespace
  );
}

function hostNamespaceFacts(
  request: RunFunctionRequest,
  identity: Identity,
  names: Names,
  release: ReleaseFacts | undefined,
): HostNamespaceFacts {
  const object = objectFacts(request.resources.get(Key.HostNamespace));
  const live = lookup(request.requiredResources, Required.HostNamespace);
  const namespace = resourceOf(live) ?? object?.live;
  const annotations = objectAt(namespace, 'metadata', 'annotations');
  const owner = stringAt(annotations, Annotation.Instance);
  const isOurs = owner === `${identity.namespace}/${identity.name}`;
  return {
    name: hostNamespaceName(request, names),
    object,
    live,
    terminating: stringAt(namespace, 'metadata', 'deletionTimestamp') !== undefined,
    foreign: namespace !== undefined && object === undefined && release === undefined && !isOurs,
    memory: isOurs ? namespaceMemory(annotations, namespace) : NO_MEMORY,
  };
}

const NO_MEMORY: NamespaceMemory = {
  storageRoot: undefined,
  storageRootCustom: false,
  restart: undefined,
  chartVersion: undefined,
  applied: undefined,
};

function namespaceMemory(annotations: JsonObject | undefined, namespace: JsonObject | undefined): NamespaceMemory {
  return {
    storageRoot: stringAt(annotations, Annotation.StorageRoot),
    storageRootCustom: stringAt(annotations, Annotation.StorageRootCustom) === 'true',
    restart: counter(stringAt(annotations, Annotation.Restart)),
    chartVersion: stringAt(annotations, Annotation.ChartVersion),
    applied: readApplied(readAnnotation(namespace, Annotation.Applied)),
  };
}

function probeFacts(observed: ObservedResource | undefined): ProbeFacts | undefined {
  const facts = objectFacts(observed);
  if (facts === undefined) return undefined;
  const memory = readAnnotation(facts.resource, Annotation.Probe);
  return {
    ...facts,
    createdAt: stringAt(facts.resource, 'metadata', 'creationTimestamp'),
    failingSince: numberAt(memory, 'failingSince'),
    answeredReady: isObject(memory) && memory['answeredReady'] === true,
  };
}
