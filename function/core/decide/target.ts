import type { Observed } from '../observe/index.ts';
import type { AppliedRun } from '../observe/memory.ts';
import { isSettled } from '../observe/release.ts';
import { decideProbe, type ProbeVerdict } from './probe.ts';
import { decideRelease, type ReleaseDecision, wasEverUp } from './release.ts';
import { decideRestart, isResync, type RestartDecision } from './restart.ts';

export const TARGET_REASONS = [
  'Ready',
  'Creating',
  'ControlPlanePending',
  'KubeconfigPending',
  'KubeconfigMissing',
  'Repairing',
  'RolledBack',
  'Resyncing',
  'TargetUnreachable',
  'TargetError',
] as const;
export type TargetReason = (typeof TARGET_REASONS)[number];

export interface TargetDecision {
  readonly reason: TargetReason;
  readonly message: string;
  /** the target answers right now: a run may start */
  readonly ready: boolean;
  readonly release: ReleaseDecision;
  /** the restart to write, marked done once the target is ready after it */
  readonly restart: RestartDecision;
  readonly probe: ProbeVerdict;
  /** status.target.resync*: shown while a resync runs and the Service is there */
  readonly resync: { readonly serviceUid: string; readonly started: number } | undefined;
  /** the platform must be installed again into a restarted control plane */
  readonly resyncNeeded: boolean;
  readonly deadlines: readonly number[];
}

/** What the rules below look at. */
interface View {
  readonly observed: Observed;
  readonly release: ReleaseDecision;
  readonly restart: RestartDecision;
  readonly probe: ProbeVerdict;
  readonly ready: boolean;
  /** a cause is seen, but the grace period is not over: the previous answer stays */
  readonly inGrace: boolean;
  readonly resync: TargetDecision['resync'];
  readonly resyncing: boolean;
}

/**
 * @param applied the last run that succeeded, as far as this answer knows
 */
export function decideTarget(observed: Observed, applied: AppliedRun | undefined): TargetDecision {
  const release = decideRelease(observed);
  const restart = decideRestart(observed);
  const probe = decideProbe(observed);
  const { serviceUid } = observed.workloads;
  const record = restart.record;
  const isNewer = applied !== undefined && isResync(record) && record.n > applied.restart;
  // A Service that looks replaced is not believed before the grace period is over.
  const isReplaced = applied !== undefined && serviceUid !== undefined && applied.serviceUid !== serviceUid;
  const resyncNeeded = isNewer || (isReplaced && restart.suspect === undefined);
  const ready = isReady(observed, release, restart, probe);
  const view: View = {
    observed,
    release,
    restart,
    probe,
    ready,
    inGrace: restart.suspect !== undefined,
    resync:
      isNewer && record !== undefined && serviceUid !== undefined
        ? { serviceUid: record.serviceUid ?? serviceUid, started: record.started }
        : undefined,
    resyncing: resyncNeeded,
  };
  const answer = firstAnswer(view);
  const done = ready && record !== undefined && !record.done ? { ...record, done: true } : record;
  return {
    reason: answer.reason,
    message: answer.message,
    ready,
    release,
    restart: { ...restart, record: done },
    probe,
    resync: view.resync,
    resyncNeeded,
    deadlines: deadlines(view),
  };
}

/** The API that the probe looks at, as messages and the platform name it. */
export function apiUrl(hostNamespace: string): string {
  return `https://vcluster.${hostNamespace}.svc:443`;
}

function isReady(observed: Observed, release: ReleaseDecision, restart: RestartDecision, probe: ProbeVerdict): boolean {
  const { statefulSet, kubeconfigSecret, serviceUid, known, missing } = observed.workloads;
  if (release.error !== undefined || !known || missing.length > 0 || restart.started) return false;
  if (restart.suspect !== undefined || statefulSet?.rolledOut !== true) return false;
  if ((statefulSet.restart ?? 0) !== restart.n) return false;
  if (kubeconfigSecret === undefined || serviceUid === undefined || kubeconfigSecret.ownerUid !== serviceUid)
    return false;
  return probe.kind === 'good';
}

interface Answer {
  readonly reason: TargetReason;
  readonly message: string;
}

/** The first rule that has an answer gives it. */
const RULES: readonly ((view: View) => Answer | undefined)[] = [
  targetError,
  resyncTooLong,
  rolledBack,
  creating,
  repairing,
  kubeconfigMissing,
  resyncing,
  previousAnswer,
  controlPlanePending,
  kubeconfigPending,
  apiPending,
];

function firstAnswer(view: View): Answer {
  for (const rule of RULES) {
    const answer = rule(view);
    if (answer !== undefined) return answer;
  }
  return { reason: 'Ready', message: `The vCluster API at ${url(view)} answers` };
}

function url(view: View): string {
  return apiUrl(view.observed.hostNamespace.name);
}

function targetError(view: View): Answer | undefined {
  return view.release.error === undefined ? undefined : { reason: 'TargetError', message: view.release.error };
}

