import { logVerbosity, type Server, ServerCredentials, setLogVerbosity } from '@grpc/grpc-js';
import { aborted } from '../command.ts';
import { bind } from './address.ts';
import { watchCredentials } from './credentials.ts';
import { addHealthService } from './health.ts';
import { createHttpServer, listenHttp } from './http.ts';
import { type Logger, logCall } from './log.ts';
import { createMetrics } from './metrics.ts';
import type { ServeOptions } from './options.ts';
import { createRunnerServer } from './service.ts';

/** Answers calls until told to stop, then lets the calls in flight finish. Throws one sentence when it cannot start. */
export async function serveUntil(stop: AbortSignal, options: ServeOptions, log: Logger): Promise<void> {
  // grpc-js would print its own lines beside ours for what is reported here.
  setLogVerbosity(logVerbosity.NONE);
  const metrics = createMetrics();
  const server = createRunnerServer(options, clock, (call) => {
    metrics.observe(call);
    logCall(log, call);
  });
  const health = addHealthService(server);
  const http = createHttpServer(metrics, health.serving);
  const certificates = credentialsFor(options, log);

  const port = await bind(options.address, (address) => listenGrpc(server, address, certificates.credentials));
  const httpPort =
    options.httpAddress === undefined
      ? undefined
      : await bind(options.httpAddress, (address) => listenHttp(http, address));
  health.set(true);
  log.info({ port, httpPort, tls: options.certificatesDirectory !== undefined }, 'serving');

  await aborted(stop);
  health.set(false);
  log.info('draining');
  health.end();
  const drained = await drain(server, options.drainTimeout);
  certificates.stop();
  http.close();
  http.closeAllConnections();
  log.info({ drained }, 'stopped');
}

const clock = { now: () => Date.now(), monotonic: () => performance.now() };

function credentialsFor(
  options: ServeOptions,
  log: Logger,
): { readonly credentials: ServerCredentials; readonly stop: () => void } {
  const directory = options.certificatesDirectory;
  if (directory === undefined) return { credentials: ServerCredentials.createInsecure(), stop: () => undefined };
  try {
    return watchCredentials(directory, {
      reloaded: () => log.info('certificates reloaded'),
      refused: (cause) => log.warn({ cause }, 'certificates not reloaded, those in use stay'),
    });
  } catch (error) {
    throw new Error(
      `cannot use the certificates in ${directory}: ${error instanceof Error ? error.message : 'unknown error'}`,
    );
  }
}

function listenGrpc(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => {
      if (error === null) resolve(port);
      // grpc-js wraps the causes: `No address added out of total 1 resolved errors: [listen EADDRINUSE: ...]`
      else reject(new Error(/errors: \[(.*)\]$/s.exec(error.message)?.[1] ?? error.message));
    });
  });
}

/** Whether all calls ended by themselves. A client that no longer reads would hold the server for ever. */
function drain(server: Server, timeout: number): Promise<boolean> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => {
      server.forceShutdown();
      resolve(false);
    }, timeout);
    server.tryShutdown(() => {
      clearTimeout(deadline);
      resolve(true);
    });
  });
}
