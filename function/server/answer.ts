import { runFunction } from '../core/run.ts';
import { stringAt } from '../json.ts';
import { WireError } from '../wire/errors.ts';
import {
  Ready,
  type Result,
  type RunFunctionRequest,
  type RunFunctionResponse,
  Severity,
  Target,
} from '../wire/messages.ts';
import { decodeRequest } from '../wire/request.ts';
import { encodeResponse } from '../wire/response.ts';

/** What one call came to, for logs and metrics: no part of the request but the names of the composite resource. */
export interface Call {
  readonly outcome: Outcome;
  readonly tag: string;
  readonly namespace: string;
  readonly name: string;
  readonly milliseconds: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** what went wrong inside the function, which answered an internal error */
  readonly defect?: unknown;
}

/** the worst severity among the results, `none` without results, `undecodable` when the request was no valid message */
export type Outcome = 'fatal' | 'warning' | 'normal' | 'none' | 'undecodable';

export type Answer =
  | { readonly response: Buffer; readonly call: Call }
  | { readonly undecodable: string; readonly call: Call };

export interface Clock {
  /** milliseconds since 1970 */
  readonly now: () => number;
  /** milliseconds of a clock that only goes forward */
  readonly monotonic: () => number;
}

/** Bytes to bytes. Never throws for what a request holds, nor when the function itself has a defect. */
export function answer(bytes: Uint8Array, clock: Clock): Answer {
  const started = clock.monotonic();
  const call = (outcome: Outcome, request: RunFunctionRequest | undefined, responseBytes: number): Call => ({
    outcome,
    tag: request?.tag ?? '',
    namespace: stringAt(request?.composite?.resource, 'metadata', 'namespace') ?? '',
    name: stringAt(request?.composite?.resource, 'metadata', 'name') ?? '',
    milliseconds: clock.monotonic() - started,
    requestBytes: bytes.length,
    responseBytes,
  });

  let request: RunFunctionRequest;
  try {
    request = decodeRequest(bytes);
  } catch (error) {
    return { undecodable: sentence(error), call: call('undecodable', undefined, 0) };
  }
  try {
    const response = runFunction(request, clock.now());
    const encoded = encode(response);
    return { response: encoded, call: call(worst(response.results), request, encoded.length) };
  } catch (defect) {
    const encoded = encode(internalError(request));
    return { response: encoded, call: { ...call('fatal', request, encoded.length), defect } };
  }
}

function encode(response: RunFunctionResponse): Buffer {
  const bytes = encodeResponse(response);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The text of any other error may quote the request. */
function sentence(error: unknown): string {
  return error instanceof WireError ? error.message : 'cannot decode the request: internal error';
}

const OUTCOMES: Readonly<Record<Severity, Outcome>> = {
  [Severity.Unspecified]: 'warning',
  [Severity.Fatal]: 'fatal',
  [Severity.Warning]: 'warning',
  [Severity.Normal]: 'normal',
};
const BY_GRAVITY: readonly Outcome[] = ['fatal', 'warning', 'normal'];

function worst(results: readonly Result[]): Outcome {
  const outcomes = new Set(results.map((result) => OUTCOMES[result.severity]));
  return BY_GRAVITY.find((outcome) => outcomes.has(outcome)) ?? 'none';
}

/** A fatal result changes nothing in the cluster: what is there stays as it is. */
function internalError(request: RunFunctionRequest): RunFunctionResponse {
  return {
    tag: request.tag,
    ttlSeconds: 60,
    desired: {
      composite: undefined,
      compositeReady: Ready.Unspecified,
      resources: new Map(),
      earlier: request.desired,
    },
    results: [
      {
        severity: Severity.Fatal,
        message: 'cannot compose the instance: internal error',
        target: Target.Composite,
      },
    ],
    context: request.context,
    requirements: { resources: new Map(), schemas: new Map() },
    conditions: [],
  };
}
