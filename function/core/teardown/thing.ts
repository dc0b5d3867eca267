import { type JsonObject, listAt, stringAt } from '../../json.ts';
import { parseTime } from '../time.ts';
import { type Kind, titleOf } from './requests.ts';
import type { Seen } from './step.ts';

/** An object together with how it is reached. */
export interface Thing extends Seen {
  readonly object: JsonObject;
  /** when its deletion began, in seconds since 1970; undefined while it is not being deleted */
  readonly deletedAt: number | undefined;
  readonly finalizers: readonly string[];
}

export function thing(kind: Kind, resource: JsonObject): Thing {
  const namespace = stringAt(resource, 'metadata', 'namespace');
  return {
    ...kind,
    ...(namespace === undefined ? {} : { namespace }),
    name: stringAt(resource, 'metadata', 'name') ?? '',
    uid: stringAt(resource, 'metadata', 'uid') ?? '',
    resourceVersion: stringAt(resource, 'metadata', 'resourceVersion') ?? '',
    object: resource,
    deletedAt: parseTime(stringAt(resource, 'metadata', 'deletionTimestamp')),
    finalizers: finalizersOf(resource),
  };
}

export function finalizersOf(resource: JsonObject): readonly string[] {
  return listAt(resource, 'metadata', 'finalizers').filter((each) => typeof each === 'string');
}

/** The order in which they are named and worked on. */
export function sorted(things: readonly Thing[]): readonly Thing[] {
  return [...things].sort((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1));
}
