import { Kinds, type Reference, type Request } from '../../../function/core/teardown/requests.ts';
import type { Seen } from '../../../function/core/teardown/step.ts';
import { formatTime } from '../../../function/core/time.ts';
import { isObject, type JsonObject, listAt, objectAt, stringAt } from '../../../function/json.ts';
import { merge } from './merge.ts';

/** What keeps an object of a kind from going at once, and who takes it off. */
const KEEPERS: Readonly<Record<string, { readonly finalizer: string; readonly by: Controller }>> = {
  Release: { finalizer: 'finalizer.managedresource.crossplane.io', by: 'provider-helm' },
  Object: { finalizer: 'finalizer.managedresource.crossplane.io', by: 'provider-kubernetes' },
  ProviderConfig: { finalizer: 'in-use.crossplane.io', by: 'provider-kubernetes' },
  Stack: { finalizer: 'finalizer.stack.pulumi.com', by: 'pulumi-operator' },
  Namespace: { finalizer: 'kubernetes', by: 'namespace-controller' },
  PersistentVolumeClaim: { finalizer: 'kubernetes.io/pvc-protection', by: 'claim-controller' },
  Pod: { finalizer: 'grace', by: 'kubelet' },
};

export type Controller =
  | 'provider-helm'
  | 'provider-kubernetes'
  | 'pulumi-operator'
  | 'namespace-controller'
  | 'claim-controller'
  | 'kubelet';

export type JobOutcome = 'Complete' | 'Failed' | 'running';

/** An API server in memory with the controllers that a deletion meets. Every change is written down. */
export class Cluster {
  now = 1_790_000_000;
  /** controllers that are down: what they keep stays */
  readonly down = new Set<Controller>();
  /** whether provider-kubernetes makes again what is missing */
  heals = false;
  /** how the next cleanup Jobs end; without an entry they succeed */
  readonly outcomes: JobOutcome[] = [];
  /** every deletion, creation and patch of anything but the instance, in order */
  readonly done: string[] = [];
  /** UIDs of the Jobs that failed */
  readonly failed = new Set<string>();
  private readonly objects = new Map<string, JsonObject>();
  private counter = 0;

  put(object: JsonObject, keeper = true): JsonObject {
    const kept = KEEPERS[String(object['kind'])];
    const stored = structuredClone(object);
    const metadata = { ...objectAt(stored, 'metadata') };
    metadata['uid'] ??= `made-${++this.counter}`;
    metadata['creationTimestamp'] ??= formatTime(this.now);
    if (stored['kind'] === 'Namespace') {
      metadata['labels'] = { ...objectAt(metadata, 'labels'), 'kubernetes.io/metadata.name': metadata['name'] ?? '' };
    }
    metadata['resourceVersion'] = String(++this.counter);
    if (keeper && kept !== undefined) metadata['finalizers'] ??= [kept.finalizer];
    stored['metadata'] = metadata;
    this.objects.set(keyOf(stored), stored);
    return stored;
  }

  find(kind: string, name: string, namespace = ''): JsonObject | undefined {
    return this.objects.get(`${kind} ${namespace}/${name}`);
  }

  all(kind?: string): JsonObject[] {
    return [...this.objects.values()].filter((each) => kind === undefined || each['kind'] === kind);
  }

  names(): string[] {
    return [...this.objects.keys()].sort();
  }

  drop(kind: string, name: string, namespace = ''): void {
    this.objects.delete(`${kind} ${namespace}/${name}`);
  }

  /** Changes an object as somebody else. */
  edit(object: JsonObject, change: (object: JsonObject) => void): void {
    change(object);
    const metadata = object['metadata'] as JsonObject;
    metadata['resourceVersion'] = String(++this.counter);
    if (metadata['deletionTimestamp'] !== undefined && listAt(object, 'metadata', 'finalizers').length === 0) {
      this.objects.delete(keyOf(object));
      this.collect(stringAt(metadata, 'uid') ?? '');
    }
  }

  answer(request: Request): JsonObject | undefined | JsonObject[] {
    if ('get' in request) {
      const { kind, name, namespace = '' } = request.get;
      return structuredClone(this.find(kind, name, namespace));
    }
    const { kind, namespace, labels } = request.list;
    return structuredClone(
      this.all(kind).filter(
        (each) =>
          (namespace === undefined || stringAt(each, 'metadata', 'namespace') === namespace) &&
          Object.entries(labels).every(([name, value]) => stringAt(each, 'metadata', 'labels', name) === value),
      ),
    );
  }

  delete(seen: Seen | JsonObject): void {
    const object = this.same(seen);
    if (object === undefined) return;
    const metadata = object['metadata'] as JsonObject;
    if (metadata['deletionTimestamp'] !== undefined) return;
    metadata['deletionTimestamp'] = formatTime(this.now);
    this.edit(object, () => undefined);
  }

  patch(seen: Seen, change: JsonObject): void {
    const object = this.same(seen);
    if (object !== undefined) this.edit(object, () => merge(object, change));
  }

