import { type Found, Kinds } from '../core/teardown/requests.ts';
import { actionKey, type Failure, type Seen, type Step } from '../core/teardown/step.ts';
import { thing } from '../core/teardown/thing.ts';
import { type JsonObject, stringAt } from '../json.ts';
import { createActor, type Result } from './act.ts';
import type { Api } from './api.ts';
import type { Core } from './core.ts';
import { ApiError, hasStatus } from './errors.ts';
import { eventOf } from './events.ts';
import { gather } from './gather.ts';
import type { Item } from './item.ts';
import type { Outcome, Pass } from './queue.ts';
import type { Report } from './report.ts';

export interface PassContext {
  readonly core: Core;
  readonly api: Api;
  /** milliseconds since 1970 */
  readonly now: () => number;
  readonly stop: AbortSignal;
  /** who reports Events */
  readonly host: string;
}

/** Passes over one incarnation of an instance: look, ask the core, do the one step. */
export function createPass({ namespace, name, uid }: Item, context: PassContext, report: Report): Pass {
  const { core, api, stop } = context;
  const reference = { ...Kinds.Instance, namespace, name };
  const act = createActor(api);
  const seconds = () => Math.floor(context.now() / 1000);
  /** the action that the API server refused, until it works or is not wanted any more */
  let failure: Failure | undefined;
  let seen: string | undefined;

  const again = (): Outcome => ({ next: 'again', seen });
  const fail = (...errors: readonly unknown[]): Outcome => {
    if (!stop.aborted) report.failed(errors);
    return { next: 'backoff', seen };
  };

  /** Whether it was the one that was seen. */
  const patch = async (instance: JsonObject, change: JsonObject, subresource?: 'status'): Promise<boolean> => {
    try {
      const written = await api.patch(instanceSeen(instance), change, subresource);
      seen = stringAt(written, 'metadata', 'resourceVersion') ?? seen;
      return true;
    } catch (error) {
      if (!hasStatus(error, 404, 409)) throw error;
      report.aside('the instance changed meanwhile', error);
      return false;
    }
  };

  const writeStatus = async (instance: JsonObject, { status, events }: Step): Promise<void> => {
    if (status === undefined || !(await patch(instance, { status }, 'status'))) return;
    for (const event of events) {
      const manifest = eventOf(instance, event, context.now(), context.host);
      const object = { apiVersion: 'v1', kind: 'Event', resource: 'events', namespace, name };
      await api.create(object, manifest).catch((error) => report.aside('cannot post the event', error));
    }
  };

  /** What went wrong goes into the status, where its user looks, and waits there until it is over. */
  const failShown = async (instance: JsonObject, error: ApiError, step: () => Step): Promise<Outcome> => {
    if (stop.aborted) return fail(error);
    try {
      await writeStatus(instance, step());
      return fail(error);
    } catch (second) {
      return fail(error, second);
    }
  };

  const plan = (instance: JsonObject, found: Found): Step => {
    const step = core.planTeardown(instance, found, seconds(), failure);
    const isOpen = step.status !== undefined || step.metadata !== undefined;
    if (isOpen || step.actions.some((action) => actionKey(action) === failure?.key)) return step;
    if (failure === undefined) return step;
    failure = undefined;
    return core.planTeardown(instance, found, seconds());
  };

  const isUnchanged = async (instance: JsonObject): Promise<boolean> => {
    const [before, now] = [instanceSeen(instance), instanceSeen((await api.read(reference)) ?? {})];
    return now.uid === before.uid && now.resourceVersion === before.resourceVersion;
  };

  const perform = async (instance: JsonObject, found: Found, step: Step): Promise<Outcome> => {
    for (const action of step.actions) {
      if (action.irreversible && !(await isUnchanged(instance))) {
        report.aside('the instance changed meanwhile');
        return again();
      }
      const ended: Result = await act(action);
      report.acted(action, ended);
      if (ended.result === 'refused') {
        failure = ended.failure;
        return failShown(instance, ended.error, () => core.planTeardown(instance, found, seconds(), ended.failure));
      }
      if (failure?.key === actionKey(action)) failure = undefined;
      if (ended.result === 'conflict') return again();
    }
    if (step.actions.length > 0) return again();
    report.settled();
    return { next: 'wait', seconds: step.againIn, seen };
  };

  const look = async (): Promise<Outcome> => {
    const instance = await api.read(reference);
    if (instance === undefined || stringAt(instance, 'metadata', 'uid') !== uid) return { next: 'forget' };
    seen = stringAt(instance, 'metadata', 'resourceVersion');
    let found: Found;
    try {
      found = await gather(core, api, instance);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return failShown(instance, error, () => core.blocked(instance, error.sentence(), seconds()));
    }
    const step = plan(instance, found);
    report.planned(step);
    if (step.status !== undefined) {
      await writeStatus(instance, step);
      return again();
    }
    if (step.metadata !== undefined) {
      if (await patch(instance, { metadata: step.metadata })) report.patched(step.metadata, step.cleanupFailures);
      return again();
    }
    return perform(instance, found, step);
  };

  return () => look().catch((error: unknown) => fail(error));
}

function instanceSeen(instance: JsonObject): Seen {
  return thing(Kinds.Instance, instance);
}
