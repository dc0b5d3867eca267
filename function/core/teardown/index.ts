import { type JsonObject, numberAt, objectAt, stringAt } from '../../json.ts';
import { optional } from '../canonical.ts';
import { Annotation, FINALIZER } from '../keys.ts';
import { condition } from '../observe/conditions.ts';
import { oneLine } from '../text.ts';
import { DESTROY, stageOf } from './destroy.ts';
import { lookups } from './lookups.ts';
import { problems } from './problems.ts';
import { type Found, Kinds, titleOf } from './requests.ts';
import { isRetained, RETAIN, uninstallingStack, unknownPolicy } from './retain.ts';
import type { Stage } from './stage.ts';
import { type Event, type Failure, NOTHING, type Step } from './step.ts';
import { finalizersOf } from './thing.ts';
import { conditionsWith, heldVerdicts, type Said, verdicts } from './verdicts.ts';
import { annotation, holdsFinalizer, isDeleting, settingsIn, type View, viewOf } from './view.ts';

export { lookups } from './lookups.ts';

/** How soon to look again where the settings do not say, in seconds. */
const USUAL_PAUSE = 10;

/**
 * The next step for an instance: its finalizer while it lives; once it is deleted, what is left of it, in the order of the
 * plan, until the finalizer can go.
 * @param found everything that `lookups` asks for
 * @param now seconds since 1970
 * @param failure the last action that the API server refused
 */
export function planTeardown(instance: JsonObject, found: Found, now: number, failure?: Failure): Step {
  if (!isDeleting(instance)) return holdsFinalizer(instance) ? NOTHING : addFinalizer(instance);
  const view = viewOf(instance, found, now);
  if (view === undefined || !view.finalizers.includes(FINALIZER)) return NOTHING;
  // What was not looked up is not gone.
  if (lookups(instance, found).length > 0) return pause(view, 'Looking for what is left of the instance');
  const held = heldBecause(view);
  if (held !== undefined) return told(view.instance, heldVerdicts(held), now) ?? pause(view, held);
  const stage = stageOf(view, isRetained(view) ? RETAIN : DESTROY);
  if (stage?.urgent === true) return stepOf(view, stage);
  const said = verdicts(view, stage, problems(view, stage, failure));
  const telling = told(view.instance, said, now, gone(view));
  if (telling !== undefined) return { ...telling, events: [...telling.events, ...notices(stage)] };
  return stage === undefined ? removeFinalizer(view) : stepOf(view, stage);
}

/** The step when something that the plan asks for cannot be read: it says so, and nothing else is done. */
export function blocked(instance: JsonObject, cause: string, now: number): Step {
  if (!isDeleting(instance) || !holdsFinalizer(instance)) return NOTHING;
  const message = `Cannot read what is left of the instance: ${oneLine(cause)}`;
  return told(instance, heldVerdicts(message), now) ?? { ...NOTHING, againIn: USUAL_PAUSE, awaiting: message };
}

/** Whatever the policy says, nothing happens now. */
function heldBecause(view: View): string | undefined {
  if (view.dyingApi !== undefined) {
    return `Nothing is deleted while ${titleOf(view.dyingApi)} is being deleted: that is no wish to delete the instances`;
  }
  if (annotation(view, Annotation.Paused) === 'true') {
    return `Nothing is deleted while annotation ${Annotation.Paused} is set`;
  }
  const problem = 'problem' in view.settings ? view.settings.problem : undefined;
  if (isRetained(view)) return retainHeldBecause(view, problem);
  const unknown = unknownPolicy(view);
  if (unknown !== undefined) return `Nothing is deleted while ${unknown}`;
  if (problem === undefined || !isAnythingLeft(view)) return undefined;
  return `Nothing is deleted while the settings cannot be read: ${problem}`;
}

/** The end of the instance would destroy what is to be kept. */
function retainHeldBecause(view: View, problem: string | undefined): string | undefined {
  const stack = uninstallingStack(view);
  if (stack !== undefined) return `Nothing is deleted while destroyOnFinalize of ${stack} is set: it would uninstall`;
  const isCleaningPossible = view.record.host !== undefined;
  if (problem === undefined || !isCleaningPossible) return undefined;
  return `A cleanup Job cannot be looked for while the settings cannot be read: ${problem}`;
}

function isAnythingLeft(view: View): boolean {
  const { hostNamespace, stack, managed, policies, roleBindings, chartRoles, volumes, claims, host } = view;
  const all = [managed, policies, roleBindings, chartRoles, volumes, claims];
  return hostNamespace !== undefined || stack !== undefined || host.used || all.some((each) => each.length > 0);
}

/** Phase, conditions and the generation they belong to, unless the instance says all of it already. */
function told(instance: JsonObject, said: Said, now: number, gone: JsonObject = {}): Step | undefined {
  const status = objectAt(instance, 'status') ?? {};
  const conditions = conditionsWith(instance, said, now);
  const generation = numberAt(instance, 'metadata', 'generation');
  const isSame =
    status['phase'] === 'Deleting' &&
    Object.keys(gone).length === 0 &&
    (generation === undefined || status['observedGeneration'] === generation) &&
    JSON.stringify(status['conditions'] ?? []) === JSON.stringify(conditions);
  if (isSame) return undefined;
  const change = { phase: 'Deleting', ...optional('observedGeneration', generation), ...gone, conditions };
  return { ...NOTHING, status: change, events: events(instance, said) };
}

/** The Secret with the kubeconfig belongs to the Release and goes with it. */
function gone(view: View): JsonObject {
  const isNamed = objectAt(view.instance, 'status', 'kubeconfigSecretRef') !== undefined;
  const isKept = isRetained(view) || view.managed.some(({ kind }) => kind === Kinds.Release.kind);
  return isNamed && !isKept ? { kubeconfigSecretRef: null } : {};
}

const WARNINGS = new Set(['TargetDeleteFailed', 'UninstallFailed', 'StorageCleanupFailed', 'TeardownHeld']);

function notices(stage: Stage | undefined): readonly Event[] {
  return stage?.notice === undefined ? [] : [{ type: 'Warning', reason: 'Retained', message: stage.notice }];
}

/** Only of what is new, and what its user has to look at. */
function events(instance: JsonObject, said: Said): readonly Event[] {
  const ready = said.get('InstanceReady');
  if (ready === undefined || !WARNINGS.has(ready.reason)) return [];
  const before = condition(instance, 'InstanceReady');
  if (before?.reason === ready.reason && before.message === ready.message) return [];
  return [{ type: 'Warning', reason: ready.reason, message: ready.message }];
}

function stepOf(view: View, stage: Stage): Step {
  if (stage.metadata !== undefined) {
    return { ...NOTHING, metadata: stage.metadata, cleanupFailures: stage.failures ?? 0, awaiting: stage.awaiting };
  }
  return { ...pause(view, stage.awaiting, stage.deadline), actions: stage.actions ?? [] };
}

function pause(view: View, awaiting: string, deadline?: number): Step {
  const usual = settingsIn(view)?.ttl.pending ?? USUAL_PAUSE;
  const left = deadline === undefined ? usual : deadline - view.now;
  return { ...NOTHING, againIn: Math.max(1, Math.min(usual, left)), awaiting };
}

function addFinalizer(instance: JsonObject): Step {
  if (stringAt(instance, 'metadata', 'uid') === undefined) return NOTHING;
  return { ...NOTHING, metadata: { finalizers: [...finalizersOf(instance), FINALIZER] } };
}

function removeFinalizer({ finalizers }: View): Step {
  return { ...NOTHING, metadata: { finalizers: finalizers.filter((each) => each !== FINALIZER) } };
}
