import { shortHash } from '../../hash.ts';
import type { Observed } from '../observe/index.ts';
import type { AppliedRun, Run, RunReason, Runs } from '../observe/memory.ts';
import { backoff } from '../time.ts';
import { failureDeadline } from './failure.ts';
import { isDone } from './runs.ts';
import type { TargetDecision } from './target.ts';
import type { Wanted } from './wanted.ts';

/** A run that should be asked for: what it is about, without the token and the clock. */
export interface Candidate {
  readonly reason: RunReason;
  readonly attempt: number;
  readonly repair: number;
}

/** What a run is decided from. */
export interface Situation {
  readonly observed: Observed;
  readonly target: TargetDecision;
  readonly runs: Runs;
  readonly want: Wanted;
}

/** Same inputs as the last attempt, into the same control plane. */
export function covers(situation: Situation, run: Run): boolean {
  const { want, target, observed } = situation;
  if (run.version !== want.version || run.hash !== want.hash) return false;
  return !target.resyncNeeded || (run.serviceUid === observed.workloads.serviceUid && run.restart === target.restart.n);
}

export function nextRun(situation: Situation): Candidate | undefined {
  const { observed, target, runs, want } = situation;
  const { current, applied } = runs;
  const isChange = current === undefined || !covers(situation, current);
  if (isChange) return changed(situation);
  if (current.failed === undefined && !isDone(runs, current)) return undefined;
  if (current.failed !== undefined) {
    if (observed.now < retryAt(observed, current)) return undefined;
    const reason = applied !== undefined && target.resyncNeeded ? 'Resync' : 'Retry';
    return { reason, attempt: current.attempt + 1, repair: current.repair };
  }
  if (applied === undefined || want.version !== applied.version || observed.preview) return undefined;
  if (observed.now < repairAt(observed, applied)) return undefined;
  return { reason: 'RepairDue', attempt: 0, repair: applied.repair + 1 };
}

function changed(situation: Situation): Candidate {
  const { target, runs, want } = situation;
  const { current, applied } = runs;
  const repair = applied?.repair ?? 0;
  const differs = (key: 'version' | 'hash'): boolean =>
    applied?.[key] !== want[key] || (current !== undefined && current[key] !== want[key]);
  if (applied === undefined) return { reason: 'FirstInstall', attempt: 0, repair };
  if (target.resyncNeeded) return { reason: 'Resync', attempt: 0, repair };
  if (differs('version')) return { reason: 'VersionChanged', attempt: 0, repair };
  if (differs('hash')) return { reason: 'SpecChanged', attempt: 0, repair };
  return { reason: 'RepairDue', attempt: 0, repair: repair + 1 };
}

/**
 * The operator gives up after its own attempts; only then is it ours to ask again (stack_controller.go). When its last
 * update is another run's, as after a restore from a backup, nothing says so any more and time has to.
 */
export function retryAt(observed: Observed, run: Run): number {
  const wait = backoff(run.attempt, observed.settings.retry);
  if (run.failedInWorkspace) return run.startedAt + wait;
  const { stack } = observed;
  if (stack?.lastUpdate?.token !== run.token) return Math.max(run.startedAt + wait, failureDeadline(observed, run));
  if (stack.stalled === undefined) return Number.POSITIVE_INFINITY;
  return (stack.lastUpdate.finishedAt ?? run.startedAt) + wait;
}

/** The repairs of many instances are spread over a tenth of the interval, each at its own place. */
export function repairAt(observed: Observed, applied: AppliedRun): number {
  const { repair } = observed.settings.intervals;
  const spread = Number.parseInt(shortHash(observed.names.id, 6), 16) % Math.max(1, Math.floor(repair / 10));
  return Math.max(applied.repairedAt ?? 0, applied.finishedAt) + repair + spread;
}
