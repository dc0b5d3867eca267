import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Call } from './answer.ts';

export interface Metrics {
  readonly observe: (call: Call) => void;
  readonly text: () => Promise<string>;
  readonly contentType: string;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const BYTES = [1e3, 1e4, 1e5, 1e6, 4 * 1024 * 1024, 1.6e7, 6.4e7];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const calls = new Counter({
    name: 'function_run_calls_total',
    help: 'RunFunction calls by the worst severity among their results',
    labelNames: ['severity'],
    registers,
  });
  for (const severity of ['fatal', 'warning', 'normal', 'none', 'undecodable']) calls.inc({ severity }, 0);
  const seconds = new Histogram({
    name: 'function_run_seconds',
    help: 'Time from the whole request to the whole response',
    buckets: SECONDS,
    registers,
  });
  const requestBytes = new Histogram({
    name: 'function_run_request_bytes',
    help: 'Size of requests; what is larger than the limit is not counted',
    buckets: BYTES,
    registers,
  });
  const responseBytes = new Histogram({
    name: 'function_run_response_bytes',
    help: 'Size of responses; Crossplane takes at most 4 MiB',
    buckets: BYTES,
    registers,
  });
  return {
    observe(call) {
      calls.inc({ severity: call.outcome });
      seconds.observe(call.milliseconds / 1000);
      requestBytes.observe(call.requestBytes);
      responseBytes.observe(call.responseBytes);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
