import type { Trail } from './trail.ts';

/** Says which message could not be read or written, where and why, and never a word of what it holds. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** What is wrong at the place where the codec stands, said of that place: `is not a finite number`. */
export class Fault extends Error {}

/** Runs the work of one message; whatever goes wrong in it leaves as one WireError. */
export function guarded<T>(task: string, trail: Trail, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new WireError(`cannot ${task}: ${trail.toString() || 'the message'} ${faultOf(error)}`);
  }
}

function faultOf(error: unknown): string {
  if (error instanceof Fault) return error.message;
  if (!(error instanceof Error)) return 'failed';
  // protobufjs' Reader knows these two ways to fail while it skips a field.
  if (error instanceof RangeError && error.message.startsWith('index out of range')) return 'ends early';
  if (/^(invalid wire type|maximum nesting depth)/.test(error.message)) return 'is not valid protobuf';
  // The texts of other errors may quote values, so only the kind of the error is told.
  return `failed with ${error.name}`;
}
