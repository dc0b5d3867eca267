import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FINALIZER } from '../../../function/core/keys.ts';
import { type Rehearsal, rehearse } from '../../../function/core/teardown/rehearsal.ts';
import { type Kind, Kinds, type Named } from '../../../function/core/teardown/requests.ts';
import type { Deed } from '../../../function/core/teardown/scene.ts';
import { formatTime } from '../../../function/core/time.ts';
import { type JsonObject, listAt, objectAt, stringAt } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';
import { keyOf } from './cluster.ts';
import { Life } from './life.ts';
import { merge } from './merge.ts';

const PREFIX = 'platform.di-framework.dev';
const API = 'platforminstances.platform.di-framework.dev';
const KINDS: readonly Kind[] = Object.values(Kinds);

/** What exists beside the instance, as an API server would show it. */
function around(life: Life): JsonObject[] {
  return life.cluster
    .all()
    .filter((each) => each['kind'] !== 'PlatformInstance')
    .map((each) => ({ apiVersion: KINDS.find(({ kind }) => kind === each['kind'])?.apiVersion ?? 'v1', ...each }));
}

function rehearsalOf(life: Life): Rehearsal {
  return rehearse(structuredClone(life.xr ?? {}), structuredClone(around(life)), life.cluster.now);
}

const key = ({ kind, namespace = '', name }: Named): string => `${kind} ${namespace}/${name}`;
const isJob = (each: string): boolean => /^(Job|Pod) /.test(each);

/** All that is gone after a rehearsal, but the instance and its cleanup Jobs. */
function gone({ deeds, collected }: Rehearsal): string[] {
  const deleted = deeds.filter(({ verb }) => verb === 'delete' || verb === 'go');
  const all = [...deleted.flatMap(({ object, takes }) => [object, ...takes]), ...collected].map(key);
  return [...new Set(all)].filter((each) => !isJob(each)).sort();
}

/** What the plan does, as a cluster writes it down. */
function done(deeds: readonly Deed[]): string[] {
  return deeds.filter(({ verb }) => verb !== 'go').map(({ verb, object }) => `${verb} ${object.kind} ${object.name}`);
}

type Change = (life: Life) => unknown;
type Variant = readonly [name: string, change: Change];

const variants: readonly Variant[] = [
  ['policy Retain', (life) => life.edit((xr) => merge(xr, { spec: { deletionPolicy: 'Retain' } }))],
  ['cleaning skipped', (life) => life.annotate({ [`${PREFIX}/skip-storage-cleanup`]: 'true' })],
  ['cleaning skipped with another word', (life) => life.annotate({ [`${PREFIX}/skip-storage-cleanup`]: 'yes' })],
  ['cleaned already', (life) => life.annotate({ [`${PREFIX}/storage-cleaned`]: 'uid-xr' })],
  ['cleaned of another', (life) => life.annotate({ [`${PREFIX}/storage-cleaned`]: 'other' })],
  ['failed before', (life) => life.annotate({ [`${PREFIX}/storage-cleanup-failures`]: '3' })],
  ['a root of its own', (life) => life.edit((xr) => merge(xr, { spec: { platform: { storageRoot: '/srv/blue' } } }))],
  ['a root that nothing safe can be said of', (life) => withRoot(life, '/data/../team-a/blue')],
  ['a root that is not noted', (life) => withRoot(life, null)],
  ['paused', (life) => life.annotate({ 'crossplane.io/paused': 'true' })],
  ['settings that cannot be read', (life) => life.setSettings({ colour: 1 })],
  ['an XRD that is being deleted', (life) => markDefinition(life)],
  [
    'an orphaning finalizer',
    (life) => life.edit((xr) => (xr['metadata'] as { finalizers: string[] }).finalizers.push('orphan')),
  ],
  ['an orphaned resource', (life) => onComposed(life, (each) => merge(each, { metadata: { ownerReferences: null } }))],
  ['rights to delete', (life) => open(life)],
  [
    'another controller',
    (life) =>
      onComposed(life, (each) => merge(each, { metadata: { ownerReferences: [{ uid: 'uid-2', controller: true }] } })),
  ],
  ['roles of another release', (life) => onRoles(life)],
  ['no finalizer', (life) => life.edit((xr) => merge(xr, { metadata: { finalizers: ['mine'] } }))],
];

