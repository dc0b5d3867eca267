import { expect, test } from 'vitest';
import { blocked, lookups, planTeardown } from '../../function/core/teardown/index.ts';
import type { Core } from '../../function/teardown/core.ts';
import { until } from '../server/process.ts';
import type { ApiServer, Received } from './api.server.ts';
import { startTeardown } from './harness.ts';
import { deleteWorld, instanceOf, left, world } from './world.ts';

/** The plan of the product, looked at more often than it asks for. */
const CORE: Core = {
  lookups,
  blocked,
  planTeardown(...args) {
    const step = planTeardown(...args);
    return { ...step, againIn: step.againIn === undefined ? undefined : 0.005 };
  },
};

const ended = (server: ApiServer) => until('its end', () => (instanceOf(server) === undefined ? true : undefined));

test('a whole instance goes, with everything that was made for it', async () => {
  await using server = await world();
  const before = left(server).length;
  await using running = startTeardown(server, { core: CORE });
  deleteWorld(server);
  await ended(server);
  expect(before).toBeGreaterThan(20);
  expect(left(server)).toEqual([]);
  expect(running.said('cannot go on, trying again')).toEqual([]);
});

test('of two replicas at once none does twice what the other did', async () => {
  await using server = await world();
  await using _ = startTeardown(server, { core: CORE });
  await using __ = startTeardown(server, { core: CORE });
  deleteWorld(server);
  await ended(server);
  expect(left(server)).toEqual([]);
  const jobs = server.store.changes.filter(({ type, resource }) => type === 'ADDED' && resource === 'batch/v1/jobs');
  expect(jobs).toHaveLength(1);
});

/** Ends the process at its call of that number, and starts another one. */
async function killedAt(
  number: number,
  when: 'before' | 'after',
  isCounted: (call: Received) => boolean,
): Promise<boolean> {
  await using server = await world();
  await using first = startTeardown(server, { core: CORE });
  let count = 0;
  let killed = false;
  server.fault = (call) => {
    if (!isCounted(call) || ++count !== number) return undefined;
    killed = true;
    void first.kill();
    return { reset: when };
  };
  deleteWorld(server);
  await until('the kill, or the end', () => killed || instanceOf(server) === undefined || undefined);
  await first.kill();
  server.fault = () => undefined;
  await using _ = startTeardown(server, { core: CORE });
  await ended(server);
  expect(left(server)).toEqual([]);
  return killed;
}

const isWrite = ({ verb }: Received) => verb === 'patch' || verb === 'delete' || verb === 'create';

test('killed at whichever change, before or after it was made, the next process comes to the same end', async () => {
  let number = 1;
  while (await killedAt(number, number % 2 === 0 ? 'before' : 'after', isWrite)) number++;
  expect(number).toBeGreaterThan(30);
}, 120_000);

test('killed while it looks around, the next process comes to the same end', async () => {
  // Looks are many and alike: a spread of them.
  let number = 1;
  while (await killedAt(number, 'after', (call) => !isWrite(call))) number += 23;
  expect(number).toBeGreaterThan(200);
}, 120_000);