function resyncTooLong(view: View): Answer | undefined {
  const { observed, resync, ready } = view;
  if (resync === undefined || ready) return undefined;
  if (observed.now - resync.started <= 3 * observed.settings.intervals.repair) return undefined;
  return {
    reason: 'TargetUnreachable',
    message: `The vCluster API at ${url(view)} did not come back within three repair intervals of a resync`,
  };
}

function rolledBack(view: View): Answer | undefined {
  if (!view.release.rolledBack) return undefined;
  return {
    reason: 'RolledBack',
    message:
      'The last upgrade of the vCluster release was rolled back to the last deployed revision and is tried again',
  };
}

function creating(view: View): Answer | undefined {
  const { observed, restart } = view;
  if (wasEverUp(observed) || observed.workloads.statefulSet !== undefined) return undefined;
  if (restart.record !== undefined && isSettled(observed.release)) return undefined;
  if (observed.hostNamespace.terminating) {
    return { reason: 'Creating', message: `Waiting for host namespace ${observed.hostNamespace.name} to be gone` };
  }
  const managed = observed.release?.managed.kind ?? observed.hostNamespace.object?.managed.kind;
  if (managed === 'paused') return { reason: 'Creating', message: 'The vCluster release is paused' };
  return { reason: 'Creating', message: 'The vCluster release is being installed' };
}

function repairing(view: View): Answer | undefined {
  const { restart, observed } = view;
  const cause = restart.record?.cause ?? '';
  if (!cause.startsWith('missing:') || restart.record?.done === true) return undefined;
  const title = cause.slice('missing:'.length);
  if (!restart.started && !observed.workloads.missing.includes(title)) return undefined;
  return { reason: 'Repairing', message: `${title} of the vCluster release is missing and is being recreated` };
}

function kubeconfigMissing(view: View): Answer | undefined {
  if (!view.restart.started || view.restart.record?.cause !== 'kubeconfig') return undefined;
  return {
    reason: 'KubeconfigMissing',
    message: 'Secret vc-vcluster was deleted; the control plane is restarted to write it again',
  };
}

function resyncing(view: View): Answer | undefined {
  if (!view.resyncing || view.ready || view.inGrace) return undefined;
  return view.observed.probe?.answeredReady === true && isResyncOver(view)
    ? undefined
    : {
        reason: 'Resyncing',
        message: 'The control plane was restarted for a resync and the vCluster API is awaited',
      };
}

/** The target was back already, and only the probe has trouble now: that is a matter of the probe's own rule. */
function isResyncOver(view: View): boolean {
  return view.restart.record?.done === true && view.observed.workloads.statefulSet?.rolledOut === true;
}

/** During a grace period, and until the third failing check, the answer stays what it was. */
function previousAnswer(view: View): Answer | undefined {
  const { observed, probe, restart } = view;
  if (observed.probe?.answeredReady !== true || restart.started) return undefined;
  const inWindow = probe.kind === 'failing' && !probe.unreachable && observed.workloads.statefulSet?.rolledOut === true;
  if (!view.inGrace && !inWindow && observed.workloads.known) return undefined;
  if (view.inGrace && probe.kind === 'failing' && probe.unreachable) return undefined;
  return { reason: 'Ready', message: `The vCluster API at ${url(view)} answers` };
}

function controlPlanePending(view: View): Answer | undefined {
  const { statefulSet } = view.observed.workloads;
  const carried = statefulSet !== undefined && (statefulSet.restart ?? 0) === view.restart.n;
  if (statefulSet?.rolledOut === true && carried) return undefined;
  return { reason: 'ControlPlanePending', message: 'StatefulSet vcluster is not ready' };
}

function kubeconfigPending(view: View): Answer | undefined {
  const { observed } = view;
  const secret = observed.workloads.kubeconfigSecret;
  if (secret === undefined && !view.inGrace) {
    return { reason: 'KubeconfigPending', message: 'Secret vc-vcluster is not written yet' };
  }
  if (observed.probe === undefined && observed.release?.kubeconfig !== true) {
    return {
      reason: 'KubeconfigPending',
      message: `Secret ${observed.names.kubeconfigSecret} has no kubeconfig yet`,
    };
  }
  return undefined;
}

function apiPending(view: View): Answer | undefined {
  const { probe } = view;
  if (probe.kind === 'good' && view.ready) return undefined;
  if (probe.kind === 'failing' && probe.unreachable) {
    return {
      reason: 'TargetUnreachable',
      message: `The vCluster API at ${url(view)} failed 3 consecutive checks: ${probe.cause}`,
    };
  }
  return {
    reason: 'ControlPlanePending',
    message: `Waiting for the vCluster API at ${url(view)} to answer`,
  };
}

function deadlines(view: View): readonly number[] {
  const { observed, probe, resync, ready } = view;
  const { intervals } = observed.settings;
  const due: number[] = [...view.release.deadlines, ...view.restart.deadlines];
  if (probe.kind === 'failing' && probe.since !== undefined && !probe.unreachable)
    due.push(probe.since + 2 * intervals.probe);
  if (resync !== undefined && !ready) due.push(resync.started + 3 * intervals.repair + 1);
  return due;
}
