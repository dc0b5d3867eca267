import type { Observed } from '../observe/index.ts';
import type { Run } from '../observe/memory.ts';
import { oneLine } from '../text.ts';
import { formatDuration } from '../time.ts';

/** How a run failed: the message that conditions show, and whether a retry needs a new workspace pod. */
export interface RunFailure {
  readonly message: string;
  readonly inWorkspace: boolean;
}

/** How many start deadlines an update may run before it counts as hung. */
const UPDATE_DEADLINES = 6;

export function runFailure(observed: Observed, run: Run): RunFailure | undefined {
  const { stack, now } = observed;
  if (stack === undefined) return undefined;
  const isLate = now >= failureDeadline(observed, run);
  const update = stack.lastUpdate;
  if (update?.token === run.token) {
    if (update.succeeded) return undefined;
    if (isLate && isRunning(observed, run)) return late(observed, run);
    const isLocked = /locked by/.test(update.message);
    return { message: failed(run, 'pulumi up', updateCause(update.message)), inWorkspace: isLocked };
  }
  if (stack.stalled !== undefined && stack.stalled.reason !== 'UpdateFailed') {
    return { message: failed(run, stalledStep(stack.stalled.message), stalledCause(stack.stalled)), inWorkspace: true };
  }
  return isLate ? late(observed, run) : undefined;
}

/** When an unfinished run will count as failed. Updates come one at a time: it cannot begin before the last one has ended. */
export function failureDeadline(observed: Observed, run: Run): number {
  const free = observed.stack?.lastUpdate?.finishedAt ?? 0;
  return Math.max(run.startedAt, free) + timeLimit(observed, run);
}

function isRunning(observed: Observed, run: Run): boolean {
  return observed.stack?.currentUpdateToken === run.token;
}

function timeLimit(observed: Observed, run: Run): number {
  return observed.settings.intervals.startDeadline * (isRunning(observed, run) ? UPDATE_DEADLINES : 1);
}

function late(observed: Observed, run: Run): RunFailure {
  const step = isRunning(observed, run) ? 'pulumi up' : 'workspace start';
  const what = isRunning(observed, run) ? 'it has not finished' : 'the workspace did not start';
  const limit = formatDuration(timeLimit(observed, run));
  const pod = `${observed.names.composed['platform-stack']}-workspace-0`;
  return { message: failed(run, step, `${what} within ${limit}; look at pod ${pod}`), inWorkspace: true };
}

function failed(run: Run, step: string, cause: string): string {
  return `Cannot install platform ${run.version}: ${step} failed: ${cause}`;
}

function stalledStep(message: string): string {
  if (message.startsWith('InstallationFailed')) return 'npm install';
  if (message.startsWith('InitializationFailed')) return 'stack setup';
  return 'workspace start';
}

function stalledCause(stalled: { readonly reason: string; readonly message: string }): string {
  const text = stalled.message.replace(/^(InstallationFailed|InitializationFailed): /, '');
  return oneLine(text === '' ? stalled.reason : text);
}

/** Pulumi's automation errors carry code, stdout and stderr; the diagnostics' own lines say what went wrong. */
function updateCause(message: string): string {
  const lines = message.split('\n').map((line) => line.trim());
  const errors = lines.filter((line) => /^(?:-\s*)?(?:error|Error)\b.*?: ?\S/.test(line));
  const cause = [...new Set(errors.map((line) => line.replace(/^(?:-\s*)?error: ?/, '')))].slice(0, 3).join('; ');
  if (cause !== '') return oneLine(cause);
  const last = lines.filter((line) => line !== '' && !/^(code|stdout|stderr):? ?\d*$/.test(line)).at(-1);
  return last === undefined ? 'no message was given' : oneLine(last);
}
