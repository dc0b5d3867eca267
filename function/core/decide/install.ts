import { formatIssue, type Issue } from '../../api/issues.ts';
import type { Observed } from '../observe/index.ts';
import type { Runs } from '../observe/memory.ts';
import { someOf } from '../text.ts';
import { activity, runProblem } from './activity.ts';
import { begin } from './begin.ts';
import { failureDeadline } from './failure.ts';
import { nextRun, repairAt, retryAt, type Situation } from './next-run.ts';
import type { InstallDecision, InstallProblem } from './plan.ts';
import { isDone, isInFlight } from './runs.ts';
import { isVolumeSettled, stateVolumeProblem } from './state-volume.ts';
import type { StorageRootDecision } from './storage-root.ts';
import type { TargetDecision } from './target.ts';
import { tenantAuthProblem } from './tenant-auth.ts';
import { decideTenantHostImage, tenantHostProblem } from './tenant-host.ts';
import { wanted } from './wanted.ts';

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
  const isFree = held === undefined && stateVolumeChanged === undefined && target.ready && !isInFlight(observed, runs);
  const isSecretKnown = spec.platform?.tenantAuth === undefined || observed.tenantAuthSecret.kind !== 'pending';
  const isKnown = isSecretKnown && isVolumeSettled(observed, runs);
  const begun = candidate !== undefined && ((isFree && isKnown) || observed.preview) ? candidate : undefined;
  const next = begun === undefined ? runs : begin(situation, begun);
  const waiting = begun === undefined ? candidate : undefined;
  return {
    runs: next,
    render: begun !== undefined,
    problem: held ?? runProblem(observed, next),
    active: activity(next, waiting),
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

/** What keeps a run that is due from being asked for. */
function heldProblem(situation: Situation): InstallProblem | undefined {
  const { observed, runs } = situation;
  const secret = tenantAuthProblem(observed);
  if (secret !== undefined) return { reason: 'TenantAuthSecretUnavailable', message: secret };
  const image = tenantHostProblem(observed, decideTenantHostImage(observed, runs.applied));
  return image === undefined ? undefined : { reason: 'TenantHostImageUnsupported', message: image };
}

function deadlines(situation: Situation, runs: Runs): readonly number[] {
  const { observed } = situation;
  const { current, applied } = runs;
  if (current === undefined) return [];
  if (current.failed !== undefined) return [retryAt(observed, current)].filter(Number.isFinite);
  if (!isDone(runs, current)) return [failureDeadline(observed, current)];
  return applied === undefined ? [] : [repairAt(observed, applied)];
}