  create(object: Reference, manifest: JsonObject): void {
    if (this.find(object.kind, object.name, object.namespace) !== undefined) return;
    this.put(manifest);
    if (object.kind === Kinds.Job.kind) this.startJob(manifest);
  }

  /** Every controller that runs does its part once. */
  settle(): void {
    for (const object of this.all()) {
      const kept = KEEPERS[String(object['kind'])];
      const isDeleting = stringAt(object, 'metadata', 'deletionTimestamp') !== undefined;
      if (kept === undefined || !isDeleting || this.down.has(kept.by)) continue;
      const finalizers = listAt(object, 'metadata', 'finalizers').filter((each) => each !== kept.finalizer);
      if (mayDelete(object)) this.delete(this.real(object) ?? {});
      if (object['kind'] === 'Namespace') this.emptyNamespace(stringAt(object, 'metadata', 'name') ?? '');
      this.edit(object, () => {
        (object['metadata'] as JsonObject)['finalizers'] = finalizers;
      });
    }
    if (this.heals) for (const object of this.all('Object')) this.apply(object);
    for (const job of this.all('Job')) this.finishJob(job);
  }

  /** provider-kubernetes makes what is missing, and gives what is there the labels of the manifest. */
  private apply(object: JsonObject): void {
    const policies = listAt(object, 'spec', 'managementPolicies');
    const isDeleting = stringAt(object, 'metadata', 'deletionTimestamp') !== undefined;
    const manifest = objectAt(object, 'spec', 'forProvider', 'manifest');
    const isOff = this.down.has('provider-kubernetes') || isDeleting || manifest === undefined;
    if (isOff || !(policies.includes('Create') || policies.includes('*'))) return;
    const real = this.real(object);
    if (real === undefined) {
      this.put(manifest);
      return;
    }
    const metadata = { labels: objectAt(manifest, 'metadata', 'labels') ?? {} };
    const wanted = structuredClone(real);
    merge(wanted, { metadata });
    if (JSON.stringify(wanted) !== JSON.stringify(real)) this.edit(real, () => merge(real, { metadata }));
  }

  /** What an Object stands for. */
  private real(object: JsonObject): JsonObject | undefined {
    const manifest = objectAt(object, 'spec', 'forProvider', 'manifest');
    return manifest === undefined ? undefined : this.objects.get(keyOf(manifest));
  }

  private startJob(job: JsonObject): void {
    const name = stringAt(job, 'metadata', 'name') ?? '';
    this.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `${name}-pod`,
        namespace: stringAt(job, 'metadata', 'namespace') ?? '',
        labels: objectAt(job, 'spec', 'template', 'metadata', 'labels') ?? {},
        ownerReferences: [
          {
            kind: 'Job',
            name,
            uid: stringAt(this.find('Job', name, stringAt(job, 'metadata', 'namespace')), 'metadata', 'uid') ?? '',
          },
        ],
      },
    });
  }

  private finishJob(job: JsonObject): void {
    if (this.down.has('kubelet') || objectAt(job, 'status') !== undefined) return;
    const outcome = this.outcomes.shift() ?? 'Complete';
    if (outcome === 'running') {
      this.outcomes.unshift('running');
      return;
    }
    const reason =
      outcome === 'Failed'
        ? { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' }
        : {};
    if (outcome === 'Failed') this.failed.add(stringAt(job, 'metadata', 'uid') ?? '');
    this.edit(job, () => {
      job['status'] = { conditions: [{ type: outcome, status: 'True', ...reason }] };
    });
  }

  private emptyNamespace(namespace: string): void {
    for (const each of this.all())
      if (stringAt(each, 'metadata', 'namespace') === namespace) this.objects.delete(keyOf(each));
  }

  /** Garbage collection: what the gone object owned. */
  private collect(uid: string): void {
    for (const each of this.all()) {
      const owners = listAt(each, 'metadata', 'ownerReferences').filter(isObject);
      if (owners.some((owner) => owner['uid'] === uid)) this.delete(each);
    }
  }

  /** The object while it is the one that was seen; otherwise the API server answers 404 or 409. */
  private same(seen: Seen | JsonObject): JsonObject | undefined {
    if (!('resourceVersion' in seen)) return this.objects.get(keyOf(seen as JsonObject));
    const { kind, name, namespace = '', uid, resourceVersion } = seen as Seen;
    const object = this.find(kind, name, namespace);
    const metadata = objectAt(object, 'metadata');
    return metadata?.['uid'] === uid && metadata['resourceVersion'] === resourceVersion ? object : undefined;
  }
}

function mayDelete(object: JsonObject): boolean {
  if (object['kind'] !== 'Object') return false;
  const policies = listAt(object, 'spec', 'managementPolicies');
  return policies.length === 0 || policies.includes('*') || policies.includes('Delete');
}

export function keyOf(object: JsonObject): string {
  return `${object['kind']} ${stringAt(object, 'metadata', 'namespace') ?? ''}/${stringAt(object, 'metadata', 'name')}`;
}
