import { formatIssue, type Issue } from '../../api/issues.ts';
import { shortHash } from '../../hash.ts';
import { stringAt } from '../../json.ts';
import { Annotation } from '../keys.ts';
import type { Observed } from '../observe/index.ts';
import type { AppliedRun, Run, RunReason, Runs } from '../observe/memory.ts';
import { someOf } from '../text.ts';
import { backoff } from '../time.ts';
import { failureDeadline } from './failure.ts';
import type { InstallDecision, InstallProblem, RunKind } from './plan.ts';
import { claimUid, hasStarted, isDone } from './runs.ts';
import type { StorageRootDecision } from './storage-root.ts';
import type { TargetDecision } from './target.ts';
import { tenantAuthProblem } from './tenant-auth.ts';
import { decideTenantHostImage, tenantHostProblem, tenantHostRefusal } from './tenant-host.ts';
import { type Wanted, wanted } from './wanted.ts';

/** A run that should be asked for: what it is about, without the token and the clock. */
interface Candidate {
  readonly reason: RunReason;
  readonly attempt: number;
  readonly repair: number;
}

interface Situation {
  readonly observed: Observed;
  readonly target: TargetDecision;
  readonly runs: Runs;
  readonly want: Wanted;
}

export function decideInstall(
  observed: Observed,
  target: TargetDecision,
  storageRoot: StorageRootDecision,
  runs: Runs,
): InstallDecision {
  const { spec } = observed;
  if (spec === undefined) return frozen(runs, { reason: 'InstallFailed', message: specMessage(observed.specIssues) });
  if (storageRoot.problem !== undefined) {
    return frozen(runs, { reason: 'InvalidStorageRoot', message: storageRoot.problem });
  }
  const situation: Situation = { observed, target, runs, want: wanted(spec) };
  const stateVolumeChanged = stateVolumeProblem(observed, runs);
  const candidate = nextRun(situation);
  const held = candidate === undefined ? undefined : heldProblem(situation);
  const isFree = held === undefined && stateVolumeChanged === undefined && target.ready && !isInFlight(situation);
  const isKnown = spec.platform?.tenantAuth === undefined || observed.tenantAuthSecret.kind !== 'pending';
  const begun = candidate !== undefined && ((isFree && isKnown) || observed.preview) ? candidate : undefined;
  const next = begun === undefined ? runs : begin(situation, begun);
  const waiting = begun === undefined ? candidate : undefined;
  return {
    runs: next,
    render: begun !== undefined,
    problem: held ?? runProblem(observed, next),
    active: activity(situation, next, waiting),
    stateVolumeChanged,
    deadlines: deadlines(situation, next),
  };
}

function frozen(runs: Runs, problem: InstallProblem): InstallDecision {
  return { runs, render: false, problem, active: undefined, stateVolumeChanged: undefined, deadlines: [] };
}

function specMessage(issues: readonly Issue[]): string {
  return `Cannot read the spec: ${someOf(issues.map(formatIssue))}`;
}

/** Same inputs as the last attempt, into the same control plane. */
function covers(situation: Situation, run: Run): boolean {
  const { want, target, observed } = situation;
  if (run.version !== want.version || run.hash !== want.hash) return false;
  return !target.resyncNeeded || (run.serviceUid === observed.workloads.serviceUid && run.restart === target.restart.n);
}

