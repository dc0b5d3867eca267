import { type Json, type JsonObject, numberAt, objectAt, stringAt } from '../../json.ts';
import type { ObservedResource } from '../../wire/messages.ts';
import { Annotation } from '../keys.ts';
import { parseTime } from '../time.ts';
import { condition } from './conditions.ts';
import { type Runs, readAnnotation, readRuns } from './memory.ts';
import { type Lookup, resourceOf } from './workloads.ts';

/** What the Pulumi operator shows of the Stack (operator/api/pulumi/shared/stack_types.go, v2). */
export interface StackFacts {
  readonly resource: JsonObject;
  readonly runs: Runs | undefined;
  readonly lastUpdate: UpdateFacts | undefined;
  /** reconcileRequest of the update that runs now */
  readonly currentUpdateToken: string | undefined;
  readonly stalled: { readonly reason: string; readonly message: string } | undefined;
  readonly outputs: { readonly kubernetes: string | undefined; readonly http: string | undefined };
  readonly deleting: boolean;
}

export interface UpdateFacts {
  readonly token: string | undefined;
  readonly succeeded: boolean;
  readonly message: string;
  readonly finishedAt: number | undefined;
}

export function stackFacts(observed: ObservedResource | undefined, workspace: Lookup): StackFacts | undefined {
  if (observed === undefined) return undefined;
  const { resource } = observed;
  const status = objectAt(resource, 'status');
  const outputs = objectAt(status, 'outputs', 'endpoints');
  return {
    resource,
    runs: readRuns(readAnnotation(resource, Annotation.Runs)),
    lastUpdate: updateFacts(objectAt(status, 'lastUpdate')),
    currentUpdateToken: stringAt(status, 'currentUpdate', 'reconcileRequest'),
    stalled: stalled(resource, resourceOf(workspace)),
    outputs: { kubernetes: stringAt(outputs, 'kubernetes'), http: stringAt(outputs, 'http') },
    deleting: stringAt(resource, 'metadata', 'deletionTimestamp') !== undefined,
  };
}

function updateFacts(update: JsonObject | undefined): UpdateFacts | undefined {
  const state = stringAt(update, 'state');
  if (state !== 'succeeded' && state !== 'failed') return undefined;
  const type = stringAt(update, 'type') ?? 'up';
  return {
    token: stringAt(update, 'reconcileRequest'),
    succeeded: state === 'succeeded' && type === 'up',
    message: stringAt(update, 'message') ?? '',
    finishedAt: parseTime(stringAt(update, 'lastResyncTime')),
  };
}

/**
 * The Stack keeps showing WorkspaceFailed of an earlier Workspace generation until the new one is initialised, so that
 * reason counts only while the Workspace says it of its present generation (stack_controller.go, workspace_controller.go).
 */
function stalled(stack: JsonObject, workspace: Json | undefined): StackFacts['stalled'] {
  const shown = condition(stack, 'Stalled');
  if (shown === undefined || shown.status !== 'True') return undefined;
  if (shown.reason !== 'WorkspaceFailed' && shown.reason !== 'PulumiVersionTooLow') return shown;
  if (!hasSeenAll(stack)) return undefined;
  if (workspace === undefined) return shown;
  const own = condition(workspace, 'Stalled');
  if (own === undefined || own.status !== 'True') return undefined;
  const generation = numberAt(workspace, 'metadata', 'generation');
  const isOld = generation !== undefined && own.observedGeneration !== undefined && own.observedGeneration < generation;
  return isOld ? undefined : shown;
}

/** The operator writes down which spec and which token it has looked at; what it says of older ones is not of the newest run. */
function hasSeenAll(stack: JsonObject): boolean {
  const seen = numberAt(stack, 'status', 'observedGeneration');
  const generation = numberAt(stack, 'metadata', 'generation');
  if (seen !== undefined && generation !== undefined && seen < generation) return false;
  const token = stringAt(stack, 'status', 'observedReconcileRequest');
  return token === undefined || token === stringAt(stack, 'metadata', 'annotations', Annotation.ReconciliationRequest);
}
