import { stringAt } from '../../json.ts';
import { Annotation } from '../keys.ts';
import type { Observed } from '../observe/index.ts';
import type { Runs } from '../observe/memory.ts';
import { claimUid } from './runs.ts';

/** Another volume means a silently empty state: the next run would install everything a second time. */
export function stateVolumeProblem(observed: Observed, runs: Runs): string | undefined {
  const known = knownVolume(runs);
  const uid = claimUid(observed);
  if (known === undefined || uid === undefined || uid === known) return undefined;
  if (runs.current?.claimUid === uid || acceptedVolume(observed) === uid) return undefined;
  return (
    `The state volume claim ${observed.names.composed['stack-state']} was replaced; ` +
    `set annotation ${Annotation.AcceptStateVolume} to ${uid} to install on it`
  );
}

export function acceptedVolume(observed: Observed): string {
  return stringAt(observed.identity.annotations, Annotation.AcceptStateVolume) ?? '';
}

/** Whether it can be said which volume a run would get: only one that was never seen may still be to come. */
export function isVolumeSettled(observed: Observed, runs: Runs): boolean {
  return knownVolume(runs) === undefined || claimUid(observed) !== undefined;
}

function knownVolume(runs: Runs): string | undefined {
  return runs.applied?.claimUid ?? runs.current?.claimUid;
}