/** Wherever it is written. */
function withRoot(life: Life, root: string | null): void {
  const metadata = { annotations: { [`${PREFIX}/storage-root`]: root } };
  for (const each of life.cluster.all()) {
    const [name, change] = [keyOf(each), { spec: { forProvider: { manifest: { metadata } } } }];
    if (each['kind'] === 'Namespace') life.cluster.edit(each, () => merge(each, { metadata }));
    if (/^Object .*-host-namespace$/.test(name)) life.cluster.edit(each, () => merge(each, change));
    if (each['kind'] === 'Stack')
      life.cluster.edit(each, () => merge(each, { spec: { config: { storageRoot: root } } }));
  }
}

function onComposed(life: Life, change: (object: JsonObject) => void): void {
  const [first] = [...life.cluster.all('Release'), ...life.cluster.all('Object')];
  if (first !== undefined) life.cluster.edit(first, change);
}

/** Only an Object: the cluster of these tests uninstalls no releases. */
function open(life: Life): void {
  const [first] = life.cluster.all('Object');
  if (first !== undefined) life.cluster.edit(first, () => merge(first, { spec: { managementPolicies: ['*'] } }));
}

function onRoles(life: Life): void {
  for (const each of life.cluster.all('ClusterRole')) {
    life.cluster.edit(each, () =>
      merge(each, { metadata: { annotations: { 'meta.helm.sh/release-namespace': 'other' } } }),
    );
  }
}

function markDefinition(life: Life): void {
  const definition = life.cluster.find('CompositeResourceDefinition', API) ?? {};
  life.cluster.edit(definition, () =>
    merge(definition, { metadata: { deletionTimestamp: formatTime(life.cluster.now), finalizers: ['x'] } }),
  );
}

function early(): World {
  const world = new World(MINIMAL);
  world.step();
  return world;
}

/** A life copies what it takes of its world. */
const EARLY = early();
const LATE = World.ready(MINIMAL);

interface Plot {
  readonly picked: readonly Variant[];
  readonly isEarly: boolean;
  readonly foreground: boolean;
  /** which of the things that exist are missing, or being deleted already; by their place in the list */
  readonly missing: readonly number[];
  readonly marked: readonly number[];
  /** steps that are done before */
  readonly steps: number;
}

const plots: fc.Arbitrary<Plot> = fc.record({
  picked: fc.subarray([...variants], { maxLength: 3 }),
  isEarly: fc.boolean(),
  foreground: fc.boolean(),
  missing: fc.uniqueArray(fc.nat(40), { maxLength: 6 }),
  marked: fc.uniqueArray(fc.nat(40), { maxLength: 4 }),
  steps: fc.nat(6),
});

const SURROUNDINGS = /^(PlatformInstance|CompositeResourceDefinition|CustomResourceDefinition|CompositionRevision)$/;

function begun({ picked, isEarly, foreground, missing, marked, steps }: Plot): Life {
  const life = new Life({}, isEarly ? EARLY : LATE);
  for (const [, change] of picked) change(life);
  // A provider that may delete the real thing is at it as soon as the managed resource is marked: that is a race.
  const isOpen = life.cluster.all().some(isOpenToDelete);
  if (foreground && !isOrphaning(life) && !isOpen) life.deleteInForeground();
  else life.deleteInBackground();
  const things = life.cluster.all().filter((each) => !SURROUNDINGS.test(String(each['kind'])));
  for (const [index, each] of things.entries()) {
    const { name, namespace } = namesOf(each);
    if (missing.includes(index)) life.cluster.drop(String(each['kind']), name, namespace);
    else if (marked.includes(index) && !isForeign(each) && !isOpenToDelete(each)) life.cluster.delete(each);
  }
  for (let count = 0; count < steps && life.xr !== undefined; count++) life.step();
  return life;
}

