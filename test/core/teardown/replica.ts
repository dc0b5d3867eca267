import { planTeardown } from '../../../function/core/teardown/index.ts';
import { type Action, actionKey, type Failure, type Step } from '../../../function/core/teardown/step.ts';
import { type JsonObject, stringAt } from '../../../function/json.ts';
import type { Life } from './life.ts';
import { merge } from './merge.ts';

interface Seen {
  readonly version: string | undefined;
  readonly step: Step;
}

/** One of several controllers: what it does may be planned on what it saw long ago. Like the shell, it keeps to preconditions. */
export class Replica {
  seen: Seen | undefined;
  private failure: Failure | undefined;
  private readonly life: Life;

  constructor(life: Life) {
    this.life = life;
  }

  look(): Step | undefined {
    const { cluster, xr } = this.life;
    if (xr === undefined) return undefined;
    const { instance, found } = this.life.gather();
    const step = planTeardown(instance, found, cluster.now, this.failure);
    this.seen = { version: versionOf(instance), step };
    return step;
  }

  /** Does what it planned, or only the first of it when it is killed in between. */
  act(limit = Number.POSITIVE_INFINITY): void {
    const { seen, life } = this;
    this.seen = undefined;
    if (seen === undefined) return;
    const { status, metadata, actions } = seen.step;
    if (status !== undefined) this.patch(seen, { status });
    else if (metadata !== undefined) this.patch(seen, { metadata });
    else for (const action of actions.slice(0, limit)) if (!this.perform(seen, action)) return;
    if (metadata !== undefined && status === undefined && this.wrote) life.failures += seen.step.cleanupFailures;
  }

  private wrote = false;

  private patch({ version }: Seen, change: JsonObject): void {
    const { xr, cluster } = this.life;
    this.wrote = xr !== undefined && versionOf(xr) === version;
    if (xr === undefined || !this.wrote) return;
    if (change['status'] !== undefined) this.life.statusWrites++;
    cluster.edit(xr, () => merge(xr, change));
  }

  private perform({ version }: Seen, action: Action): boolean {
    const { life } = this;
    if (action.irreversible && versionOf(life.xr ?? {}) !== version) return false;
    const refusal = life.refused.get(action.object.kind);
    this.failure = refusal === undefined ? undefined : { key: actionKey(action), message: refusal };
    if (refusal !== undefined) return false;
    life.perform(action);
    return true;
  }
}

function versionOf(instance: JsonObject): string | undefined {
  return stringAt(instance, 'metadata', 'resourceVersion');
}
