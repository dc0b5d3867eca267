import fc from 'fast-check';
import { expect } from 'vitest';
import { formatTime } from '../../../function/core/time.ts';
import { type JsonObject, stringAt } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';
import { type Controller, keyOf } from './cluster.ts';
import { foreigners } from './foreign.ts';
import { Life } from './life.ts';
import { merge } from './merge.ts';
import { Replica } from './replica.ts';

const PREFIX = 'platform.di-framework.dev';
const API = 'platforminstances.platform.di-framework.dev';
const REAL =
  /^(Namespace|ValidatingAdmissionPolicy|ValidatingAdmissionPolicyBinding|PersistentVolumeClaim|StatefulSet|ClusterRole|PersistentVolume) /;
const READY = World.ready(MINIMAL);

export interface Stage {
  readonly life: Life;
  readonly replicas: readonly [Replica, Replica];
  readonly foreign: readonly JsonObject[];
  /** what was there of it when the instance went */
  leftAtTheEnd?: readonly string[];
}

export type Command = (stage: Stage) => void;
export type Named = readonly [name: string, command: Command];

export const CONTROLLERS: readonly Controller[] = [
  'provider-helm',
  'provider-kubernetes',
  'pulumi-operator',
  'namespace-controller',
  'claim-controller',
  'kubelet',
];

export const spec = (change: JsonObject) => (stage: Stage) => void stage.life.edit((xr) => merge(xr, { spec: change }));
export const note = (name: string, value: string | null) => (stage: Stage) =>
  void stage.life.annotate({ [name.includes('/') ? name : `${PREFIX}/${name}`]: value });

function later(seconds: number): Command {
  return ({ life }) => {
    life.cluster.now += seconds;
  };
}

/** What the controllers and time do; no user has a hand in it. */
export const WEATHER: readonly Named[] = [
  ...([0, 1] as const).flatMap((at): readonly Named[] => [
    [`look ${at}`, ({ replicas }) => void replicas[at].look()],
    [`act ${at}`, ({ replicas }) => replicas[at].act()],
    [`killed ${at}`, ({ replicas }) => replicas[at].act(1)],
    [`step ${at}`, ({ replicas }) => pass(replicas[at])],
  ]),
  ['settle', ({ life }) => life.cluster.settle()],
  ['a second', later(1)],
  ['a minute', later(60)],
  ['an hour', later(3600)],
  ['a clock set back', later(-1800)],
  ...CONTROLLERS.flatMap((by): readonly Named[] => [
    [`down ${by}`, ({ life }) => void life.cluster.down.add(by)],
    [`up ${by}`, ({ life }) => void life.cluster.down.delete(by)],
  ]),
  ['a Job fails', ({ life }) => void life.cluster.outcomes.push('Failed')],
  ['Namespaces refused', ({ life }) => void life.refused.set('Namespace', 'no')],
  ['Jobs refused', ({ life }) => void life.refused.set('Job', 'no')],
  ['nothing refused', ({ life }) => life.refused.clear()],
  ['Crossplane writes', ({ life }) => void life.edit((xr) => merge(xr, { status: { crossplane: {} } }))],
];

export const HOLDS: readonly Named[] = [
  ['paused', note('crossplane.io/paused', 'true')],
  ['settings broken', ({ life }) => void life.setSettings({ colour: 1 })],
  ['API dying', ({ life }) => dying(life, formatTime(life.cluster.now))],
];

export const RELEASES: readonly Named[] = [
  ['unpaused', note('crossplane.io/paused', null)],
  ['settings mended', ({ life }) => void life.setSettings({})],
  ['API well', ({ life }) => dying(life, null)],
];

export const TAMPERING: readonly Named[] = [
  ['record of a foreign host', note('teardown', JSON.stringify({ host: 'pi-team-b-green-other', root: '/etc/x' }))],
  ['record that is none', note('teardown', '[1,')],
  ['record of a failure to come', note('teardown', JSON.stringify({ failedAt: 9e15, failure: 'x\n'.repeat(5000) }))],
  ['failures of nobody', note('storage-cleanup-failures', '-7')],
  ['cleaned of another', note('storage-cleaned', 'uid-2')],
];

export function pass(replica: Replica): void {
  replica.look();
  replica.act();
}

function dying(life: Life, deletionTimestamp: string | null): void {
  const api = life.cluster.find('CustomResourceDefinition', API) ?? {};
  life.cluster.edit(api, () => merge(api, { metadata: { deletionTimestamp, finalizers: ['x'] } }));
}

/** Steps and controllers in turn mostly, or little would ever get anywhere. */
export const commands = (...from: readonly (readonly Named[])[]): fc.Arbitrary<readonly Named[]> => {
  const any = fc.constantFrom(...from.flat());
  const progress = fc.constantFrom(...WEATHER.filter(([name]) => /^(step|settle)/.test(name)));
  return fc.array(fc.oneof({ arbitrary: progress, weight: 2 }, { arbitrary: any, weight: 3 }), { maxLength: 90 });
};

export function staged(foreground = false, ...before: readonly Command[]): Stage {
  const life = new Life({}, READY);
  life.cluster.heals = true;
  const foreign = foreigners(life).map((each) => structuredClone(life.cluster.put(each, false)));
  const stage: Stage = { life, replicas: [new Replica(life), new Replica(life)], foreign };
  for (const command of before) command(stage);
  if (foreground) life.deleteInForeground();
  else life.deleteInBackground();
  return stage;
}

/** Plays, and looks after each command at what must hold at every moment. */
export function play(stage: Stage, plot: readonly Named[]): void {
  const { cluster } = stage.life;
  let known = new Set<string>();
  for (const [, command] of plot) {
    const before = stage.life.xr;
    const hosted = cluster.find('Namespace', stage.life.host) !== undefined;
    command(stage);
    if (stage.life.xr === undefined && before !== undefined) stage.leftAtTheEnd ??= own(stage);
    const jobs = cluster.all('Job').filter((job) => !isForeign(stage, job));
    const uids = new Set(jobs.map((job) => stringAt(job, 'metadata', 'uid') ?? ''));
    expect(jobs.length).toBeLessThanOrEqual(1);
    if ([...uids].some((uid) => !known.has(uid))) expect(hosted).toBe(false);
    known = uids;
  }
}

function isForeign({ foreign }: Stage, object: JsonObject): boolean {
  return foreign.some((each) => keyOf(each) === keyOf(object));
}

/** All is well again. */
export function mend({ life }: Stage): void {
  life.cluster.down.clear();
  life.cluster.outcomes.length = 0;
  life.refused.clear();
}

export function expectForeignAsTheyWere(stage: Stage): void {
  const now = stage.foreign.map((each) =>
    stage.life.cluster.all().find((other) => keyOf(other) === keyOf(each) && isSameUid(other, each)),
  );
  expect(now).toEqual(stage.foreign);
}

function isSameUid(a: JsonObject, b: JsonObject): boolean {
  return stringAt(a, 'metadata', 'uid') === stringAt(b, 'metadata', 'uid');
}

/** What is left of the instance. */
export function own(stage: Stage): string[] {
  const foreign = stage.foreign.map(keyOf);
  return stage.life.left().filter((key) => !foreign.includes(key));
}

export const real = (stage: Stage): string[] => own(stage).filter((key) => REAL.test(key));
