import { isObject, type JsonObject, listAt, stringAt } from '../../json.ts';
import { Annotation, KEYS, type Key, Label } from '../keys.ts';
import { composedIn } from './found.ts';
import type { Found } from './requests.ts';

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
  const labelled = composedIn(found).flatMap((resource) => {
    const key = keyOf(resource);
    return key === undefined || !carriesUid(resource, uid) ? [] : [{ key, resource }];
  });
  return {
    ours: labelled.filter(({ resource }) => controllerOf(resource) === uid),
    orphaned: labelled.some(({ resource }) => controllerOf(resource) === undefined),
  };
}

export function carriesUid(resource: JsonObject, uid: string): boolean {
  return stringAt(resource, 'metadata', 'labels', Label.InstanceUid) === uid;
}

function keyOf(resource: JsonObject): Key | undefined {
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
