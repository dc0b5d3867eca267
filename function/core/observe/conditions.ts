import { isObject, type Json, listAt, numberAt, stringAt } from '../../json.ts';
import { parseTime } from '../time.ts';

export interface ObservedCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number | undefined;
  readonly lastTransitionTime: number | undefined;
}

export function condition(resource: Json | undefined, type: string): ObservedCondition | undefined {
  for (const entry of listAt(resource, 'status', 'conditions')) {
    if (!isObject(entry) || entry['type'] !== type) continue;
    return {
      status: stringAt(entry, 'status') ?? 'Unknown',
      reason: stringAt(entry, 'reason') ?? '',
      message: stringAt(entry, 'message') ?? '',
      observedGeneration: numberAt(entry, 'observedGeneration'),
      lastTransitionTime: parseTime(stringAt(entry, 'lastTransitionTime')),
    };
  }
  return undefined;
}

/**
 * How a managed resource stands. Its reconciler stamps `Synced` with the generation it saw; a lower one than the
 * resource's own means that the newest spec was not looked at yet, and that nothing else can be believed either
 * (crossplane-runtime pkg/conditions/manager.go).
 */
export type ManagedState =
  | { readonly kind: 'unseen' }
  | { readonly kind: 'stale' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'failing'; readonly message: string; readonly since: number | undefined }
  | { readonly kind: 'synced'; readonly ready: boolean; readonly readyMessage: string };

export function managedState(resource: Json | undefined): ManagedState {
  const synced = condition(resource, 'Synced');
  if (synced === undefined) return { kind: 'unseen' };
  if (synced.reason === 'ReconcilePaused') return { kind: 'paused' };
  const generation = numberAt(resource, 'metadata', 'generation');
  if (generation !== undefined && synced.observedGeneration !== undefined && synced.observedGeneration < generation) {
    return { kind: 'stale' };
  }
  if (synced.status === 'False') {
    return { kind: 'failing', message: synced.message, since: synced.lastTransitionTime };
  }
  if (synced.status !== 'True') return { kind: 'unseen' };
  const ready = condition(resource, 'Ready');
  return { kind: 'synced', ready: ready?.status === 'True', readyMessage: ready?.message ?? '' };
}

/** Errors that only say that something else is not there yet (provider-helm and provider-kubernetes texts). */
const WAITING = [
  /cannot get connection details/,
  /currentContext not set in kubeconfig/,
  /cannot get credentials secret: .*not found/,
  /the object has been modified/,
];

export function isWaiting(message: string): boolean {
  return WAITING.some((pattern) => pattern.test(message));
}

/** The API server does not serve the kind (controller-runtime's NoMatch text, in several wordings). */
export function isKindUnknown(message: string): boolean {
  return /no matches for /.test(message) || /could not find the requested resource/.test(message);
}
