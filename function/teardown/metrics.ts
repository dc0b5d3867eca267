import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { Kinds } from '../core/teardown/requests.ts';
import type { Action } from '../core/teardown/step.ts';
import type { Result } from './act.ts';
import type { Call } from './connection.ts';
import type { ApiError } from './errors.ts';

export interface TeardownMetrics {
  readonly acted: (action: Action, result: Result['result']) => void;
  readonly cleanupsFailed: (count: number) => void;
  readonly passed: (outcome: string) => void;
  readonly watchRestarted: () => void;
  readonly callFailed: (call: Call, error: ApiError) => void;
  readonly text: () => Promise<string>;
  readonly contentType: string;
}

/**
 * @param deletions since when, in milliseconds since 1970, each instance that is being deleted is so
 */
export function createTeardownMetrics(deletions: () => readonly number[], now: () => number): TeardownMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'teardown_instances_deleting',
    help: 'PlatformInstances that are being deleted',
    registers,
    collect() {
      this.set(deletions().length);
    },
  });
  new Gauge({
    name: 'teardown_oldest_deletion_age_seconds',
    help: 'How long the PlatformInstance that is being deleted for the longest time is so, 0 without any',
    registers,
    collect() {
      const time = now();
      this.set(deletions().reduce((age, since) => Math.max(age, (time - since) / 1000), 0));
    },
  });
  const actions = new Counter({
    name: 'teardown_actions_total',
    help: 'What was done for deleted PlatformInstances, by how it ended',
    labelNames: ['verb', 'kind', 'result'],
    registers,
  });
  // An increase is only seen of a series that was there before.
  for (const { kind } of Object.values(Kinds)) actions.inc({ verb: 'delete', kind, result: 'refused' }, 0);
  for (const { kind } of [Kinds.Release, Kinds.Object, Kinds.Stack]) {
    actions.inc({ verb: 'patch', kind, result: 'refused' }, 0);
  }
  actions.inc({ verb: 'create', kind: Kinds.Job.kind, result: 'refused' }, 0);
  const cleanupFailures = new Counter({
    name: 'teardown_cleanup_failures_total',
    help: 'Cleanup Jobs that failed',
    registers,
  });
  const passes = new Counter({
    name: 'teardown_passes_total',
    help: 'Looks at a PlatformInstance, by what they led to',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ['forget', 'again', 'wait', 'backoff']) passes.inc({ outcome }, 0);
  const watchRestarts = new Counter({
    name: 'teardown_watch_restarts_total',
    help: 'Watches that ended, for whatever cause',
    registers,
  });
  const callFailures = new Counter({
    name: 'teardown_api_failures_total',
    help: 'Calls of the API server that failed, by HTTP status, 0 without an answer',
    labelNames: ['method', 'status'],
    registers,
  });
  for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) callFailures.inc({ method, status: '403' }, 0);
  return {
    acted: ({ verb, object }, result) => actions.inc({ verb, kind: object.kind, result }),
    cleanupsFailed: (count) => cleanupFailures.inc(count),
    passed: (outcome) => passes.inc({ outcome }),
    watchRestarted: () => watchRestarts.inc(),
    callFailed: ({ method }, { status }) => callFailures.inc({ method, status: String(status) }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
