import { createHash } from 'node:crypto';
import { type Logger, pino } from 'pino';
import type { Call } from './answer.ts';

export type { Logger };

/** JSON lines on standard error: standard output belongs to what commands print. */
export function createLog(debug: boolean): Logger {
  return pino(
    {
      level: debug ? 'debug' : 'info',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}

/** Quiet at info: calls come by the thousand. Nothing of a request is logged but the names of its composite resource. */
export function logCall(log: Logger, call: Call): void {
  if (call.defect !== undefined) {
    log.error({ ...subjectOf(call), ...describeDefect(call.defect) }, 'cannot compose the instance');
  }
  if (!log.isLevelEnabled('debug')) return;
  log.debug(
    {
      ...subjectOf(call),
      outcome: call.outcome,
      milliseconds: Math.round(call.milliseconds * 100) / 100,
      requestBytes: call.requestBytes,
      responseBytes: call.responseBytes,
    },
    'answered',
  );
}

function subjectOf({ tag, namespace, name }: Call) {
  return { tag: tagHash(tag), namespace, name };
}

/** A tag is text of the caller's choice. */
function tagHash(tag: string): string {
  return createHash('sha256').update(tag).digest('hex').slice(0, 12);
}

/** An error's own text may quote the request, so only its name and its frames are told. */
export function describeDefect(defect: unknown): { readonly error: string; readonly frames: readonly string[] } {
  if (!(defect instanceof Error)) return { error: typeof defect, frames: [] };
  const frames = (defect.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { error: defect.name, frames: frames.map((frame) => frame.trim()) };
}
