import { setMaxListeners } from 'node:events';
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeConfig } from '@kubernetes/client-node';
import { isObject, type JsonObject } from '../json.ts';
import { ApiError, errorOf, hasStatus, unanswered } from './errors.ts';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  readonly contentType?: string;
  readonly accept?: string;
}

export interface ConnectionLimits {
  /** how long one call may take, in milliseconds as all times here */
  readonly timeout: number;
  /** before the first retry; doubles */
  readonly retryPause: number;
}

export interface Ends {
  /** no further call begins */
  readonly stop: AbortSignal;
  /** nor does any go on */
  readonly kill: AbortSignal;
}

export interface Connection {
  /** The answer's JSON; throws an ApiError. */
  readonly send: (call: Call) => Promise<JsonObject>;
  /** The open answer to a call that goes on for long; the signal ends it. */
  readonly open: (call: Call, signal: AbortSignal) => Promise<IncomingMessage>;
  readonly close: () => void;
}

const ATTEMPTS = 3;
/** Busy, starting, or in between two servers. Every write is bound to what was seen, so that twice does no harm. */
const PASSING = new Set([0, 429, 500, 502, 503, 504]);

/**
 * Plain JSON to and from the API server, with client-node's configuration, authentication and TLS: its own calls drop the
 * fields that it does not know and turn times into Dates.
 * @param failed told of each call that fails
 */
export function connect(
  load: () => KubeConfig,
  limits: ConnectionLimits,
  { stop, kill }: Ends,
  failed: (call: Call, error: ApiError) => void,
): Connection {
  let configuration = load();
  // Each call listens while it lasts, and there are many at once.
  setMaxListeners(0, stop, kill);
  const agents = { 'https:': new Agent(POOL), 'http:': new PlainAgent(POOL) } as const;

  const open = async (call: Call, signal: AbortSignal): Promise<IncomingMessage> => {
    const { server, proxyUrl } = configuration.getCurrentCluster() ?? { server: '', proxyUrl: undefined };
    const url = new URL(`${server}${call.path}?${new URLSearchParams(call.query)}`);
    const options: RequestOptions = { headers: {} };
    // Reads the token again when a minute has passed, and the certificates each time.
    await configuration.applyToHTTPSOptions(options);
    const isPlain = url.protocol === 'http:';
    // The pool keeps connections of different credentials apart (Node, Agent.getName).
    const agent = proxyUrl === undefined ? agents[isPlain ? 'http:' : 'https:'] : options.agent;
    const answer = await exchange(isPlain, url, { ...options, agent, method: call.method, signal }, call);
    const status = answer.statusCode ?? 0;
    if (status >= 200 && status < 300) return answer;
    throw errorOf(status, await textOf(answer));
  };

  const attempt = async (call: Call): Promise<JsonObject> => {
    const bound = boundedBy(limits.timeout, kill);
    try {
      const text = await textOf(await open(call, bound.signal));
      const answer: unknown = JSON.parse(text);
      if (!isObject(answer)) throw new SyntaxError('no object');
      return answer;
    } catch (error) {
      if (bound.isOver()) throw new ApiError(0, 'Timeout', `no answer within ${limits.timeout / 1000} s`);
      if (error instanceof SyntaxError) throw new ApiError(0, 'Malformed', 'the answer is no JSON object');
      throw unanswered(error);
    } finally {
      bound.release();
    }
  };

  /** Tokens are replaced before they run out, but a replaced kubeconfig is only noticed when it is refused. */
  const renewed = (error: ApiError): boolean => {
    if (error.status !== 401) return false;
    try {
      configuration = load();
      return true;
    } catch {
      return false;
    }
  };

  const send = async (call: Call): Promise<JsonObject> => {
    for (let count = 1; ; count++) {
      if (stop.aborted) throw new ApiError(0, 'Stopped', 'the controller stops');
      try {
        return await attempt(call);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (!kill.aborted) failed(call, error);
        const isPassing = PASSING.has(error.status) && error.reason !== 'Timeout';
        if (count >= ATTEMPTS || !(isPassing || renewed(error))) throw error;
      }
      await sleep(limits.retryPause * 2 ** (count - 1), undefined, { signal: stop }).catch(() => undefined);
    }
  };

  return {
    send,
    open: (call, signal) =>
      open(call, signal).catch((error: unknown) => {
        const cause = unanswered(error);
        if (!signal.aborted) failed(call, cause);
        if (hasStatus(cause, 401)) renewed(cause);
        throw cause;
      }),
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** A signal for one call. AbortSignal.any would leave something behind on the lasting signal for each of them. */
function boundedBy(milliseconds: number, kill: AbortSignal) {
  const controller = new AbortController();
  let over = false;
  const end = () => controller.abort();
  const timer = setTimeout(() => {
    over = true;
    end();
  }, milliseconds);
  kill.addEventListener('abort', end, { once: true });
  if (kill.aborted) end();
  return {
    signal: controller.signal,
    isOver: () => over,
    release() {
      clearTimeout(timer);
      kill.removeEventListener('abort', end);
    },
  };
}

const POOL = { keepAlive: true, keepAliveMsecs: 15_000, maxSockets: 64, timeout: 0 };

function exchange(isPlain: boolean, url: URL, options: RequestOptions, call: Call): Promise<IncomingMessage> {
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const headers = {
    ...options.headers,
    accept: call.accept ?? 'application/json',
    'user-agent': 'platform-instance-teardown',
    ...(body === undefined
      ? {}
      : { 'content-type': call.contentType ?? 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = (isPlain ? plainRequest : request)(url, { ...options, headers }, resolve);
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
