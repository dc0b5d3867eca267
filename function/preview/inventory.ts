import { merged } from '../core/canonical.ts';
import { Annotation, FINALIZER } from '../core/keys.ts';
import { HELM_RELEASE } from '../core/names.ts';
import { API_NAME, chartRoleName } from '../core/teardown/lookups.ts';
import { type Kind, Kinds } from '../core/teardown/requests.ts';
import { revisionName } from '../core/teardown/settings.ts';
import { finalizersOf } from '../core/teardown/thing.ts';
import { isDeleting } from '../core/teardown/view.ts';
import { formatTime } from '../core/time.ts';
import { type JsonObject, listAt, objectAt, stringAt } from '../json.ts';
import type { RunFunctionResponse } from '../wire/messages.ts';
import { identityOf, previewUid, sameIdentity } from './identity.ts';
import type { Inputs } from './inputs.ts';
import { composedResources } from './render.ts';

/** A deleted instance and all that exists beside it, as far as the files show it. */
export interface Inventory {
  readonly instance: JsonObject;
  readonly objects: readonly JsonObject[];
}

/** Without the times of its life nothing is held back: everything that the instance may compose is there to be destroyed. */
export function beforeDeletion(inputs: Inputs): Inputs {
  const { creationTimestamp: _, deletionTimestamp: __, ...metadata } = objectAt(inputs.composite, 'metadata') ?? {};
  return { ...inputs, composite: { ...inputs.composite, metadata } };
}

/** With observed resources, these alone exist; without any, all that is composed does. */
export function inventoryOf(inputs: Inputs, response: RunFunctionResponse, now: number): Inventory {
  const composed = composedOf(inputs, response);
  const instance = deleted(inputs.composite, composed, now);
  const implied = [...surroundings(inputs, instance), ...composed.flatMap(realOf)].map(identified);
  const shown = [...composed, ...inputs.required];
  return { instance, objects: [...implied.filter((each) => !shown.some((other) => isSame(each, other))), ...shown] };
}

const REVISION = 'preview';

function deleted(composite: JsonObject, composed: readonly JsonObject[], now: number): JsonObject {
  const resourceRefs = composed.map((each) => {
    const { apiVersion, kind, name } = identityOf(each);
    return { apiVersion, kind, name };
  });
  const compositionRevisionRef = { name: revisionName(composite) ?? REVISION };
  const instance = merged(composite, { spec: { crossplane: { compositionRevisionRef, resourceRefs } } });
  if (isDeleting(instance)) return instance;
  const finalizers = [...new Set([...finalizersOf(instance), FINALIZER])];
  return merged(instance, { metadata: { finalizers, deletionTimestamp: formatTime(now) } });
}

function composedOf(inputs: Inputs, response: RunFunctionResponse): readonly JsonObject[] {
  const rendered = composedResources(inputs, response);
  if (inputs.observed.size === 0) return [...rendered.values()].map(identified);
  // Like the render command, the preview takes what is observed for the instance's, with all that Crossplane writes on it.
  return [...inputs.observed].map(([name, resource]) => {
    const metadata = objectAt(rendered.get(name), 'metadata') ?? {};
    return identified({ ...resource, metadata: merged(metadata, objectAt(resource, 'metadata') ?? {}) });
  });
}

function identified(object: JsonObject): JsonObject {
  return merged({ metadata: { uid: previewUid(identityOf(object)) } }, object);
}

function isSame(one: JsonObject, other: JsonObject): boolean {
  return sameIdentity(identityOf(one), identityOf(other));
}

/** The API, and the settings where the controller reads them. */
function surroundings({ settings }: Inputs, instance: JsonObject): readonly JsonObject[] {
  const step = { step: 'instance', functionRef: { name: 'function-platform-instance' }, input: settings ?? null };
  const revision = stub(Kinds.Revision, revisionName(instance) ?? REVISION);
  return [
    stub(Kinds.Definition, API_NAME),
    stub(Kinds.CustomResourceDefinition, API_NAME),
    { ...revision, spec: { pipeline: [step] } },
  ];
}

function stub({ apiVersion, kind }: Kind, name: string, metadata: JsonObject = {}): JsonObject {
  return { apiVersion, kind, metadata: { name, ...metadata } };
}

/** What a composed resource stands for, or makes. */
function realOf(composed: JsonObject): readonly JsonObject[] {
  const { kind } = identityOf(composed);
  if (kind === Kinds.Release.kind) return madeByChart(composed);
  const manifest = objectAt(composed, 'spec', 'forProvider', 'manifest');
  const policies = listAt(composed, 'spec', 'managementPolicies');
  // What is only observed is somebody else's.
  return manifest === undefined || policies.join() === 'Observe' ? [] : [created(manifest)];
}

/** The API server labels every Namespace with its name. */
function created(manifest: JsonObject): JsonObject {
  const { kind, name } = identityOf(manifest);
  return kind === Kinds.Namespace.kind
    ? merged(manifest, { metadata: { labels: { 'kubernetes.io/metadata.name': name } } })
    : manifest;
}

/** What of the chart's lies outside the host Namespace, and the Secret of the kubeconfig, which goes with the Release. */
function madeByChart(release: JsonObject): readonly JsonObject[] {
  const host = stringAt(release, 'spec', 'forProvider', 'namespace');
  const chart = host === undefined ? [] : chartRolesOf(release, host);
  const { apiVersion, kind, name, namespace } = identityOf(release);
  const uid = stringAt(release, 'metadata', 'uid') ?? '';
  const owner = { ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] };
  const secret = stringAt(release, 'spec', 'writeConnectionSecretToRef', 'name');
  return [...chart, ...(secret === undefined ? [] : [stub(SECRET, secret, { namespace, ...owner })])];
}

function chartRolesOf(release: JsonObject, host: string): readonly JsonObject[] {
  const annotations = {
    'meta.helm.sh/release-name': stringAt(release, 'metadata', 'annotations', Annotation.ExternalName) ?? HELM_RELEASE,
    'meta.helm.sh/release-namespace': host,
  };
  return [Kinds.ClusterRole, Kinds.ClusterRoleBinding].map((kind) => stub(kind, chartRoleName(host), { annotations }));
}

const SECRET: Kind = { apiVersion: 'v1', kind: 'Secret', resource: 'secrets' };
