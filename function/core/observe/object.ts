import { type JsonObject, objectAt } from '../../json.ts';
import type { ObservedResource } from '../../wire/messages.ts';
import { type ManagedState, managedState } from './conditions.ts';

/** A provider-kubernetes Object. `live` is the object inside it, undefined unless the provider vouches for it now. */
export interface ObjectFacts {
  readonly resource: JsonObject;
  readonly managed: ManagedState;
  readonly live: JsonObject | undefined;
}

/**
 * status.atProvider.manifest stays as it was on any error and when the object is gone, so it is believed only with
 * Synced True (provider-kubernetes internal/controller/namespaced/object/object.go).
 */
export function objectFacts(observed: ObservedResource | undefined): ObjectFacts | undefined {
  if (observed === undefined) return undefined;
  const managed = managedState(observed.resource);
  return {
    resource: observed.resource,
    managed,
    live: managed.kind === 'synced' ? objectAt(observed.resource, 'status', 'atProvider', 'manifest') : undefined,
  };
}

export function isObjectReady(facts: ObjectFacts | undefined): boolean {
  return facts?.managed.kind === 'synced' && facts.managed.ready;
}
