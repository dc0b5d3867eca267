import { KubeConfig } from '@kubernetes/client-node';
import { pino } from 'pino';
import { type ConnectionLimits, connect } from '../../function/teardown/connection.ts';
import { type ControllerLimits, type Known, startController } from '../../function/teardown/controller.ts';
import type { Core } from '../../function/teardown/core.ts';
import { createTeardownMetrics, type TeardownMetrics } from '../../function/teardown/metrics.ts';
import type { ApiServer } from './api.server.ts';
import { PLAN } from './plan.ts';

export const CONNECTION: ConnectionLimits = { timeout: 2000, retryPause: 2 };
export const LIMITS: ControllerLimits = {
  queue: { concurrency: 4, burst: 30, base: 5, cap: 80, shortestWait: 5 },
  watch: { base: 5, cap: 80 },
  stream: { opening: 2000, lifetime: 60_000, silence: 5000 },
};

export interface Line {
  readonly level: string;
  readonly msg: string;
  readonly [name: string]: unknown;
}

export interface Running extends AsyncDisposable {
  readonly metrics: TeardownMetrics;
  readonly lines: Line[];
  readonly said: (message: string) => Line[];
  readonly isReady: () => boolean;
  readonly stop: () => Promise<void>;
  /** No call begins or goes on after this. */
  readonly kill: () => Promise<void>;
}

/** The controller in this process, with pauses that are short. */
export function startTeardown(
  server: ApiServer,
  {
    core = PLAN,
    limits = LIMITS,
    connection = CONNECTION,
  }: {
    readonly core?: Core;
    readonly limits?: ControllerLimits;
    readonly connection?: ConnectionLimits;
  } = {},
): Running {
  const [stop, kill] = [new AbortController(), new AbortController()];
  const known: Known = new Map();
  const metrics = createTeardownMetrics(() => [], Date.now);
  const lines: Line[] = [];
  const options = { level: 'debug', base: null, formatters: { level: (label: string) => ({ level: label }) } };
  const log = pino(options, { write: (line) => lines.push(JSON.parse(line)) });
  const link = connect(
    () => configurationOf(server.kubeconfig()),
    connection,
    { stop: stop.signal, kill: kill.signal },
    metrics.callFailed,
  );
  const controller = startController(core, link, limits, known, { log, metrics, stop: stop.signal });
  const end = async (isKill: boolean) => {
    stop.abort();
    if (isKill) kill.abort();
    await controller.ended;
    link.close();
  };
  return {
    metrics,
    lines,
    said: (message) => lines.filter(({ msg }) => msg === message),
    isReady: controller.isReady,
    stop: () => end(false),
    kill: () => end(true),
    [Symbol.asyncDispose]: () => end(true),
  };
}

export function configurationOf(text: string): KubeConfig {
  const configuration = new KubeConfig();
  configuration.loadFromString(text);
  return configuration;
}
