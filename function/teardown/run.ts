import { aborted } from '../command.ts';
import { bind } from '../server/address.ts';
import { createHttpServer, listenHttp } from '../server/http.ts';
import type { Logger } from '../server/log.ts';
import { loadConfiguration } from './configuration.ts';
import { type ConnectionLimits, connect } from './connection.ts';
import { type ControllerLimits, type Known, startController } from './controller.ts';
import type { Core } from './core.ts';
import { createTeardownMetrics } from './metrics.ts';
import type { TeardownOptions } from './options.ts';

export interface TeardownLimits extends ControllerLimits {
  readonly connection: ConnectionLimits;
  /** how long calls may still take when told to stop, in milliseconds */
  readonly drain: number;
}

export function usualLimits(concurrency: number): TeardownLimits {
  return {
    connection: { timeout: 30_000, retryPause: 250 },
    queue: { concurrency, burst: 30, base: 1000, cap: 60_000, shortestWait: 1000 },
    watch: { base: 500, cap: 15_000 },
    stream: { opening: 30_000, lifetime: 600_000, silence: 150_000 },
    drain: 10_000,
  };
}

/** Works until told to stop. Throws one sentence when it cannot start. */
export async function teardownUntil(
  stop: AbortSignal,
  options: TeardownOptions,
  log: Logger,
  core: Core,
  limits: TeardownLimits = usualLimits(options.concurrency),
): Promise<void> {
  const load = () => loadConfiguration(options.kubeconfig);
  const configuration = load();
  // The origin leaves out a user and a password.
  const server = new URL(configuration.getCurrentCluster()?.server ?? '').origin;
  await configuration.applyToHTTPSOptions({}).catch((error: unknown) => {
    throw new Error(`cannot use the kubeconfig: ${error instanceof Error ? error.message : 'unknown error'}`);
  });

  const known: Known = new Map();
  const metrics = createTeardownMetrics(() => deletionsOf(known), Date.now);
  const kill = new AbortController();
  const connection = connect(load, limits.connection, { stop, kill: kill.signal }, metrics.callFailed);
  let isReady = () => false;
  const http = createHttpServer(metrics, () => isReady());
  const httpPort =
    options.httpAddress === undefined
      ? undefined
      : await bind(options.httpAddress, (address) => listenHttp(http, address));
  log.info({ server, httpPort, concurrency: options.concurrency }, 'started');
  const controller = startController(core, connection, limits, known, { log, metrics, stop });
  isReady = controller.isReady;

  await aborted(stop);
  log.info('stopping');
  const deadline = setTimeout(() => kill.abort(), limits.drain);
  await controller.ended;
  clearTimeout(deadline);
  connection.close();
  http.close();
  http.closeAllConnections();
  log.info({ drained: !kill.signal.aborted }, 'stopped');
}

function deletionsOf(known: Known): readonly number[] {
  return [...known.values()]
    .map(({ deletionTimestamp }) => Date.parse(deletionTimestamp ?? ''))
    .filter((time) => !Number.isNaN(time));
}
