import { isObject, type JsonObject, listAt, stringAt } from '../../json.ts';
import { Annotation, KEYS, type Key, Label } from '../keys.ts';
import { instanceId } from '../names.ts';
import { parseTime } from '../time.ts';
import { composedIn } from './found.ts';
import { cleanupJobName } from './job.ts';
import { type Found, type Kind, Kinds } from './requests.ts';

/** The instance, as what belongs to it says it. */
export interface Owner {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** the part of every name that stands for namespace and name */
  readonly id: string;
  readonly createdAt: number | undefined;
}

/** undefined for an object that nothing can belong to. */
export function ownerOf(instance: JsonObject): Owner | undefined {
  const text = (field: string) => stringAt(instance, 'metadata', field);
  const [namespace, name, uid] = [text('namespace'), text('name'), text('uid')];
  if (!namespace || !name || !uid) return undefined;
  return { namespace, name, uid, id: instanceId(namespace, name), createdAt: parseTime(text('creationTimestamp')) };
}

/** A composed resource of this very instance. */
export interface Composed {
  readonly key: Key;
  readonly resource: JsonObject;
}

export interface ComposedFacts {
  readonly ours: readonly Composed[];
  /** somebody took the controller reference away from at least one: `--cascade=orphan` does */
  readonly orphaned: boolean;
}

/** By the controller's UID: what another instance of the same name, another step or a person made is never ours. */
export function composedFacts(found: Found, uid: string): ComposedFacts {
  const keyed = composedIn(found).flatMap((resource) => {
    const key = keyOf(resource);
    return key === undefined ? [] : [{ key, resource }];
  });
  return {
    ours: keyed.filter(({ resource }) => controllerOf(resource) === uid),
    orphaned: keyed.some(({ resource }) => carriesUid(resource, uid) && controllerOf(resource) === undefined),
  };
}

export function carriesUid(resource: JsonObject, uid: string): boolean {
  return stringAt(resource, 'metadata', 'labels', Label.InstanceUid) === uid;
}

/** A label is easily copied, together with all the others: a copy has another name. */
export function isNamedFor(resource: JsonObject, { id }: Owner, key: Key): boolean {
  return stringAt(resource, 'metadata', 'name')?.endsWith(`-${id}-${key}`) === true;
}

/**
 * It carries the UID of another instance and is older than this one: an instance of the same name left it behind, since
 * there are never two at once, and what one of a later day took over is not older.
 */
export function isLeftBehind(resource: JsonObject, { uid, createdAt }: Owner): boolean {
  const label = stringAt(resource, 'metadata', 'labels', Label.InstanceUid);
  const made = parseTime(stringAt(resource, 'metadata', 'creationTimestamp'));
  return !!label && label !== uid && made !== undefined && createdAt !== undefined && made < createdAt;
}

/** By the name, as for all else: what a copied Job does says nothing of the data. */
export function isCleanup({ kind }: Kind, resource: JsonObject, uid: string): boolean {
  const start = cleanupJobName(uid, 0).slice(0, -1);
  const name = stringAt(resource, 'metadata', 'name') ?? '';
  const end = kind === Kinds.Job.kind ? /^\d+$/ : /^\d+-/;
  return name.startsWith(start) && end.test(name.slice(start.length));
}

export function keyOf(resource: JsonObject): Key | undefined {
  const name = stringAt(resource, 'metadata', 'annotations', Annotation.CompositionResourceName);
  return KEYS.find((key) => key === name);
}

function controllerOf(resource: JsonObject): string | undefined {
  const owners = listAt(resource, 'metadata', 'ownerReferences').filter(isObject);
  return stringAt(
    owners.find((owner) => owner['controller'] === true),
    'uid',
  );
}
