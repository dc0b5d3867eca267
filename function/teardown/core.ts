import type { blocked, lookups, planTeardown } from '../core/teardown/index.ts';

/** What decides. An argument, so that everything around it can be tried with smaller plans. */
export interface Core {
  readonly lookups: typeof lookups;
  readonly planTeardown: typeof planTeardown;
  readonly blocked: typeof blocked;
}
