import type { JsonObject } from '../../json.ts';
import { condition } from '../observe/conditions.ts';
import { planTeardown } from './index.ts';
import { isNamed, mayDelete, namedOf, patched, without } from './inventory.ts';
import { type Found, Kinds, type Named } from './requests.ts';
import type { Action } from './step.ts';
import { finalizersOf, type Thing } from './thing.ts';
import { isDeleting, type View, viewOf } from './view.ts';

/** Something that happens on the way. */
export interface Deed {
  /** `go` is the end of a deletion that had begun before */
  readonly verb: Action['verb'] | 'go';
  readonly object: Named;
  /** a managed resource or the like: nothing real hangs on it */
  readonly managed: boolean;
  /** what goes with it */
  readonly takes: readonly Named[];
  /** a release that its provider uninstalls */
  readonly uninstalls: boolean;
}

/** Where a rehearsal is. */
export interface Scene {
  readonly instance: JsonObject;
  readonly objects: readonly JsonObject[];
  readonly now: number;
  readonly deeds: readonly Deed[];
}

/** The scene after the next step; undefined where only time could change anything. */
export function played(scene: Scene, found: Found): Scene | undefined {
  const { instance, now } = scene;
  const { status, metadata, actions } = planTeardown(instance, found, now);
  if (status !== undefined) return { ...scene, instance: patched(instance, { status }) };
  if (metadata !== undefined) return { ...scene, instance: patched(instance, { metadata }) };
  const view = viewOf(instance, found, now);
  if (view === undefined) return undefined;
  if (actions.length > 0) return actions.reduce((before, action) => acted(before, action, view), scene);
  return isHeld(instance) ? undefined : waited(scene, view);
}

function isHeld(instance: JsonObject): boolean {
  return condition(instance, 'InstanceReady')?.reason === 'TeardownHeld';
}

function acted(scene: Scene, action: Action, view: View): Scene {
  const { verb, object } = action;
  if (verb === 'create') {
    const deeds = [...scene.deeds, { verb, object: namedOf(action.manifest), managed: false, ...ALONE }];
    return { ...scene, deeds, objects: [...scene.objects, action.manifest] };
  }
  const target = scene.objects.find((each) => isNamed(each, object));
  if (target === undefined) return scene;
  if (verb === 'delete') return removed(scene, target, verb, view);
  const changed = patched(target, action.change);
  const deeds = [...scene.deeds, { verb, object: namedOf(target), managed: isManaged(view, target), ...ALONE }];
  const after = { ...scene, deeds, objects: scene.objects.map((each) => (each === target ? changed : each)) };
  // Without its last finalizer it goes.
  const isOver = isDeleting(changed) && finalizersOf(changed).length === 0;
  return isOver ? removed(after, changed, 'go', view) : after;
}

function removed(scene: Scene, target: JsonObject, verb: 'delete' | 'go', view: View): Scene {
  const { left, taken } = without(scene.objects, target);
  const deed = {
    verb,
    object: namedOf(target),
    managed: isManaged(view, target),
    takes: taken.map(namedOf),
    uninstalls: uninstalls(target),
  };
  return { ...scene, objects: left, deeds: [...scene.deeds, deed] };
}

const ALONE = { takes: [], uninstalls: false };

export function uninstalls(object: JsonObject): boolean {
  return object['kind'] === Kinds.Release.kind && mayDelete(object);
}

function isManaged(view: View, object: JsonObject): boolean {
  return isOneOf(view.managed, object);
}

function isOneOf(things: readonly Thing[], object: JsonObject): boolean {
  return things.some((each) => isNamed(object, each));
}

/** All that is awaited comes: Jobs end well, pods end, deletions are over. */
function waited(scene: Scene, view: View): Scene | undefined {
  const running = view.jobs.filter(({ deletedAt, object }) => deletedAt === undefined && !hasEnded(object));
  if (running.length > 0) {
    return { ...scene, objects: scene.objects.map((each) => (isOneOf(running, each) ? completed(each) : each)) };
  }
  const going = [...marked(view), ...view.pods];
  return going.length === 0 ? undefined : gone(scene, going, view);
}

function hasEnded(job: JsonObject): boolean {
  return ['Complete', 'Failed'].some((type) => condition(job, type)?.status === 'True');
}

function completed(job: JsonObject): JsonObject {
  return { ...job, status: { conditions: [{ type: 'Complete', status: 'True' }] } };
}

/** What is this instance's and being deleted already. */
export function marked(view: View): readonly Thing[] {
  const { stack, managed, hostNamespace, policies, chartRoles, roleBindings, volumes, claims, jobs } = view;
  const all = [stack ?? [], managed, hostNamespace ?? [], policies, chartRoles, roleBindings, volumes, claims, jobs];
  return all.flat().filter(({ deletedAt }) => deletedAt !== undefined);
}

export function gone(scene: Scene, things: readonly Thing[], view: View): Scene {
  return things.reduce((before, each) => {
    const target = before.objects.find((object) => isNamed(object, each));
    return target === undefined ? before : removed(before, target, 'go', view);
  }, scene);
}
