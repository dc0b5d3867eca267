import { shortHash } from '../../hash.ts';
import type { Run, RunReason, Runs } from '../observe/memory.ts';
import { type Candidate, covers, type Situation } from './next-run.ts';
import { claimUid, hasStarted, isDone } from './runs.ts';
import { acceptedVolume } from './state-volume.ts';
import { decideTenantHostImage } from './tenant-host.ts';

/** Begin a run, or go back to the previous one when the current has not begun and the inputs are the previous ones again. */
export function begin(situation: Situation, candidate: Candidate): Runs {
  const { observed, runs, want, target } = situation;
  const { current, previous, applied } = runs;
  const begun =
    current !== undefined && (hasStarted(observed, current) || current.failed !== undefined || isDone(runs, current));
  if (current !== undefined && !begun && previous !== undefined && covers(situation, previous)) {
    // The other one stays known: the operator may have begun it before it sees that it is taken back.
    if (previous.failed !== undefined || isDone(runs, previous)) {
      return { current: { ...previous, startedAt: observed.now }, previous: current, applied };
    }
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
    // Going back to settings of an earlier run is a new run: its token must not be the one that is applied.
    ...(applied === undefined ? [] : [applied.token]),
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
