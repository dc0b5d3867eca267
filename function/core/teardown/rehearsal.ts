import { type JsonObject, stringAt } from '../../json.ts';
import { Annotation, FINALIZER } from '../keys.ts';
import { condition } from '../observe/conditions.ts';
import { decideData } from './cleanup.ts';
import { Id } from './found.ts';
import { gatherFrom, isNamed, namedOf, patched, without, withProvidersAtIt } from './inventory.ts';
import { type Found, type Named, titleOf } from './requests.ts';
import { isRetained } from './retain.ts';
import { type Deed, gone, marked, played, type Scene, uninstalls } from './scene.ts';
import { finalizersOf } from './thing.ts';
import { annotation, holdsFinalizer, type View, viewOf } from './view.ts';

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
  /** the vCluster is destroyed, with its host Namespace or by its provider */
  readonly targetLost: boolean;
  readonly data: DataOutcome;
  /** why the instance stays; undefined when it goes */
  readonly stopped: string | undefined;
}

/** More than any plan has. */
const STEP_LIMIT = 1000;

/** Longer than any pause between attempts. */
const LONG = 365 * 24 * 3600;

/**
 * Plays the plan to its end, or to where it goes no further. What it asks for works at once: deletions are over, cleanup
 * Jobs succeed, and what is being deleted already goes when it is waited for.
 * @param instance with a deletionTimestamp
 * @param existing all that there is beside it
 * @param now seconds since 1970
 */
export function rehearse(instance: JsonObject, existing: readonly JsonObject[], now: number): Rehearsal {
  const objects = withProvidersAtIt(existing, now);
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

function reported(before: Scene, after: Scene, known: readonly Named[]): Rehearsal {
  const view = viewOf(before.instance, gatherAll(before), before.now);
  // What was being deleted before goes, also when the plan would keep it, or holds.
  const last = view === undefined ? after : gone(after, marked(view), view);
  const collected = isCollected(after.instance)
    ? without(last.objects, last.instance)
    : { left: last.objects, taken: [] };
  const stopped = stoppedBecause(after.instance);
  const isHostLeft = collected.left.some((each) => view?.hostNamespace && isNamed(each, view.hostNamespace));
  const isTargetLost =
    (view?.hostNamespace !== undefined && !isHostLeft) ||
    last.deeds.some((deed) => deed.uninstalls) ||
    collected.taken.some(uninstalls);
  return {
    retained: view && retainedBecause(view),
    deeds: last.deeds,
    collected: collected.taken.map(namedOf),
    kept: known.filter((each) => collected.left.some((object) => isNamed(object, each))),
    targetLost: isTargetLost,
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
