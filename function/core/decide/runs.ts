import type { Observed } from '../observe/index.ts';
import type { AppliedRun, Run, Runs } from '../observe/memory.ts';
import { failureDeadline, runFailure } from './failure.ts';
import { appliedRun } from './restart.ts';
import { settingsHash } from './wanted.ts';

/** The runs as remembered, brought up to date with what the Pulumi operator says of them. */
export function learnRuns(observed: Observed): Runs {
  const { stack } = observed;
  const remembered = stack?.runs;
  const applied = appliedRun(observed);
  if (stack === undefined || remembered === undefined) {
    return { current: undefined, previous: undefined, applied: atNewestGeneration(observed, applied) };
  }
  const succeeded = [remembered.current, remembered.previous].find(
    (run) => run !== undefined && isSuccess(observed, run),
  );
  const learned = succeeded === undefined ? applied : promote(observed, succeeded, applied);
  const current = remembered.current === undefined ? undefined : learnCurrent(observed, remembered.current, learned);
  return { current, previous: remembered.previous, applied: atNewestGeneration(observed, learned) };
}

/** The newest generation whose settings are the applied ones: Crossplane moves the generation by itself. */
function atNewestGeneration(observed: Observed, applied: AppliedRun | undefined): AppliedRun | undefined {
  const { spec, identity } = observed;
  if (applied === undefined || spec === undefined || identity.generation === undefined) return applied;
  const isSame = settingsHash(spec.platform) === applied.hash;
  return isSame ? { ...applied, generation: identity.generation } : applied;
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

function learnCurrent(observed: Observed, run: Run, applied: AppliedRun | undefined): Run {
  if (isSuccess(observed, run)) return { ...run, failed: undefined, failedInWorkspace: false };
  const known = { ...run, claimUid: run.claimUid ?? applied?.claimUid ?? claimUid(observed) };
  // A run that is applied is over: only an update of its own can say that it failed after all.
  const isOver = applied?.token === run.token && observed.stack?.lastUpdate?.token !== run.token;
  const failure = isOver ? undefined : runFailure(observed, run);
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

/**
 * An update runs, the first of its run or the operator's own next attempt. Any change of the Stack's spec replaces the pod
 * under it (workspace_controller.go), so it is left alone until it ends or counts as hung.
 */
export function isInFlight(observed: Observed, runs: Runs): boolean {
  const token = observed.stack?.currentUpdateToken;
  const running = [runs.current, runs.previous].find((run) => run !== undefined && run.token === token);
  return running !== undefined && observed.now < failureDeadline(observed, running);
}
