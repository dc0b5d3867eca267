import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Item } from '../../function/teardown/item.ts';
import { createQueue, type Outcome, type QueueLimits } from '../../function/teardown/queue.ts';

const LIMITS: QueueLimits = { concurrency: 2, burst: 5, base: 1000, cap: 8000, shortestWait: 100 };

function item(name: string, resourceVersion = '1', uid = `uid-${name}`): Item {
  return { namespace: 'ns', name, uid, resourceVersion, deletionTimestamp: undefined };
}

/** A queue whose passes take 10 ms and end as told; what ran when, in milliseconds since the start. */
function trial(outcomeOf: (name: string, count: number, uid: string) => Outcome, limits = LIMITS) {
  const ran: [name: string, at: number][] = [];
  const running: string[] = [];
  const counts = new Map<string, number>();
  let most = 0;
  const start = Date.now();
  const queue = createQueue(
    ({ name, uid }) =>
      async () => {
        expect(running).not.toContain(name);
        running.push(name);
        most = Math.max(most, running.length);
        ran.push([name, Date.now() - start]);
        const count = (counts.get(uid) ?? 0) + 1;
        counts.set(uid, count);
        await new Promise((resolve) => setTimeout(resolve, 10));
        running.splice(running.indexOf(name), 1);
        return outcomeOf(name, count, uid);
      },
    limits,
  );
  return {
    queue,
    ran,
    running,
    most: () => most,
    times: (name: string) => ran.filter(([each]) => each === name).map(([, at]) => at),
  };
}

const wait = (seconds?: number, seen = '1'): Outcome => ({ next: 'wait', seconds, seen });
const backoff: Outcome = { next: 'backoff', seen: '1' };
const again: Outcome = { next: 'again', seen: '1' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('passes', () => {
  test('of one instance never run at the same time, those of others up to the bound', async () => {
    const { queue, ran, most } = trial(() => wait());
    for (const name of ['a', 'b', 'c', 'd', 'e']) for (const version of ['1', '2', '3']) queue.add(item(name, version));
    await vi.advanceTimersByTimeAsync(15);
    expect(ran.map(([name]) => name)).toEqual(['a', 'b', 'c', 'd']);
    await vi.advanceTimersByTimeAsync(100);
    expect(most()).toBe(2);
  });

  test('take turns: one that always has more to do lets the others through', async () => {
    const { queue, ran } = trial((name) => (name === 'busy' ? again : wait()), { ...LIMITS, concurrency: 1 });
    queue.add(item('busy'));
    queue.add(item('a'));
    queue.add(item('b'));
    await vi.advanceTimersByTimeAsync(45);
    expect(ran.map(([name]) => name)).toEqual(['busy', 'a', 'b', 'busy', 'busy']);
  });

  test('are repeated when they want to be, though not sooner than the shortest pause', async () => {
    const { queue, times } = trial((name) => wait(name === 'eager' ? 0 : 2));
    queue.add(item('eager'));
    queue.add(item('calm'));
    await vi.advanceTimersByTimeAsync(2100);
    expect(times('calm')).toEqual([0, 2010]);
    expect(times('eager').slice(0, 3)).toEqual([0, 110, 220]);
  });

  test('that fail are repeated after pauses that double up to the cap, and start anew after success', async () => {
    const { queue, times } = trial((_, count) => (count === 6 ? wait(1) : backoff));
    queue.add(item('a'));
    await vi.advanceTimersByTimeAsync(30_000);
    const gaps = times('a').map((at, index, all) => at - (all[index - 1] ?? at) - 10);
    expect(gaps.slice(1)).toEqual([1000, 2000, 4000, 8000, 8000, 1000, 1000, 2000]);
  });

  test('in a row without a pause are bounded', async () => {
    const { queue, times } = trial(() => again);
    queue.add(item('a'));
    await vi.advanceTimersByTimeAsync(4000);
    expect(times('a')).toEqual([0, 10, 20, 30, 40, 1050, 1060, 1070, 1080, 1090, 3100, 3110, 3120, 3130, 3140]);
  });
});

describe('news', () => {
  test('during a pass lead to another one, unless the pass has seen them', async () => {
    const { queue, times } = trial((_, count) => wait(undefined, count === 1 ? '2' : '3'));
    queue.add(item('a', '1'));
    await vi.advanceTimersByTimeAsync(5);
    queue.add(item('a', '2'));
    await vi.advanceTimersByTimeAsync(100);
    expect(times('a')).toEqual([0]);
    queue.add(item('a', '3'));
    await vi.advanceTimersByTimeAsync(5);
    queue.add(item('a', '4'));
    await vi.advanceTimersByTimeAsync(100);
    expect(times('a')).toEqual([0, 105, 115]);
  });

  test('end a wait at once, and a pause after a failure when its shortest has passed', async () => {
    const { queue, times } = trial((name) => (name === 'failing' ? backoff : wait(100)));
    queue.add(item('failing'));
    queue.add(item('waiting'));
    await vi.advanceTimersByTimeAsync(2000);
    queue.add(item('failing', '2'));
    queue.add(item('waiting', '2'));
    await vi.advanceTimersByTimeAsync(500);
    queue.add(item('failing', '3'));
    queue.add(item('failing', '4'));
    await vi.advanceTimersByTimeAsync(20);
    expect(times('waiting')).toEqual([0, 2000]);
    expect(times('failing')).toEqual([0, 1010, 2020]);
  });

  test('that are known change nothing, but a new list has everything looked at', async () => {
    const { queue, times } = trial(() => wait(undefined, '7'));
    queue.add(item('a', '6'));
    await vi.advanceTimersByTimeAsync(50);
    queue.add(item('a', '7'));
    await vi.advanceTimersByTimeAsync(50);
    queue.add(item('a', '7'), true);
    await vi.advanceTimersByTimeAsync(50);
    expect(times('a')).toEqual([0, 100]);
  });

  test('are of the incarnation they name: a new one of the same name waits for the pass of the old one to end', async () => {
    const uids: string[] = [];
    const { queue, times } = trial((_, __, uid) => {
      uids.push(uid);
      return backoff;
    });
    queue.add(item('a', '1', 'first'));
    await vi.advanceTimersByTimeAsync(5);
    queue.add(item('a', '9', 'second'));
    queue.remove(item('a', '8', 'first'));
    await vi.advanceTimersByTimeAsync(500);
    expect(times('a')).toEqual([0, 10]);
    expect(uids).toEqual(['first', 'second']);
  });
});

test('what is removed or done is not looked at again', async () => {
  const { queue, times } = trial((name) => (name === 'done' ? { next: 'forget' } : wait(1)));
  queue.add(item('done'));
  queue.add(item('removed'));
  await vi.advanceTimersByTimeAsync(500);
  queue.remove(item('removed'));
  await vi.advanceTimersByTimeAsync(10_000);
  expect([times('done'), times('removed')]).toEqual([[0], [0]]);
  queue.add(item('done'));
  await vi.advanceTimersByTimeAsync(50);
  expect(times('done')).toHaveLength(2);
});

test('stopping waits for what runs and begins nothing more', async () => {
  const { queue, ran, running } = trial(() => again);
  for (const name of ['a', 'b', 'c']) queue.add(item(name));
  await vi.advanceTimersByTimeAsync(5);
  const stopped = queue.stop().then(() => running.length);
  queue.add(item('d'));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await stopped).toBe(0);
  expect(ran.map(([name]) => name)).toEqual(['a', 'b']);
});

