import { type JsonObject, stringAt } from '../../json.ts';
import { Annotation, FINALIZER } from '../keys.ts';
import { condition } from '../observe/conditions.ts';
import { decideData } from './cleanup.ts';
import { Id } from './found.ts';
import { planTeardown } from './index.ts';
import { gatherFrom, isNamed, namedOf, patched, without } from './inventory.ts';
import { type Found, type Named, titleOf } from './requests.ts';
import { isRetained } from './retain.ts';
import type { Action } from './step.ts';
import { annotation, finalizersOf, holdsFinalizer, isDeleting, type Thing, type View, viewOf } from './view.ts';

/** Something that happens on the way. */
export interface Deed {
  /** `go` is the end of a deletion that had begun before */
  readonly verb: Action['verb'] | 'go';
  readonly object: Named;
  /** a managed resource or the like: nothing real hangs on it */
  readonly managed: boolean;
  /** what goes with it */
  readonly takes: readonly Named[];
}

/** What becomes of the tenants' data on the node. */
export interface DataOutcome {
  /** where it is, when anything says so */
  readonly root: string | undefined;
  readonly removed: boolean;
  /** why it stays; empty when it is removed */
  readonly because: string;
}

/** What the deletion of an instance does, in the order of its plan. */
export interface Rehearsal {
  /** why everything real is kept, whatever else the plan would do */
  readonly retained: string | undefined;
  readonly deeds: readonly Deed[];
  /** what garbage collection takes when the instance is gone */
  readonly collected: readonly Named[];
  /** what the plan looked at and left alone */
  readonly kept: readonly Named[];
  readonly data: DataOutcome;
  /** why the instance stays; undefined when it goes */
  readonly stopped: string | undefined;
}

interface Scene {
  readonly instance: JsonObject;
  readonly objects: readonly JsonObject[];
  readonly now: number;
  readonly deeds: readonly Deed[];
}

/** More than any plan has. */
const STEP_LIMIT = 1000;

/** Longer than any pause between attempts. */
const LONG = 365 * 24 * 3600;

/**
 * Plays the plan to its end, or to where it goes no further. What it asks for works at once: deletions are over, cleanup
 * Jobs succeed, and what is being deleted already goes when it is waited for.
 * @param instance with a deletionTimestamp
 * @param objects all that exists beside it
 * @param now seconds since 1970
 */
export function rehearse(instance: JsonObject, objects: readonly JsonObject[], now: number): Rehearsal {
  const start: Scene = { instance, objects, now, deeds: [] };
  const known = new Map(lookedAt(gatherAll(start)).map((each) => [titleOf(each), each]));
  let scene = start;
  let isLeaping = false;
  for (let count = 0; count < STEP_LIMIT && holdsFinalizer(scene.instance); count++) {
    const found = gatherFrom(scene.instance, scene.objects);
    for (const each of lookedAt(found)) known.set(titleOf(each), each);
    const next = played(scene, found);
    if (next === undefined && isLeaping) break;
    isLeaping = next === undefined;
    scene = next ?? { ...scene, now: scene.now + LONG };
  }
  return reported(start, scene, [...known.values()]);
}

/** What is looked at, but says nothing of what an instance has: its API, its settings, the volumes of all the cluster. */
const SURROUNDINGS: readonly string[] = [Id.Definition, Id.CustomResourceDefinition, Id.Revision, Id.Volumes];

function lookedAt(found: Found): Named[] {
  return [...found]
    .filter(([id]) => !SURROUNDINGS.includes(id))
    .flatMap(([, value]) => value ?? [])
    .map(namedOf);
}

/** What there is of the instance, also when teardown would not ask because it carries no finalizer. */
function gatherAll({ instance, objects }: Scene): Found {
  return gatherFrom(patched(instance, { metadata: { finalizers: [...finalizersOf(instance), FINALIZER] } }), objects);
}

