import type { JsonObject } from '../../json.ts';
import type { Kind, Reference } from './requests.ts';

/** An object that was seen, and how it was seen: a change to it is refused when it is another one by now. */
export interface Seen extends Reference {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** What a failure to do something means for the instance. */
export type Concern = 'target' | 'install' | 'storage';

/** One thing to do to something other than the instance. */
export type Action = {
  readonly concern: Concern;
  /** cannot be taken back: the instance is read again right before it, and must be unchanged */
  readonly irreversible: boolean;
} & (
  | { readonly verb: 'delete'; readonly object: Seen }
  /** a merge patch, sent with the resourceVersion that was seen */
  | { readonly verb: 'patch'; readonly object: Seen; readonly change: JsonObject }
  | { readonly verb: 'create'; readonly object: Reference; readonly manifest: JsonObject }
);

export interface Event {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/**
 * What to do now. The shell does the first of these that is there, then asks again with fresh facts:
 * 1. `status`: a merge patch of the instance's status
 * 2. `metadata`: a merge patch of the instance's metadata (annotations, finalizers)
 * 3. `actions`, one after the other
 * 4. nothing: it waits `againIn` seconds, or for the instance to change when that is undefined
 * Patches of the instance are sent with the resourceVersion that was seen.
 */
export interface Step {
  readonly status: JsonObject | undefined;
  readonly metadata: JsonObject | undefined;
  readonly actions: readonly Action[];
  readonly againIn: number | undefined;
  /** to be posted when `status` was written: they tell what is new in it */
  readonly events: readonly Event[];
  /** failed cleanup Jobs that `metadata` counts for the first time, for metrics */
  readonly cleanupFailures: number;
  /** what is awaited, for the log; undefined when nothing is */
  readonly awaiting: string | undefined;
}

/** A step with nothing to do, for as long as the instance does not change. */
export const NOTHING: Step = {
  status: undefined,
  metadata: undefined,
  actions: [],
  againIn: undefined,
  events: [],
  cleanupFailures: 0,
  awaiting: undefined,
};

/** Something that the shell could not do, by actionKey; kept until it works, so that the status does not change to and fro. */
export interface Failure {
  readonly key: string;
  readonly message: string;
}

export function actionKey({ verb, object }: Action): string {
  return `${verb} ${kindKey(object)} ${object.namespace ?? ''}/${object.name}`;
}

function kindKey({ apiVersion, kind }: Kind): string {
  return `${apiVersion}/${kind}`;
}
