import { type JsonObject, numberAt, objectAt, stringAt } from '../../../function/json.ts';
import type { World } from '../world.ts';

interface Update {
  readonly token: string;
  readonly generation: number;
  readonly endsAt: number;
  readonly fails: boolean;
  /** a reader of the Stack could see that it runs */
  visible: boolean;
}

/** After its third failure in a row for the same spec and token the operator gives up (stack_controller.go). */
const GIVES_UP_AFTER = 3;

/**
 * The Pulumi operator as the function meets it: it starts an update for every spec or token that it has not run, tries a
 * failed one again after 10, 30 and 90 seconds, gives up then, and replaces the pod under an update when the spec changes.
 */
export class Operator {
  /** how the next update ends; an endless one hangs until its pod is replaced */
  outcome: 'success' | 'failure' | 'endless' = 'success';
  /** what the workspace does before any update: it starts, says that npm failed, or stays silent */
  workspace: 'starts' | 'npm' | 'silent' = 'starts';
  /** updates whose pod was replaced although a reader could see them run, and how long they had run */
  readonly disturbed: number[] = [];
  readonly started: string[] = [];
  private running: { readonly update: Update; readonly since: number } | undefined;
  private stalledPod: number | undefined;
  private failures = 0;

  private finishedAt: number | undefined;
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  tick(): void {
    const stack = this.world.composed.get('platform-stack');
    if (stack === undefined) return;
    const generation = numberAt(stack, 'metadata', 'generation') ?? 0;
    const token = this.world.token;
    if (this.running === undefined) this.idle(generation, token);
    else this.watch(this.running, generation);
    this.write({ observedGeneration: generation, observedReconcileRequest: token });
  }

  private watch({ update, since }: { readonly update: Update; readonly since: number }, generation: number): void {
    const { now } = this.world;
    if (generation !== update.generation) {
      if (update.visible) this.disturbed.push(now - since);
      this.end(update, true);
    } else if (now >= update.endsAt) this.end(update, update.fails);
    else {
      update.visible = true;
      this.write({ conditions: [], currentUpdate: { reconcileRequest: update.token, name: 'update' } });
    }
  }

  private idle(generation: number, token: string): void {
    const last = this.last;
    const isSame = stringAt(last, 'reconcileRequest') === token && numberAt(last, 'generation') === generation;
    if (isSame && stringAt(last, 'state') === 'succeeded') return;
    const waiting = this.waiting(generation, isSame);
    if (waiting !== undefined) this.write({ conditions: waiting });
    else if (!isSame || this.world.now >= (this.finishedAt ?? 0) + 10 * 3 ** this.failures) {
      this.failures = isSame ? this.failures + 1 : 0;
      this.start(generation, token);
    }
  }

  /** The conditions with which nothing is started now. */
  private waiting(generation: number, isSame: boolean): JsonObject[] | undefined {
    if (this.isStalled(generation)) return [stalled('WorkspaceFailed', 'InstallationFailed: npm ERR! 503')];
    if (this.workspace === 'silent') return [];
    return isSame && this.failures >= GIVES_UP_AFTER ? [stalled('UpdateFailed', 'up failed')] : undefined;
  }

  private start(generation: number, token: string): void {
    const endsAt = this.outcome === 'endless' ? Number.POSITIVE_INFINITY : this.world.now + 90;
    const update = { token, generation, endsAt, fails: this.outcome === 'failure', visible: false };
    this.running = { update, since: this.world.now };
    this.started.push(token);
  }

  /** An npm failure stays until the spec, and with it the pod, changes. */
  private isStalled(generation: number): boolean {
    if (this.stalledPod === generation) return true;
    this.stalledPod = this.workspace === 'npm' ? generation : undefined;
    return this.stalledPod !== undefined;
  }

  private end({ token, generation }: Update, fails: boolean): void {
    this.running = undefined;
    this.finishedAt = this.world.now;
    const update = { type: 'up', generation, reconcileRequest: token, lastResyncTime: this.world.time() };
    const result: JsonObject = fails ? { state: 'failed', message: 'error: boom' } : { state: 'succeeded' };
    const { currentUpdate: _, ...before } = this.status;
    const outputs = fails ? {} : { outputs: { endpoints: { kubernetes: 'https://k.example' } } };
    this.world.setStatus('platform-stack', {
      ...before,
      ...outputs,
      conditions: [],
      lastUpdate: { ...update, ...result },
    });
  }

  private get status(): JsonObject {
    return objectAt(this.world.composed.get('platform-stack'), 'status') ?? {};
  }

  private get last(): JsonObject | undefined {
    return objectAt(this.status, 'lastUpdate');
  }

  private write(fields: JsonObject): void {
    this.world.setStatus('platform-stack', { ...this.status, ...fields });
  }
}

function stalled(reason: string, message: string): JsonObject {
  return { type: 'Stalled', status: 'True', reason, message };
}
