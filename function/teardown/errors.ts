import { isAlwaysServed, type Kind } from '../core/teardown/requests.ts';
import { oneLine } from '../core/text.ts';
import { isObject, type JsonObject, numberAt, stringAt } from '../json.ts';

/** What the API server, or the way to it, answered instead of what was asked for. */
export class ApiError extends Error {
  /** the HTTP status, 0 when there was no answer */
  readonly status: number;
  /** Kubernetes' own word for it such as `Conflict`, or Node's such as `ECONNREFUSED` */
  readonly reason: string;
  /** what was asked for, as `delete Namespace pi-team-a-demo` */
  readonly intent: string;

  constructor(status: number, reason: string, message: string, intent = '') {
    super(oneLine(message));
    this.name = 'ApiError';
    this.status = status;
    this.reason = reason;
    this.intent = intent;
  }

  sentence(): string {
    return this.intent === '' ? this.message : `cannot ${this.intent}: ${this.message}`;
  }
}

/** A watch that missed something: what there is has to be listed again. */
export class WatchGap extends ApiError {
  readonly isGap = true;
}

/** Runs a call and, when it fails, says what it was for. */
export async function meaning<T>(intent: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ApiError) throw new ApiError(error.status, error.reason, error.message, intent);
    throw error;
  }
}

export function hasStatus(error: unknown, ...statuses: readonly number[]): boolean {
  return error instanceof ApiError && statuses.includes(error.status);
}

/** From a metav1.Status, the answer to everything that failed; proxies and unserved paths answer plain text. */
export function errorOf(status: number, body: string): ApiError {
  const answer = parsed(body);
  const isStatus = isObject(answer) && answer['kind'] === 'Status';
  const message = (isStatus ? stringAt(answer, 'message') : undefined) || `HTTP ${status}`;
  const reason = isStatus ? stringAt(answer, 'reason') : status === 404 && body.trim() === UNSERVED && NOT_SERVED;
  return new ApiError(status, reason || `HTTP${status}`, message);
}

/** What the API server says of a path that it does not have (net/http, NotFound). */
const UNSERVED = '404 page not found';
const NOT_SERVED = 'NotServed';

/** The API server itself says that there is no such object, or no such kind where that can be. */
export function isMissing(error: unknown, kind: Kind): boolean {
  if (!(error instanceof ApiError) || error.status !== 404) return false;
  return error.reason === 'NotFound' || (error.reason === NOT_SERVED && !isAlwaysServed(kind));
}

/** From the ERROR event of a watch. */
export function errorOfEvent(status: JsonObject): WatchGap {
  const code = numberAt(status, 'code') ?? 500;
  return new WatchGap(code, stringAt(status, 'reason') ?? '', stringAt(status, 'message') || `HTTP ${code}`);
}

/** From what Node says when there is no answer. */
export function unanswered(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { code } = error as { readonly code?: unknown };
  const message = error instanceof Error ? error.message : '';
  const reason = typeof code === 'string' ? code : 'NoAnswer';
  return new ApiError(0, reason, message || reason);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
