import { isObject, type JsonObject, listAt } from '../../json.ts';
import { isFalse, unknown, type Verdict } from '../fold/verdict.ts';
import { condition } from '../observe/conditions.ts';
import { formatTime } from '../time.ts';
import type { Problems } from './problems.ts';
import type { Stage } from './stage.ts';
import type { View } from './view.ts';

/** The conditions that say something new; those that are not named stay as they are. */
export type Said = ReadonlyMap<string, Verdict>;

/** Reasons that only teardown gives, and takes back when their cause is gone. */
const OWN = new Set(['TargetDeleteFailed', 'UninstallFailed', 'StorageCleanupFailed', 'Deleting']);

export function heldVerdicts(message: string): Said {
  return new Map([['InstanceReady', isFalse('TeardownHeld', message)]]);
}

/** While a target goes nothing can be said of what is in it: Unknown, for those conditions that the instance has. */
export function verdicts(view: View, stage: Stage | undefined, trouble: Problems): Said {
  const said = new Map<string, Verdict>([['InstanceReady', instanceReady(stage, trouble)]]);
  const isGoing = isTargetGoing(view);
  const deleting = unknown('Deleting', 'The instance is being deleted');
  for (const type of ['TargetReady', 'Installed', 'ConfigApplied', 'OwnerServiceProtected']) {
    const before = condition(view.instance, type);
    if (before !== undefined && (isGoing || OWN.has(before.reason))) said.set(type, deleting);
  }
  if (view.policies.length > 0) said.delete('OwnerServiceProtected');
  if (trouble.target !== undefined) said.set('TargetReady', isFalse('TargetDeleteFailed', trouble.target));
  const installed = trouble.install !== undefined ? 'UninstallFailed' : 'StorageCleanupFailed';
  const cause = trouble.install ?? trouble.storage;
  if (cause !== undefined) said.set('Installed', isFalse(installed, cause));
  return said;
}

function instanceReady(stage: Stage | undefined, { target, install, storage }: Problems): Verdict {
  if (target !== undefined) return isFalse('TargetDeleteFailed', target);
  if (install !== undefined) return isFalse('UninstallFailed', install);
  if (stage?.cleaning === true) return isFalse('WaitingForStorageCleanup', stage.awaiting);
  if (storage !== undefined) return isFalse('StorageCleanupFailed', storage);
  return isFalse('Deleting', stage?.awaiting ?? 'The instance is gone');
}

/** Its host Namespace is on its way, or gone after it was noted. */
function isTargetGoing(view: View): boolean {
  if (view.record.retained) return false;
  return view.hostNamespace === undefined ? view.record.host !== undefined : view.hostNamespace.deletedAt !== undefined;
}

/** All conditions of the instance, with what is said laid over them. A condition that says the same keeps its time. */
export function conditionsWith(instance: JsonObject, said: Said, now: number): JsonObject[] {
  const before = listAt(instance, 'status', 'conditions').filter(isObject);
  const kept = before.map((entry) => {
    const verdict = said.get(String(entry['type']));
    return verdict === undefined || isSame(entry, verdict) ? entry : written(String(entry['type']), verdict, now);
  });
  const known = new Set(before.map((entry) => entry['type']));
  const added = [...said].filter(([type]) => !known.has(type)).map(([type, verdict]) => written(type, verdict, now));
  return [...kept, ...added];
}

function isSame(entry: JsonObject, { status, reason, message }: Verdict): boolean {
  return entry['status'] === status && entry['reason'] === reason && entry['message'] === message;
}

function written(type: string, { status, reason, message }: Verdict, now: number): JsonObject {
  return { type, status, reason, message, lastTransitionTime: formatTime(now) };
}
