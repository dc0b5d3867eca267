import { FINALIZER } from '../../function/core/keys.ts';
import { type Found, Kinds } from '../../function/core/teardown/requests.ts';
import {
  type Action,
  actionKey,
  type Failure,
  NOTHING,
  type Seen,
  type Step,
} from '../../function/core/teardown/step.ts';
import { isObject, type JsonObject, listAt, stringAt } from '../../function/json.ts';
import type { Core } from '../../function/teardown/core.ts';
import type { ApiServer } from './api.server.ts';

/** A plan as small as can be that has every kind of step: status, metadata, deletions of both sorts, a Job. */
export const PLAN: Core = {
  lookups(instance, found) {
    if (!isDeleting(instance)) return [];
    const labels = { owner: uidOf(instance) };
    const namespace = stringAt(instance, 'metadata', 'namespace') ?? '';
    const all = [
      { id: 'maps', list: { ...Kinds.ConfigMap, namespace, labels } },
      { id: 'namespaces', list: { ...Kinds.Namespace, labels } },
    ].filter(({ id }) => !found.has(id));
    if (all.length > 0) return all;
    return found.has('job') ? [] : [{ id: 'job', get: jobOf(instance) }];
  },

  planTeardown(instance, found, _now, failure) {
    const finalizers = listAt(instance, 'metadata', 'finalizers');
    if (!isDeleting(instance)) {
      return finalizers.includes(FINALIZER)
        ? NOTHING
        : { ...NOTHING, metadata: { finalizers: [...finalizers, FINALIZER] } };
    }
    if (!finalizers.includes(FINALIZER)) return NOTHING;
    const next = nextOf(instance, found);
    return told(instance, next.actions, failure) ?? next;
  },

  blocked: (instance, cause) =>
    isDeleting(instance) ? (status(instance, `blocked: ${cause}`) ?? { ...NOTHING, againIn: 0.02 }) : NOTHING,
};

function nextOf(instance: JsonObject, found: Found): Step {
  const job = found.get('job');
  const maps = present(found, 'maps', Kinds.ConfigMap);
  const namespaces = present(found, 'namespaces', Kinds.Namespace);
  const note = (name: string): Step => ({ ...NOTHING, metadata: { annotations: { [name]: 'yes' } } });
  const has = (name: string) => stringAt(instance, 'metadata', 'annotations', name) === 'yes';
  if (!has('noted')) return note('noted');
  if (maps.length > 0) return wait('maps', deletions(maps, false));
  if (namespaces.length > 0) return wait('namespaces', deletions(namespaces, true));
  if (!isObject(job) && !has('cleaned')) return wait('job', [creation(instance)]);
  if (isObject(job) && !has('cleaned')) {
    return listAt(job, 'status', 'conditions').length > 0
      ? { ...note('cleaned'), cleanupFailures: 1 }
      : wait('job', []);
  }
  if (isObject(job)) return wait('job', deletions([{ ...Kinds.Job, object: job }], false));
  return {
    ...NOTHING,
    metadata: { finalizers: listAt(instance, 'metadata', 'finalizers').filter((each) => each !== FINALIZER) },
  };
}

function wait(awaiting: string, actions: readonly Action[]): Step {
  return { ...NOTHING, actions, againIn: 0.02, awaiting: `Waiting for ${awaiting}` };
}

function told(instance: JsonObject, actions: readonly Action[], failure: Failure | undefined): Step | undefined {
  const isFailing = failure !== undefined && actions.some((action) => actionKey(action) === failure.key);
  return status(instance, isFailing ? `failed: ${failure.message}` : 'going on');
}

function status(instance: JsonObject, message: string): Step | undefined {
  if (stringAt(instance, 'status', 'message') === message) return undefined;
  const events = message === 'going on' ? [] : [{ type: 'Warning', reason: 'Failed', message } as const];
  return { ...NOTHING, status: { phase: 'Deleting', message }, events };
}

interface Present {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly object: JsonObject;
}

function present(found: Found, id: string, kind: Omit<Present, 'object'>): Present[] {
  const all = found.get(id);
  return Array.isArray(all) ? all.map((object: JsonObject) => ({ ...kind, object })) : [];
}

