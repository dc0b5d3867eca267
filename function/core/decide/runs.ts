import type { Observed } from '../observe/index.ts';
import type { AppliedRun, Run, Runs } from '../observe/memory.ts';
import { runFailure } from './failure.ts';
import { appliedRun } from './restart.ts';

/** The runs as remembered, brought up to date with what the Pulumi operator says of them. */
export function learnRuns(observed: Observed): Runs {
  const { stack } = observed;
  const remembered = stack?.runs;
  const applied = appliedRun(observed);
  if (stack === undefined || remembered === undefined) return { current: undefined, previous: undefined, applied };
  const succeeded = [remembered.current, remembered.previous].find(
    (run) => run !== undefined && isSuccess(observed, run),
  );
  const learned = succeeded === undefined ? applied : promote(observed, succeeded, applied);
  const current = remembered.current === undefined ? undefined : learnCurrent(observed, remembered.current);
  return { current, previous: remembered.previous, applied: learned };
}

function isSuccess(observed: Observed, run: Run): boolean {
  const update = observed.stack?.lastUpdate;
  return update?.token === run.token && update.succeeded;
}

/** A run that succeeded after it had failed is a Retry, also when the operator itself tried again. */
function promote(observed: Observed, run: Run, applied: AppliedRun | undefined): AppliedRun {
  if (applied?.token === run.token && run.failed === undefined) return applied;
  const { stack, now } = observed;
  const finishedAt = stack?.lastUpdate?.finishedAt ?? now;
  const isRepair = run.repair > (applied?.repair ?? 0);
  const isRetry = run.failed !== undefined && run.reason !== 'Resync';
  return {
    ...run,
    reason: isRetry ? 'Retry' : run.reason,
    failed: undefined,
    failedInWorkspace: false,
    claimUid: run.claimUid ?? claimUid(observed),
    finishedAt,
    repairedAt: isRepair || (isRetry && isRepeatedRepair(run, applied)) ? finishedAt : applied?.repairedAt,
    kubernetesEndpoint: stack?.outputs.kubernetes,
    httpEndpoint: stack?.outputs.http,
  };
}

/** The same token can fail after it succeeded, when the operator runs it again by itself. */
function isRepeatedRepair(run: Run, applied: AppliedRun | undefined): boolean {
  return applied?.token === run.token && run.reason === 'RepairDue';
}

function learnCurrent(observed: Observed, run: Run): Run {
  if (isSuccess(observed, run)) return { ...run, failed: undefined, failedInWorkspace: false };
  const failure = runFailure(observed, run);
  const known = run.claimUid === undefined ? { ...run, claimUid: claimUid(observed) } : run;
  if (failure === undefined) return known;
  return { ...known, failed: failure.message, failedInWorkspace: failure.inWorkspace };
}

/** UID of the state volume's claim, undefined while it is not known. */
export function claimUid(observed: Observed): string | undefined {
  const metadata = observed.stateClaim?.live?.['metadata'];
  const uid =
    typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? metadata['uid'] : undefined;
  return typeof uid === 'string' ? uid : undefined;
}

/** The operator has begun an update for the run. */
export function hasStarted(observed: Observed, run: Run): boolean {
  const { stack } = observed;
  return stack?.currentUpdateToken === run.token || stack?.lastUpdate?.token === run.token;
}

export function isDone(runs: Runs, run: Run): boolean {
  return runs.applied?.token === run.token && run.failed === undefined;
}