test('whatever comes in whichever order, no instance is worked on twice at once and none is forgotten', async () => {
  const happening = fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    uid: fc.constantFrom('1', '2'),
    version: fc.integer({ min: 1, max: 5 }),
    how: fc.constantFrom('add', 'add', 'add', 'sync', 'remove'),
    pause: fc.integer({ min: 0, max: 30 }),
  });
  const outcome = fc.constantFrom<Outcome>(wait(0.2), wait(), backoff, again, { next: 'forget' });
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 30 }), fc.infiniteStream(outcome), async (all, outcomes) => {
      const seen: string[] = [];
      const { queue, most } = trial((name, _, uid) => {
        seen.push(`${name} ${uid}`);
        return outcomes.next().value;
      });
      for (const { name, uid, version, how, pause } of all) {
        if (how === 'remove') queue.remove(item(name, '1', uid));
        else queue.add(item(name, String(version), uid), how === 'sync');
        await vi.advanceTimersByTimeAsync(pause);
      }
      await vi.advanceTimersByTimeAsync(10_000);
      const before = seen.length;
      queue.add(item('last', '1'), true);
      for (const name of ['a', 'b', 'c']) queue.add(item(name, '9', 'fresh'));
      await vi.advanceTimersByTimeAsync(100);
      expect(seen.slice(before)).toEqual(expect.arrayContaining(['last uid-last', 'a fresh', 'b fresh', 'c fresh']));
      expect(most()).toBeLessThanOrEqual(2);
      const stopped = queue.stop();
      await vi.advanceTimersByTimeAsync(100);
      await stopped;
    }),
    { numRuns: 100 },
  );
});
