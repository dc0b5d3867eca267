import type { JsonObject } from '../../json.ts';
import { titleOf } from './requests.ts';
import type { Action, Concern, Seen } from './step.ts';
import type { Thing } from './thing.ts';
import { settingsIn, type View } from './view.ts';

/** The part of the plan that the instance is at: what to do for it, or what is awaited. */
export interface Stage {
  /** a sentence for the condition and the log */
  readonly awaiting: string;
  readonly actions?: readonly Action[];
  /** a merge patch of the instance's metadata, before any action */
  readonly metadata?: JsonObject;
  /** when something will have to be done or said, in seconds since 1970 */
  readonly deadline?: number;
  /** a cleanup Job or its pod is there */
  readonly cleaning?: boolean;
  /** to be written before anything is said: what it is read from may go at any moment */
  readonly urgent?: boolean;
  /** an Event that tells its user what he may not expect */
  readonly notice?: string;
  /** failed cleanup Jobs that `metadata` counts */
  readonly failures?: number;
}

/** undefined when there is nothing left to do for it */
export type StageOf = (view: View) => Stage | undefined;

/** Messages hold no counts that change (S08). */
const NAMED_AT_MOST = 3;

export function gone(things: readonly Thing[]): string {
  const titles = things.map(titleOf).sort();
  const others = titles.length > NAMED_AT_MOST ? ' and others' : '';
  return `Waiting for ${titles.slice(0, NAMED_AT_MOST).join(', ')}${others} to be gone`;
}

/** Deletes what is not being deleted yet. Without a name a deletion would mean the whole collection. */
export function deletions(things: readonly Thing[], concern: Concern, irreversible: boolean): readonly Action[] {
  return things
    .filter(({ name, deletedAt }) => name !== '' && deletedAt === undefined)
    .map((thing) => ({ verb: 'delete', object: seen(thing), concern, irreversible }));
}

/** How long an object may take to go before that is a failure; undefined while settings cannot be read. */
export function lateAt(view: View, thing: Thing | undefined): number | undefined {
  const deadline = settingsIn(view)?.intervals.deletionDeadline;
  return thing?.deletedAt === undefined || deadline === undefined ? undefined : thing.deletedAt + deadline;
}

export function isLate(view: View, thing: Thing | undefined): boolean {
  const at = lateAt(view, thing);
  return at !== undefined && at <= view.now;
}

/** The next moment at which one of them counts as late. */
export function nextLate(view: View, things: readonly Thing[]): number | undefined {
  const [next] = things
    .flatMap((each) => lateAt(view, each) ?? [])
    .filter((time) => time > view.now)
    .sort((a, b) => a - b);
  return next;
}

export function waiting(view: View, things: readonly Thing[], actions: readonly Action[] = []): Stage {
  const deadline = nextLate(view, things);
  return { awaiting: gone(things), actions, ...(deadline === undefined ? {} : { deadline }) };
}

export function seen({ apiVersion, kind, resource, namespace, name, uid, resourceVersion }: Seen): Seen {
  return { apiVersion, kind, resource, ...(namespace === undefined ? {} : { namespace }), name, uid, resourceVersion };
}
