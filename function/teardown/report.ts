import type { Action, Step } from '../core/teardown/step.ts';
import type { JsonObject } from '../json.ts';
import { describeDefect, type Logger } from '../server/log.ts';
import type { Result } from './act.ts';
import { createChanges } from './changes.ts';
import { ApiError } from './errors.ts';
import { type Item, keyOf } from './item.ts';
import type { TeardownMetrics } from './metrics.ts';

/** Tells of the work on one instance: what was done, and what is new. Never what an object holds. */
export interface Report {
  readonly planned: (step: Step) => void;
  readonly acted: (action: Action, ended: Result) => void;
  readonly patched: (metadata: JsonObject, cleanupFailures: number) => void;
  /** something did not go as it was meant to, and nobody has to care */
  readonly aside: (message: string, error?: unknown) => void;
  readonly failed: (errors: readonly unknown[]) => void;
  /** nothing fails any more */
  readonly settled: () => void;
}

const DONE: Readonly<Record<Action['verb'], string>> = { delete: 'deleted', patch: 'patched', create: 'created' };

export function createReport(item: Item, log: Logger, metrics: TeardownMetrics): Report {
  const instance = keyOf(item);
  const failures = createChanges();
  const waits = createChanges();
  return {
    planned({ awaiting }) {
      if (awaiting !== undefined) waits.say(awaiting, () => log.info({ instance, awaiting }, 'awaiting'));
    },
    acted(action, { result }) {
      metrics.acted(action, result);
      const { kind, namespace, name } = action.object;
      const line = { verb: action.verb, kind, namespace, name, instance };
      if (result === 'done') log.info(line, DONE[action.verb]);
      else log.debug({ ...line, result }, 'not done');
    },
    patched(metadata, cleanupFailures) {
      if (cleanupFailures > 0) metrics.cleanupsFailed(cleanupFailures);
      const { namespace, name } = item;
      const parts = Object.keys(metadata);
      log.info({ verb: 'patch', kind: 'PlatformInstance', namespace, name, instance, parts }, DONE.patch);
    },
    aside: (message, error) =>
      log.debug({ instance, ...(error === undefined ? {} : { cause: causeOf(error) }) }, message),
    failed(errors) {
      const cause = errors.map(causeOf).join('; ');
      const defect = errors.find((error) => !(error instanceof ApiError));
      failures.say(cause, () => {
        if (defect === undefined) log.warn({ instance, cause }, 'cannot go on, trying again');
        else log.error({ instance, cause, ...describeDefect(defect) }, 'cannot go on, trying again');
      });
    },
    settled() {
      if (failures.clear()) log.info({ instance }, 'going on');
    },
  };
}

/** The text of an unexpected error may quote an object. */
function causeOf(error: unknown): string {
  return error instanceof ApiError ? error.sentence() : 'internal error';
}