function deletions(all: readonly Present[], irreversible: boolean): Action[] {
  return all
    .filter(({ object }) => !isDeleting(object))
    .map((each) => ({ verb: 'delete', object: seen(each), concern: 'target', irreversible }));
}

function seen({ object, apiVersion, kind, resource }: Present): Seen {
  const namespace = stringAt(object, 'metadata', 'namespace');
  return {
    ...{ apiVersion, kind, resource },
    ...(namespace === undefined ? {} : { namespace }),
    name: stringAt(object, 'metadata', 'name') ?? '',
    uid: uidOf(object),
    resourceVersion: stringAt(object, 'metadata', 'resourceVersion') ?? '',
  };
}

function jobOf(instance: JsonObject) {
  return { ...Kinds.Job, namespace: 'cleanup', name: `job-${uidOf(instance)}` };
}

function creation(instance: JsonObject): Action {
  const object = jobOf(instance);
  const { apiVersion, kind, namespace, name } = object;
  const manifest = { apiVersion, kind, metadata: { namespace, name }, spec: { secret: 'sentinel-in-a-body' } };
  return { verb: 'create', object, manifest, concern: 'storage', irreversible: true };
}

const uidOf = (object: JsonObject) => stringAt(object, 'metadata', 'uid') ?? '';
const isDeleting = (object: JsonObject) => stringAt(object, 'metadata', 'deletionTimestamp') !== undefined;

export const INSTANCES = 'platform.di-framework.dev/v1alpha1/platforminstances';

/** An instance, with what PLAN would take apart. */
export function addInstance({ store }: ApiServer, name: string, uid = `uid-${name}`): void {
  store.put(INSTANCES, {
    apiVersion: Kinds.Instance.apiVersion,
    kind: Kinds.Instance.kind,
    metadata: { namespace: 'team-a', name, uid, finalizers: ['somebody.else/keeps'] },
    spec: { anything: { goes: [1, null, '2026-01-01T00:00:00Z'] } },
  });
  for (const each of ['one', 'two']) {
    store.put('v1/configmaps', {
      metadata: { namespace: 'team-a', name: `${name}-${each}`, labels: { owner: uid } },
      data: { secret: 'sentinel-in-a-body' },
    });
  }
  store.put('v1/namespaces', {
    metadata: { name: `host-${name}`, labels: { owner: uid }, finalizers: ['kubernetes'] },
  });
}

export function deleteInstance({ store }: ApiServer, name: string): void {
  store.delete(INSTANCES, instancePlace(name));
  const left = store.at(INSTANCES, name, 'team-a');
  if (left === undefined) return;
  const finalizers = listAt(left, 'metadata', 'finalizers').filter((each) => each !== 'somebody.else/keeps');
  store.patch(INSTANCES, instancePlace(name), { metadata: { finalizers: [...finalizers] } });
}

export function instancePlace(name: string) {
  return { collection: '', resource: INSTANCES, namespace: 'team-a', name, subresource: undefined };
}

/** Takes the finalizer off Namespaces that are being deleted, and completes Jobs. */
export function addControllers({ store }: ApiServer): () => void {
  return store.subscribe(({ type, resource, object }) => {
    if (type === 'DELETED') return;
    const { metadata } = object as { metadata: JsonObject };
    const place = { ...instancePlace(String(metadata['name'])), namespace: stringAt(metadata, 'namespace') };
    const isKept = resource === 'v1/namespaces' && isDeleting(object) && listAt(metadata, 'finalizers').length > 0;
    const isNewJob = resource === 'batch/v1/jobs' && object['status'] === undefined;
    const change = isKept
      ? { metadata: { finalizers: [] } }
      : isNewJob
        ? { status: { conditions: [{ type: 'Complete', status: 'True' }] } }
        : undefined;
    if (change !== undefined) {
      setTimeout(
        () => store.at(resource, place.name, place.namespace) && store.patch(resource, { ...place, resource }, change),
        3,
      );
    }
  });
}
