import type { Observed } from '../observe/index.ts';
import type { AppliedRun, RestartCause, RestartRecord, Suspect } from '../observe/memory.ts';
import { isSettled } from '../observe/release.ts';
import { OWNER_SERVICE, STATEFUL_SET } from '../observe/workloads.ts';
import { backoff } from '../time.ts';
import { mayRollBack, wasEverUp } from './release.ts';

export interface RestartDecision {
  /** restart counter that the control plane's pods must carry */
  readonly n: number;
  readonly record: RestartRecord | undefined;
  /** the restart is asked for in this very answer */
  readonly started: boolean;
  readonly suspect: Suspect | undefined;
  readonly deadlines: readonly number[];
}

/** The last run that succeeded, from the Stack, else from the host Namespace. */
export function appliedRun(observed: Observed): AppliedRun | undefined {
  return observed.stack?.runs?.applied ?? observed.hostNamespace.memory.applied;
}

/**
 * The control plane is restarted once per cause: a cause must have been seen for a whole grace period (Crossplane's
 * caches lag), and the last restart must have settled. The same observation always gives the same counter.
 */
export function decideRestart(observed: Observed): RestartDecision {
  const { release, workloads, now, settings } = observed;
  const record = release?.restart;
  const n = record?.n ?? workloads.statefulSet?.restart ?? observed.hostNamespace.memory.restart ?? 0;
  const unchanged = { n, record, started: false, deadlines: [] };
  if (release === undefined || !workloads.known || observed.preview) {
    return { ...unchanged, suspect: release?.suspect };
  }
  const cause = causeSeen(observed, record, n);
  if (cause === undefined) return { ...unchanged, suspect: undefined };
  const suspect = release.suspect?.cause === cause ? release.suspect : { cause, since: now };
  const due = Math.max(suspect.since + settings.intervals.grace, settledAt(observed, record));
  if (now < due) return { ...unchanged, suspect, deadlines: [due] };
  const repeated = record !== undefined && !record.done && record.cause === cause;
  return {
    n: n + 1,
    record: {
      n: n + 1,
      cause,
      serviceUid: workloads.serviceUid,
      started: now,
      revision: release.revision,
      attempt: repeated && record.serviceUid === workloads.serviceUid ? record.attempt + 1 : 0,
      done: false,
    },
    started: true,
    suspect: undefined,
    deadlines: [],
  };
}

function settledAt(observed: Observed, record: RestartRecord | undefined): number {
  if (record === undefined || record.done) return 0;
  return record.started + backoff(record.attempt, observed.settings.retry);
}

function causeSeen(observed: Observed, record: RestartRecord | undefined, n: number): RestartCause | undefined {
  const { release, workloads } = observed;
  const { missing, statefulSet } = workloads;
  if (release?.managed.kind === 'synced' && release.state === 'failed' && !mayRollBack(observed)) return 'failed';
  const carried = statefulSet === undefined || (statefulSet.restart ?? 0) === n;
  const isNewRevision = (release?.revision ?? 0) > (record?.revision ?? 0);
  if (missing.length > 0) {
    if (!isSettled(release) || !isNewRevision || !carried) return undefined;
    return `missing:${missing.includes(OWNER_SERVICE) ? OWNER_SERVICE : (missing[0] ?? STATEFUL_SET)}`;
  }
  if (statefulSet === undefined || !statefulSet.rolledOut || !carried) return undefined;
  if (workloads.kubeconfigSecret === undefined) return wasEverUp(observed) ? 'kubeconfig' : undefined;
  return workloads.kubeconfigSecret.ownerUid === workloads.serviceUid ? undefined : 'owner';
}

/** A restart after which the platform must be installed again: what the syncer had made is gone. */
export function isResync(record: RestartRecord | undefined): record is RestartRecord {
  if (record === undefined) return false;
  return record.cause === 'owner' || record.cause === 'kubeconfig' || record.cause === `missing:${OWNER_SERVICE}`;
}
