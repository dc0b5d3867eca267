import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listAt, stringAt } from '../../../function/json.ts';
import {
  CONTROLLERS,
  commands,
  expectForeignAsTheyWere,
  HOLDS,
  mend,
  note,
  own,
  pass,
  play,
  RELEASES,
  real,
  spec,
  staged,
  TAMPERING,
  WEATHER,
} from './weather.ts';

describe('whatever happens in whatever order', () => {
  it('[D01] [D02] [D07] [X07] [R03] with two controllers that act on what they saw long ago, Delete leaves nothing but what is foreign', () => {
    fc.assert(
      fc.property(commands(WEATHER, WEATHER, HOLDS, RELEASES, RELEASES), fc.boolean(), (plot, foreground) => {
        const stage = staged(foreground);
        const { life } = stage;
        play(stage, plot);
        mend(stage);
        play(stage, RELEASES);
        life.run(20_000);
        expect(stage.leftAtTheEnd ?? []).toEqual([]);
        expect(own(stage)).toEqual([]);
        expectForeignAsTheyWere(stage);
        const failed = life.failedJobs.size;
        expect(life.failures).toBe(failed);
        expect(life.cluster.done.filter((line) => line.startsWith('create Job')).length).toBeGreaterThan(0);
      }),
      { numRuns: 150 },
    );
  });

  it('[X07] nothing foreign is touched, whatever the instance’s user writes into its annotations', () => {
    fc.assert(
      fc.property(commands(WEATHER, WEATHER, TAMPERING), fc.boolean(), (plot, foreground) => {
        const stage = staged(foreground, ...TAMPERING.slice(0, 1).map(([, command]) => command));
        play(stage, plot);
        mend(stage);
        stage.life.run(20_000);
        expectForeignAsTheyWere(stage);
        expect(own(stage)).toEqual([]);
      }),
      { numRuns: 80 },
    );
  });

  it('[X02] [D03] Retain, once set, keeps everything that was not being deleted', () => {
    const early = fc.array(fc.constantFrom(...WEATHER), { maxLength: 12 });
    fc.assert(
      fc.property(early, commands(WEATHER, HOLDS, RELEASES), fc.boolean(), (before, after, foreground) => {
        const stage = staged(foreground);
        const { life } = stage;
        play(stage, before);
        const isGoing = stringAt(life.cluster.find('Namespace', life.host), 'metadata', 'deletionTimestamp');
        fc.pre(isGoing === undefined && life.xr !== undefined);
        const kept = real(stage);
        spec({ deletionPolicy: 'Retain' })(stage);
        play(stage, after);
        mend(stage);
        play(stage, RELEASES);
        life.run(20_000);
        expect(life.xr).toBeUndefined();
        expect(real(stage)).toEqual(kept);
        expect(life.cluster.done.filter((line) => line.includes('Job'))).toEqual([]);
        expectForeignAsTheyWere(stage);
      }),
      { numRuns: 100 },
    );
  });

  it('[X06] [X08] a plan that is made while the instance is held has nothing to do', () => {
    fc.assert(
      fc.property(commands(WEATHER), fc.subarray([...HOLDS], { minLength: 1 }), (before, holds) => {
        const stage = staged();
        const { life, replicas } = stage;
        play(stage, before);
        fc.pre(life.xr !== undefined);
        for (const [, hold] of holds) hold(stage);
        const done = [...life.cluster.done];
        for (let count = 0; count < 4; count++) pass(replicas[0]);
        const plan = replicas[0].look();
        expect(plan).toMatchObject({ status: undefined, metadata: undefined, actions: [] });
        expect(life.cluster.done).toEqual(done);
        expect(life.condition('InstanceReady')).toBe('False TeardownHeld');
      }),
      { numRuns: 60 },
    );
  });

  it('[D04] no Job is made once skip-storage-cleanup is set, and the instance goes', () => {
    fc.assert(
      fc.property(commands(WEATHER), commands(WEATHER), (before, after) => {
        const stage = staged();
        const { life } = stage;
        play(stage, before);
        fc.pre(life.xr !== undefined);
        note('skip-storage-cleanup', 'true')(stage);
        const jobs = (): number => life.cluster.done.filter((line) => line.startsWith('create Job')).length;
        const made = jobs();
        play(stage, after);
        mend(stage);
        life.run(20_000);
        expect(own(stage)).toEqual([]);
        expect(jobs()).toBe(made);
      }),
      { numRuns: 50 },
    );
  });

  it('[S08] [D10] a world in which nothing happens is told of once: the status is written no more', () => {
    fc.assert(
      fc.property(commands(WEATHER, HOLDS), fc.constantFrom(...CONTROLLERS), (plot, by) => {
        const stage = staged();
        const { life } = stage;
        life.setSettings({ ttl: { pending: '2m' } });
        play(stage, plot);
        life.cluster.down.add(by);
        life.cluster.outcomes.length = 0;
        life.run(2000);
        const before = life.statusWrites;
        const conditions = structuredClone(listAt(life.xr, 'status', 'conditions'));
        const { events } = life;
        const told = events.length;
        life.run(3000);
        expect(life.statusWrites).toBe(before);
        expect(listAt(life.xr, 'status', 'conditions')).toEqual(conditions);
        expect(events.length).toBe(told);
      }),
      { numRuns: 20 },
    );
  });
});
