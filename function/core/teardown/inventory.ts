import { isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../json.ts';
import { formatTime } from '../time.ts';
import { lookups } from './lookups.ts';
import { type Found, type Kind, Kinds, type Named, type Request } from './requests.ts';
import { deletesTheRealThing } from './retain.ts';
import { isDeleting } from './view.ts';

/** All that the plan asks for, out of objects that are at hand. */
export function gatherFrom(instance: JsonObject, objects: readonly JsonObject[]): Found {
  const found = new Map<string, JsonObject | undefined | readonly JsonObject[]>();
  for (let asked = lookups(instance, found); asked.length > 0; asked = lookups(instance, found)) {
    for (const request of asked) found.set(request.id, answer(objects, request));
  }
  return found;
}

function answer(objects: readonly JsonObject[], request: Request): JsonObject | undefined | readonly JsonObject[] {
  if ('get' in request) return objects.find((each) => isOfKind(each, request.get) && isNamed(each, request.get));
  const { list } = request;
  return objects.filter(
    (each) =>
      isOfKind(each, list) &&
      (list.namespace === undefined || stringAt(each, 'metadata', 'namespace') === list.namespace) &&
      Object.entries(list.labels).every(([name, value]) => stringAt(each, 'metadata', 'labels', name) === value),
  );
}

function isOfKind(object: JsonObject, { apiVersion, kind }: Kind): boolean {
  return object['apiVersion'] === apiVersion && object['kind'] === kind;
}

export function isNamed(object: JsonObject, { kind, namespace, name }: Named): boolean {
  const own = namedOf(object);
  return own.kind === kind && own.namespace === namespace && own.name === name;
}

export function namedOf(object: JsonObject): Named {
  const namespace = stringAt(object, 'metadata', 'namespace');
  return {
    kind: stringAt(object, 'kind') ?? '',
    ...(namespace === undefined ? {} : { namespace }),
    name: stringAt(object, 'metadata', 'name') ?? '',
  };
}

/** As the API server merges: null takes a field away (RFC 7386). */
export function patched(object: JsonObject, change: JsonObject): JsonObject {
  const after = { ...object };
  for (const [name, value] of Object.entries(change)) {
    const before = after[name];
    if (value === null) delete after[name];
    else after[name] = isObject(value) ? patched(isObject(before) ? before : {}, value) : value;
  }
  return after;
}

export interface Removal {
  readonly left: readonly JsonObject[];
  /** what went with it: what it owned, and what was in it */
  readonly taken: readonly JsonObject[];
}

export function without(objects: readonly JsonObject[], first: JsonObject): Removal {
  const gone = new Set([first]);
  // A set that grows is walked to its end.
  for (const each of gone) for (const other of objects) if (goesWith(other, each)) gone.add(other);
  const [, ...taken] = gone;
  return { left: objects.filter((each) => !gone.has(each)), taken };
}

function goesWith(object: JsonObject, gone: JsonObject): boolean {
  if (mayDelete(gone) && isRealOf(gone, object)) return true;
  const uid = stringAt(gone, 'metadata', 'uid');
  const owners: readonly Json[] = listAt(object, 'metadata', 'ownerReferences');
  if (uid !== undefined && owners.some((owner) => stringAt(owner, 'uid') === uid)) return true;
  const inside = stringAt(object, 'metadata', 'namespace');
  return isOfKind(gone, Kinds.Namespace) && inside !== undefined && inside === stringAt(gone, 'metadata', 'name');
}

/** Whether its provider deletes the real thing with it. */
export function mayDelete(object: JsonObject): boolean {
  return deletesTheRealThing({ kind: namedOf(object).kind, object });
}

/** What an Object stands for; of what a Release installed, the parts that say so. */
function isRealOf(managed: JsonObject, object: JsonObject): boolean {
  const forProvider = objectAt(managed, 'spec', 'forProvider');
  const manifest = objectAt(forProvider, 'manifest');
  if (manifest !== undefined) return isNamed(object, namedOf(manifest));
  const host = stringAt(forProvider, 'namespace');
  return host !== undefined && stringAt(object, 'metadata', 'annotations', 'meta.helm.sh/release-namespace') === host;
}

/** What a provider deletes right now goes too. */
export function withProvidersAtIt(objects: readonly JsonObject[], now: number): readonly JsonObject[] {
  const at = objects.filter((each) => isDeleting(each) && mayDelete(each));
  const metadata = { deletionTimestamp: formatTime(now) };
  return objects.map((each) =>
    !isDeleting(each) && at.some((managed) => isRealOf(managed, each)) ? patched(each, { metadata }) : each,
  );
}
