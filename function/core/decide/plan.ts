import type { Key } from '../keys.ts';
import type { Runs } from '../observe/memory.ts';
import type { StorageRootDecision } from './storage-root.ts';
import type { TargetDecision } from './target.ts';

/** Everything that was decided: what compose renders and fold reports. */
export interface Plan {
  readonly target: TargetDecision;
  readonly storageRoot: StorageRootDecision;
  readonly install: InstallDecision;
  /** keys that may be created now; an observed key stays desired whatever this says */
  readonly open: ReadonlySet<Key>;
  /** why nothing is created yet, for the message of phase Pending; undefined when nothing is held */
  readonly held: string | undefined;
  readonly deadlines: readonly number[];
}

/** How a run shows while it is wanted or in flight (row I13 of test/conformance.tsv). */
export type RunKind = 'install' | 'resync' | 'settings' | 'repair' | 'retry';

export interface InstallDecision {
  /** to be written on the Stack; `current` carries the token that the Stack must show */
  readonly runs: Runs;
  /** the Stack and its program are rendered anew in this answer; otherwise both are carried as observed */
  readonly render: boolean;
  /** a failure with a reason of its own */
  readonly problem: InstallProblem | undefined;
  /** a run in flight, or wanted and not begun */
  readonly active: { readonly kind: RunKind; readonly inFlight: boolean } | undefined;
  /** why no run may start on the present state volume */
  readonly stateVolumeChanged: string | undefined;
  readonly deadlines: readonly number[];
}

export interface InstallProblem {
  readonly reason:
    | 'InstallFailed'
    | 'TenantAuthSecretUnavailable'
    | 'TenantHostImageUnsupported'
    | 'InvalidStorageRoot';
  readonly message: string;
}