function nextRun(situation: Situation): Candidate | undefined {
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

/** A run that the operator has begun stays as it is until it ends. */
function isInFlight(situation: Situation): boolean {
  const { current } = situation.runs;
  if (current === undefined || isDone(situation.runs, current) || current.failed !== undefined) return false;
  return hasStarted(situation.observed, current);
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

/** The operator gives up after its own attempts; only then is it ours to ask again (stack_controller.go). */
function retryAt(observed: Observed, run: Run): number {
  const wait = backoff(run.attempt, observed.settings.retry);
  if (run.failedInWorkspace) return run.startedAt + wait;
  const { stack } = observed;
  if (stack?.stalled === undefined || stack.lastUpdate?.token !== run.token) return Number.POSITIVE_INFINITY;
  return (stack.lastUpdate.finishedAt ?? run.startedAt) + wait;
}

/** The repairs of many instances are spread over a tenth of the interval, each at its own place. */
export function repairAt(observed: Observed, applied: AppliedRun): number {
  const { repair } = observed.settings.intervals;
  const spread = Number.parseInt(shortHash(observed.names.id, 6), 16) % Math.max(1, Math.floor(repair / 10));
  return Math.max(applied.repairedAt ?? 0, applied.finishedAt) + repair + spread;
}

/** Begin a run, or go back to the previous one when the current has not begun and the inputs are the previous ones again. */
function begin(situation: Situation, candidate: Candidate): Runs {
  const { observed, runs, want, target } = situation;
  const { current, previous, applied } = runs;
  const begun = current !== undefined && (hasStarted(observed, current) || current.failed !== undefined);
  if (current !== undefined && !begun && previous !== undefined && covers(situation, previous)) {
    if (previous.failed !== undefined || isDone(runs, previous))
      return { current: previous, previous: undefined, applied };
  }
  const serviceUid = observed.workloads.serviceUid ?? '';
  const restart = target.restart.n;
  const inputs = [
    want.version,
    want.hash,
    serviceUid,
    String(restart),
    String(candidate.repair),
    acceptedVolume(observed),
  ];
  const token = `${tokenName(candidate.reason)}-${shortHash(inputs.join('\n'))}-${candidate.attempt}`;
  if (current?.token === token) return runs;
  const run: Run = {
    token,
    reason: candidate.reason,
    attempt: candidate.attempt,
    startedAt: observed.now,
    generation: observed.identity.generation ?? 0,
    ...want,
    image: decideTenantHostImage(observed, applied).image,
    serviceUid,
    restart,
    claimUid: claimUid(observed),
    repair: candidate.repair,
    failed: undefined,
    failedInWorkspace: false,
  };
  return { current: run, previous: begun || previous === undefined ? current : previous, applied };
}

function tokenName(reason: RunReason): string {
  return reason.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
}

/** What keeps a run that is due from being asked for. */
function heldProblem(situation: Situation): InstallProblem | undefined {
  const { observed, runs } = situation;
  const secret = tenantAuthProblem(observed);
  if (secret !== undefined) return { reason: 'TenantAuthSecretUnavailable', message: secret };
  const image = tenantHostProblem(observed, decideTenantHostImage(observed, runs.applied));
  return image === undefined ? undefined : { reason: 'TenantHostImageUnsupported', message: image };
}

function runProblem(observed: Observed, runs: Runs): InstallProblem | undefined {
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

function activity(situation: Situation, runs: Runs, waiting: Candidate | undefined): InstallDecision['active'] {
  const { current } = runs;
  const isRunning = current !== undefined && !isDone(runs, current) && current.failed === undefined;
  const isFollowing = (run: Run | undefined): boolean => run?.failed !== undefined;
  if (waiting !== undefined) {
    return {
      kind: runKind(waiting, isFollowing(current) || situation.runs.applied === undefined),
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

/** Another volume means a silently empty state: the next run would install everything a second time. */
function stateVolumeProblem(observed: Observed, runs: Runs): string | undefined {
  const known = runs.applied?.claimUid ?? runs.current?.claimUid;
  const uid = claimUid(observed);
  if (known === undefined || uid === undefined || uid === known) return undefined;
  if (runs.current?.claimUid === uid || acceptedVolume(observed) === uid) return undefined;
  return (
    `The state volume claim ${observed.names.composed['stack-state']} was replaced; ` +
    `set annotation ${Annotation.AcceptStateVolume} to ${uid} to install on it`
  );
}

function acceptedVolume(observed: Observed): string {
  return stringAt(observed.identity.annotations, Annotation.AcceptStateVolume) ?? '';
}

function deadlines(situation: Situation, runs: Runs): readonly number[] {
  const { observed } = situation;
  const { current, applied } = runs;
  if (current === undefined) return [];
  if (current.failed !== undefined) return [retryAt(observed, current)].filter(Number.isFinite);
  if (!isDone(runs, current)) return [failureDeadline(observed, current)];
  return applied === undefined ? [] : [repairAt(observed, applied)];
}
