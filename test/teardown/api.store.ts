import { type JsonObject, listAt, objectAt, stringAt } from '../../function/json.ts';
import { merge } from '../core/teardown/merge.ts';

export interface Place {
  /** `/api/v1/namespaces/team-a/configmaps`, or without the namespace for all of them */
  readonly collection: string;
  /** `v1/configmaps` */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: string;
  readonly object: JsonObject;
  readonly version: number;
}

/** What the API server refuses, as a metav1.Status. */
export class Refusal extends Error {
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/** Objects with the API server's rules of versions, finalizers and preconditions. */
export class Store {
  readonly changes: Change[] = [];
  private readonly objects = new Map<string, JsonObject>();
  private readonly listeners = new Set<(change: Change) => void>();
  private version = 1000;

  get now(): number {
    return this.version;
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** All that there is, without what differs from run to run. */
  names(): string[] {
    return [...this.objects.keys()].sort();
  }

  at(resource: string, name: string, namespace?: string): JsonObject | undefined {
    return this.objects.get(keyOf(resource, name, namespace));
  }

  list(resource: string, namespace?: string): JsonObject[] {
    return [...this.objects].flatMap(([key, object]) => {
      const isIn = namespace === undefined || stringAt(object, 'metadata', 'namespace') === namespace;
      return key.startsWith(`${resource} `) && isIn ? [object] : [];
    });
  }

  /** As a person would: creates or replaces, finalizers and deletionTimestamp included. */
  put(resource: string, object: JsonObject): JsonObject {
    const metadata = objectAt(object, 'metadata') ?? {};
    const before = this.at(resource, String(metadata['name']), stringAt(metadata, 'namespace'));
    const uid = metadata['uid'] ?? stringAt(before, 'metadata', 'uid') ?? `uid-${this.version + 1}`;
    return this.write(before === undefined ? 'ADDED' : 'MODIFIED', resource, {
      ...object,
      metadata: { creationTimestamp: '2026-06-01T12:00:00Z', ...metadata, uid },
    });
  }

  create(resource: string, manifest: JsonObject): JsonObject {
    const { name, generateName, ...metadata } = objectAt(manifest, 'metadata') ?? {};
    const finalName = name ?? `${generateName}${this.version}`;
    if (this.at(resource, String(finalName), stringAt(metadata, 'namespace')) !== undefined)
      throw new Refusal(409, 'AlreadyExists', `${resource} "${finalName}" already exists`);
    return this.put(resource, { ...manifest, metadata: { ...metadata, name: finalName } });
  }

  patch(resource: string, place: Place, change: JsonObject): JsonObject {
    const before = this.existing(place);
    this.require(before, objectAt(change, 'metadata') ?? {}, place);
    const after = structuredClone(before);
    const { status, ...rest } = change;
    // A kind with the status subresource takes the status only there, and nothing else there.
    if (place.subresource === 'status') merge(after, status === undefined ? {} : { status });
    else merge(after, resource.endsWith('/platforminstances') || status === undefined ? rest : change);
    if (JSON.stringify(after) === JSON.stringify(before)) return before;
    return this.write('MODIFIED', resource, after);
  }

  delete(resource: string, place: Place, preconditions: JsonObject = {}): JsonObject {
    const before = this.existing(place);
    this.require(before, preconditions, place);
    if (stringAt(before, 'metadata', 'deletionTimestamp') !== undefined) return before;
    const after = structuredClone(before);
    merge(after, { metadata: { deletionTimestamp: '2026-06-02T12:00:00Z' } });
    return this.write('MODIFIED', resource, after);
  }

  /** Without its finalizers an object that is being deleted goes. */
  private write(type: Change['type'], resource: string, object: JsonObject): JsonObject {
    const metadata = { ...objectAt(object, 'metadata'), resourceVersion: String(++this.version) };
    const stored: JsonObject = { ...object, metadata };
    const key = keyOf(
      resource,
      String(stringAt(stored, 'metadata', 'name')),
      stringAt(stored, 'metadata', 'namespace'),
    );
    const isGone =
      stringAt(stored, 'metadata', 'deletionTimestamp') !== undefined &&
      listAt(stored, 'metadata', 'finalizers').length === 0;
    if (isGone) this.objects.delete(key);
    else this.objects.set(key, stored);
    const change: Change = { type: isGone ? 'DELETED' : type, resource, object: stored, version: this.version };
    this.changes.push(change);
    for (const listener of this.listeners) listener(change);
    return stored;
  }

  existing({ resource, name = '', namespace }: Place): JsonObject {
    const object = this.at(resource, name, namespace);
    if (object === undefined) throw new Refusal(404, 'NotFound', `${resource} "${name}" not found`);
    return object;
  }

  private require(object: JsonObject, wanted: JsonObject, { resource, name }: Place): void {
    for (const field of ['uid', 'resourceVersion']) {
      if (wanted[field] !== undefined && wanted[field] !== stringAt(object, 'metadata', field))
        throw new Refusal(409, 'Conflict', `Operation cannot be fulfilled on ${resource} "${name}": ${field} differs`);
    }
  }
}

export function keyOf(resource: string, name: string, namespace?: string): string {
  return `${resource} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