const finalizers = (life: Life): readonly unknown[] => listAt(life.xr, 'metadata', 'finalizers');
const isOrphaning = (life: Life): boolean => finalizers(life).includes('orphan');

/** To the end. Garbage collection orphans what is composed as the last of all, where it was asked to. */
function runOut(life: Life): void {
  // What says where the data is may be on its way already: the first word and the note are written before it goes.
  for (let count = 0; count < 2; count++) life.step();
  if (isOrphaning(life)) orphan(life);
  else if (finalizers(life).includes(FINALIZER)) life.run(1500);
  else life.edit((xr) => merge(xr, { metadata: { finalizers: [] } }));
  life.cluster.settle();
}

const isCleaned = (life: Life): boolean => life.annotation('storage-cleaned') === 'uid-xr';

/** Whether something was true of it after any of its steps. */
function watched(life: Life, isTrue: (life: Life) => boolean): () => boolean {
  const step = life.step.bind(life);
  let seen = false;
  life.step = () => {
    const done = step();
    seen ||= isTrue(life);
    return done;
  };
  return () => seen;
}

function orphan(life: Life): void {
  for (let count = 0; count < 200 && finalizers(life).includes(FINALIZER); count++) {
    life.step();
    life.cluster.settle();
  }
  life.cluster.settle();
  if (finalizers(life).includes(FINALIZER)) return;
  for (const each of life.composed())
    life.cluster.edit(each, () => merge(each, { metadata: { ownerReferences: null } }));
  life.edit((xr) => merge(xr, { metadata: { finalizers: [] } }));
}

function isOpenToDelete(object: JsonObject): boolean {
  return listAt(object, 'spec', 'managementPolicies').includes('*');
}

/** Somebody else's, whose deletion is nothing to the instance. */
function isForeign(object: JsonObject): boolean {
  const annotations = objectAt(object, 'metadata', 'annotations') ?? {};
  const isComposed = annotations['crossplane.io/composition-resource-name'] !== undefined;
  const [owner] = listAt(object, 'metadata', 'ownerReferences');
  return (
    annotations['meta.helm.sh/release-namespace'] === 'other' || (isComposed && stringAt(owner, 'uid') !== 'uid-xr')
  );
}

function namesOf(object: JsonObject): { name: string; namespace: string } {
  return {
    name: stringAt(object, 'metadata', 'name') ?? '',
    namespace: stringAt(object, 'metadata', 'namespace') ?? '',
  };
}

describe('what a rehearsal tells', () => {
  it('[D02] [D03] [D04] [D05] [D06] is what the plan does, in its order, and what is gone and left in the end', () => {
    fc.assert(
      fc.property(plots, (plot) => {
        const life = begun(plot);
        if (life.xr === undefined) return;
        const told = rehearsalOf(life);
        const before = around(life).map(keyOf);
        const from = life.cluster.done.length;
        const wasCleaned = isCleaned(life);
        const cleaned = watched(life, isCleaned);
        runOut(life);
        const after = new Set(around(life).map(keyOf));
        const really = {
          done: life.cluster.done.slice(from),
          gone: before.filter((each) => !after.has(each) && !isJob(each)).sort(),
          stopped: life.xr === undefined ? undefined : life.message('InstanceReady'),
          removed: !wasCleaned && cleaned(),
        };
        expect({ done: done(told.deeds), gone: gone(told), stopped: told.stopped, removed: told.data.removed }).toEqual(
          really,
        );
        expect(told.kept.map(key).filter((each) => !after.has(each))).toEqual([]);
        if (told.data.removed) expect(told.data.root).toBe('/var/lib/di-framework/instances/team-a/blue');
        else expect(told.data.because).not.toBe('');
      }),
      { numRuns: 100 },
    );
  });
});
