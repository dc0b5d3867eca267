import { isObject, type Json, type JsonObject, listAt, numberAt, objectAt, stringAt } from '../../json.ts';
import type { ObservedResource } from '../../wire/messages.ts';
import { Annotation, Required } from '../keys.ts';
import { HELM_RELEASE } from '../names.ts';

/** A required resource: not fetched yet, known not to exist, or there. */
export type Lookup =
  | { readonly kind: 'pending' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'present'; readonly resource: JsonObject };

export function lookup(required: ReadonlyMap<string, readonly ObservedResource[]>, name: string): Lookup {
  const found = required.get(name);
  if (found === undefined) return { kind: 'pending' };
  const [first] = found;
  return first === undefined ? { kind: 'absent' } : { kind: 'present', resource: first.resource };
}

export function resourceOf(found: Lookup): JsonObject | undefined {
  return found.kind === 'present' ? found.resource : undefined;
}

/** What the chart and the vCluster syncer made in the host namespace. */
export interface WorkloadFacts {
  /** every lookup below has been answered */
  readonly known: boolean;
  readonly serviceUid: string | undefined;
  /** the chart's objects that do not exist, by the name a user knows them by, sorted */
  readonly missing: readonly string[];
  readonly statefulSet: StatefulSetFacts | undefined;
  /** Secret vc-vcluster, written by the running syncer, owned by service/vcluster */
  readonly kubeconfigSecret: { readonly ownerUid: string | undefined } | undefined;
}

export interface StatefulSetFacts {
  readonly ready: boolean;
  readonly rolledOut: boolean;
  /** restart counter that its pod template carries */
  readonly restart: number | undefined;
}

const CHART_OBJECTS: readonly (readonly [string, string])[] = [
  [Required.Service, 'Service vcluster'],
  [Required.HeadlessService, 'Service vcluster-headless'],
  [Required.StatefulSet, 'StatefulSet vcluster'],
  [Required.ConfigSecret, 'Secret vc-config-vcluster'],
];

export const OWNER_SERVICE = 'Service vcluster';
export const STATEFUL_SET = 'StatefulSet vcluster';

export function workloadFacts(required: ReadonlyMap<string, readonly ObservedResource[]>): WorkloadFacts {
  const chart = CHART_OBJECTS.map(([name, title]) => ({ title, found: lookup(required, name) }));
  const kubeconfig = lookup(required, Required.KubeconfigSecret);
  const statefulSet = resourceOf(lookup(required, Required.StatefulSet));
  return {
    known: kubeconfig.kind !== 'pending' && chart.every(({ found }) => found.kind !== 'pending'),
    serviceUid: stringAt(resourceOf(lookup(required, Required.Service)), 'metadata', 'uid'),
    missing: chart
      .filter(({ found }) => found.kind === 'absent')
      .map(({ title }) => title)
      .sort(),
    statefulSet: statefulSet === undefined ? undefined : statefulSetFacts(statefulSet),
    kubeconfigSecret: kubeconfig.kind === 'present' ? { ownerUid: ownerUid(kubeconfig.resource) } : undefined,
  };
}

function statefulSetFacts(resource: JsonObject): StatefulSetFacts {
  const replicas = numberAt(resource, 'spec', 'replicas') ?? 1;
  const status = objectAt(resource, 'status');
  const current = (numberAt(status, 'observedGeneration') ?? 0) >= (numberAt(resource, 'metadata', 'generation') ?? 0);
  const ready = (numberAt(status, 'readyReplicas') ?? 0) >= Math.max(1, replicas);
  const updated =
    (numberAt(status, 'updatedReplicas') ?? 0) >= replicas ||
    stringAt(status, 'currentRevision') === stringAt(status, 'updateRevision');
  const annotation = stringAt(resource, 'spec', 'template', 'metadata', 'annotations', Annotation.Restart);
  return { ready, rolledOut: current && ready && updated, restart: counter(annotation) };
}

/** A restart counter as the annotation carries it; undefined for anything that is no whole number. */
export function counter(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function ownerUid(resource: JsonObject): string | undefined {
  const owner = listAt(resource, 'metadata', 'ownerReferences').find((reference: Json) => {
    return isObject(reference) && reference['kind'] === 'Service' && reference['name'] === HELM_RELEASE;
  });
  return stringAt(owner, 'uid');
}