/** The scene after the next step; undefined where only time could change anything. */
function played(scene: Scene, found: Found): Scene | undefined {
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
    const deeds = [...scene.deeds, { verb, object: namedOf(action.manifest), managed: false, takes: [] }];
    return { ...scene, deeds, objects: [...scene.objects, action.manifest] };
  }
  const target = scene.objects.find((each) => isNamed(each, object));
  if (target === undefined) return scene;
  if (verb === 'delete') return removed(scene, target, verb, view);
  const changed = patched(target, action.change);
  const deeds = [...scene.deeds, { verb, object: namedOf(target), managed: isManaged(view, target), takes: [] }];
  const after = { ...scene, deeds, objects: scene.objects.map((each) => (each === target ? changed : each)) };
  // Without its last finalizer it goes.
  const isOver = isDeleting(changed) && finalizersOf(changed).length === 0;
  return isOver ? removed(after, changed, 'go', view) : after;
}

function removed(scene: Scene, target: JsonObject, verb: 'delete' | 'go', view: View): Scene {
  const { left, taken } = without(scene.objects, target);
  const deed = { verb, object: namedOf(target), managed: isManaged(view, target), takes: taken.map(namedOf) };
  return { ...scene, objects: left, deeds: [...scene.deeds, deed] };
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
function marked(view: View): readonly Thing[] {
  const { stack, managed, hostNamespace, policies, chartRoles, roleBindings, volumes, claims, jobs } = view;
  const all = [stack ?? [], managed, hostNamespace ?? [], policies, chartRoles, roleBindings, volumes, claims, jobs];
  return all.flat().filter(({ deletedAt }) => deletedAt !== undefined);
}

function gone(scene: Scene, things: readonly Thing[], view: View): Scene {
  return things.reduce((before, each) => {
    const target = before.objects.find((object) => isNamed(object, each));
    return target === undefined ? before : removed(before, target, 'go', view);
  }, scene);
}

function reported(before: Scene, after: Scene, known: readonly Named[]): Rehearsal {
  const view = viewOf(before.instance, gatherAll(before), before.now);
  // What was being deleted before goes, also when the plan would keep it, or holds.
  const last = view === undefined ? after : gone(after, marked(view), view);
  const collected = isCollected(after.instance)
    ? without(last.objects, last.instance)
    : { left: last.objects, taken: [] };
  const stopped = stoppedBecause(after.instance);
  return {
    retained: view && retainedBecause(view),
    deeds: last.deeds,
    collected: collected.taken.map(namedOf),
    kept: known.filter((each) => collected.left.some((object) => isNamed(object, each))),
    data: view === undefined ? NOWHERE : dataOutcome(view, after.instance, stopped),
    stopped,
  };
}

/** Garbage collection takes what an instance owned when that is gone, unless it was told to orphan it. */
function isCollected(instance: JsonObject): boolean {
  return !holdsFinalizer(instance) && !finalizersOf(instance).includes('orphan');
}

const NOWHERE: DataOutcome = { root: undefined, removed: false, because: 'no storage root is in use' };

function stoppedBecause(instance: JsonObject): string | undefined {
  if (!holdsFinalizer(instance)) return undefined;
  return condition(instance, 'InstanceReady')?.message ?? 'The plan does not end';
}

function retainedBecause(view: View): string | undefined {
  if (!holdsFinalizer(view.instance)) return `it carries no finalizer ${FINALIZER}`;
  if (!isRetained(view)) return undefined;
  const isWish = stringAt(view.instance, 'spec', 'deletionPolicy') === 'Retain';
  return isWish ? 'deletionPolicy is Retain' : 'what it composes was orphaned';
}

function dataOutcome(view: View, after: JsonObject, stopped: string | undefined): DataOutcome {
  const root = stringAt(view.instance, 'spec', 'platform', 'storageRoot') || view.host.root;
  const cleaned = stringAt(after, 'metadata', 'annotations', Annotation.StorageCleaned) === view.uid;
  const wasCleaned = annotation(view, Annotation.StorageCleaned) === view.uid;
  if (cleaned && !wasCleaned) return { root, removed: true, because: '' };
  const retained = retainedBecause(view);
  const decision = decideData(view);
  const because = retained ?? (decision.remove === false ? decision.because : (stopped ?? ''));
  return { root, removed: false, because };
}
