import type { Observed } from '../observe/index.ts';
import type { Run, RunReason, Runs } from '../observe/memory.ts';
import type { Candidate } from './next-run.ts';
import type { InstallDecision, InstallProblem, RunKind } from './plan.ts';
import { isDone } from './runs.ts';
import { tenantHostRefusal } from './tenant-host.ts';

/** The failure that stands, if one does. */
export function runProblem(observed: Observed, runs: Runs): InstallProblem | undefined {
  const { current, previous } = runs;
  if (current === undefined || isDone(runs, current)) return undefined;
  const failed = current.failed !== undefined ? current : repeated(current, previous);
  if (failed?.failed === undefined) return undefined;
  const refusal = tenantHostRefusal(observed, failed, failed.failed);
  if (refusal !== undefined) return { reason: 'TenantHostImageUnsupported', message: refusal };
  return { reason: 'InstallFailed', message: failed.failed };
}

/** While a retry is in flight the last failure still stands. */
function repeated(current: Run, previous: Run | undefined): Run | undefined {
  return current.attempt > 0 ? previous : undefined;
}

/** A run in flight, or wanted and not begun. */
export function activity(runs: Runs, waiting: Candidate | undefined): InstallDecision['active'] {
  const { current } = runs;
  const isRunning = current !== undefined && !isDone(runs, current) && current.failed === undefined;
  const isFollowing = (run: Run | undefined): boolean => run?.failed !== undefined;
  if (waiting !== undefined) {
    return {
      kind: runKind(waiting, isFollowing(current) || runs.applied === undefined),
      inFlight: isRunning,
    };
  }
  if (!isRunning) return undefined;
  return {
    kind: runKind(current, isFollowing(runs.previous) && runs.previous?.token !== runs.applied?.token),
    inFlight: true,
  };
}

const KINDS: { readonly [reason in RunReason]: RunKind } = {
  FirstInstall: 'install',
  VersionChanged: 'install',
  SpecChanged: 'settings',
  Resync: 'resync',
  Retry: 'retry',
  RepairDue: 'repair',
};

function runKind(run: { readonly reason: RunReason; readonly attempt: number }, followsFailure: boolean): RunKind {
  const kind = KINDS[run.reason];
  return kind === 'settings' && followsFailure ? 'install' : kind;
}
