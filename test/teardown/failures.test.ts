import { describe, expect, test } from 'vitest';
import { stringAt } from '../../function/json.ts';
import type { Core } from '../../function/teardown/core.ts';
import { until } from '../server/process.ts';
import type { ApiServer, Fault, Received } from './api.server.ts';
import { CONNECTION, LIMITS, startTeardown } from './harness.ts';
import { addInstance, deleteInstance, INSTANCES, instancePlace, PLAN } from './plan.ts';
import { cluster, gone, held, instanceAt, messageOf, pause, shown, titleOf } from './scene.ts';

/** What is left at the end, whatever happened on the way. */
const END = [`${INSTANCES} team-a/green`, 'v1/configmaps team-a/foreign', 'v1/namespaces host-foreign'];

/** blue on its way out, green alive, and what belongs to neither. */
async function scene(): Promise<ApiServer> {
  const server = await cluster();
  server.store.put(INSTANCES, { metadata: { namespace: 'team-a', name: 'green', uid: 'uid-green' } });
  server.store.put('v1/configmaps', { metadata: { namespace: 'team-a', name: 'foreign', labels: { owner: 'other' } } });
  server.store.put('v1/namespaces', { metadata: { name: 'host-foreign', labels: { owner: 'uid' } } });
  addInstance(server, 'blue');
  await using _ = startTeardown(server);
  await held(server, 'blue', 'green');
  deleteInstance(server, 'blue');
  server.calls.length = 0;
  return server;
}

function checkEnd(server: ApiServer): void {
  expect(server.store.names().filter((each) => !each.startsWith('v1/events '))).toEqual(END);
}

/** Calls without the watch, as only those come in an order. */
const isStep = ({ verb, resource }: Received) => verb !== 'watch' && !(verb === 'list' && resource === INSTANCES);

async function undisturbed(): Promise<number> {
  await using server = await scene();
  await using _ = startTeardown(server);
  await gone(server, 'blue');
  return server.calls.filter(isStep).length;
}

/** Runs `one` for every so manieth of the calls, some at a time. */
async function forEachCall(count: number, each: number, one: (number: number) => Promise<void>): Promise<void> {
  const numbers = Array.from({ length: Math.ceil(count / each) }, (_, index) => index * each + 1);
  while (numbers.length > 0) await Promise.all(numbers.splice(0, 8).map(one));
}

/** A fault that meets one call only. */
function once(number: number, fault: (call: Received) => Fault): (call: Received) => Fault {
  let count = 0;
  return (call) => (isStep(call) && ++count === number ? fault(call) : undefined);
}

describe('whichever call it is that', () => {
  const faults: readonly (readonly [what: string, each: number, fault: Fault])[] = [
    ['is forbidden', 1, { refuse: 403 }],
    ['meets a conflict', 1, { refuse: 409, reason: 'Conflict' }],
    ['meets a broken server', 1, { refuse: 500, reason: 'InternalError' }],
    ['is cut off before its answer', 1, { reset: 'after' }],
    // These end within the call or as one of those above.
    ['comes too often', 4, { refuse: 429, reason: 'TooManyRequests' }],
    ['is not authorized', 4, { refuse: 401, reason: 'Unauthorized' }],
    ['is cut off before it arrives', 4, { reset: 'before' }],
    ['is never answered', 4, { hang: true }],
  ];
  test.each(faults)('%s, the end is the same', async (_, each, fault) => {
    await forEachCall(await undisturbed(), each, async (number) => {
      await using server = await scene();
      server.fault = once(number, () => fault);
      await using running = startTeardown(server, { connection: { ...CONNECTION, timeout: 150 } });
      await gone(server, 'blue');
      checkEnd(server);
      await running.stop();
    });
  });

  test.each([['before'], ['after']] as const)(
    'is the last of the process, %s it was carried out: the next process comes to the same end',
    async (when) => {
      await forEachCall((await undisturbed()) + 1, 1, async (number) => {
        await using server = await scene();
        await using first = startTeardown(server);
        server.fault = once(number, () => {
          void first.kill();
          return { reset: when };
        });
        await until(
          'the kill, or the end',
          () => !first.isReady() || instanceAt(server, 'blue') === undefined || undefined,
        );
        await first.kill();
        server.fault = () => undefined;
        await using _ = startTeardown(server);
        await gone(server, 'blue');
        checkEnd(server);
      });
    },
  );

  test('keeps failing, the others go on', async () => {
    await using server = await scene();
    addInstance(server, 'red');
    server.fault = ({ name, body }) =>
      name?.includes('blue') || JSON.stringify(body ?? {}).includes('blue')
        ? { refuse: 500, reason: 'InternalError' }
        : undefined;
    await using _ = startTeardown(server);
    await held(server, 'red');
    deleteInstance(server, 'red');
    await gone(server, 'red');
    expect(instanceAt(server, 'blue')).toBeDefined();
  });
});

test('two replicas at once come to the same end, and do nothing twice', async () => {
  for (let round = 0; round < 10; round++) {
    await using server = await scene();
    await using _ = startTeardown(server);
    await using __ = startTeardown(server);
    await gone(server, 'blue');
    await pause(20);
    checkEnd(server);
    const jobs = server.store.changes.filter(({ type, resource }) => type === 'ADDED' && resource === 'batch/v1/jobs');
    expect(jobs).toHaveLength(1);
  }
});

describe('an action that the API server refuses', () => {
  /** PLAN, and with which failure it was asked while the host Namespace was there or gone. */
  function recording(server: ApiServer) {
    const asked: [state: 'there' | 'going', failure: string | undefined][] = [];
    const core: Core = {
      ...PLAN,
      planTeardown(instance, found, now, failure) {
        const namespace = server.store.at('v1/namespaces', 'host-blue');
        const isThere = namespace !== undefined && stringAt(namespace, 'metadata', 'deletionTimestamp') === undefined;
        asked.push([isThere ? 'there' : 'going', failure?.message]);
        return PLAN.planTeardown(instance, found, now, failure);
      },
    };
    return { core, asked };
  }

  test('shows in the status with its message, is tried again, and heals', async () => {
    await using server = await scene();
    server.fault = ({ verb, resource }) =>
      verb === 'delete' && resource === 'v1/namespaces'
        ? { refuse: 403, message: 'namespaces "host-blue"\nis forbidden' }
        : undefined;
    const { core, asked } = recording(server);
    await using running = startTeardown(server, { core });
    await shown(server, 'blue', 'failed: namespaces "host-blue" is forbidden');
    await pause(200);
    const tries = server.calls.filter((call) => titleOf(call) === 'delete v1/namespaces host-blue').length;
    expect(tries).toBeGreaterThanOrEqual(3);
    expect(tries).toBeLessThanOrEqual(12);
    expect(server.calls.filter((call) => titleOf(call) === `patch ${INSTANCES} blue status`)).toHaveLength(2);
    expect(running.said('cannot go on, trying again')).toMatchObject([
      { level: 'warn', cause: 'cannot delete Namespace host-blue: namespaces "host-blue" is forbidden' },
    ]);
    server.fault = () => undefined;
    await gone(server, 'blue');
    checkEnd(server);
    expect(asked.filter(([state]) => state === 'going').map(([, failure]) => failure)).not.toContain(
      'namespaces "host-blue" is forbidden',
    );
    const messages = server.store.changes.flatMap(({ resource, object }) =>
      resource === INSTANCES ? [(object['status'] as { message?: string } | undefined)?.message] : [],
    );
    expect(messages.filter((each, index) => each !== messages[index - 1]).slice(-3)).toEqual([
      'going on',
      'failed: namespaces "host-blue" is forbidden',
      'going on',
    ]);
    expect(await running.metrics.text()).toContain(
      'teardown_actions_total{verb="delete",kind="Namespace",result="refused"}',
    );
  });

  test('is forgotten once it is not wanted any more', async () => {
    await using server = await scene();
    server.fault = ({ verb, resource }) =>
      verb === 'delete' && resource === 'v1/namespaces' ? { refuse: 403 } : undefined;
    const { core, asked } = recording(server);
    await using _ = startTeardown(server, { core });
    await shown(server, 'blue', 'failed: v1/namespaces is forbidden');
    const place = { ...instancePlace('host-blue'), namespace: undefined, resource: 'v1/namespaces' };
    server.store.delete('v1/namespaces', place);
    await gone(server, 'blue');
    expect(asked.at(-1)).toEqual(['going', undefined]);
    checkEnd(server);
  });

  test('with the conflict of a webhook, which stays however often one looks, shows as well', async () => {
    await using server = await scene();
    server.fault = ({ verb, resource }) =>
      verb === 'delete' && resource === 'v1/namespaces'
        ? { refuse: 409, reason: 'Conflict', message: 'in use by a Usage' }
        : undefined;
    await using _ = startTeardown(server);
    await shown(server, 'blue', 'failed: in use by a Usage');
    server.fault = () => undefined;
    await gone(server, 'blue');
  });
});

describe('what cannot be read', () => {
  test('is said in the status, nothing else is done, and it heals', async () => {
    await using server = await scene();
    server.fault = ({ verb, resource }) =>
      verb === 'list' && resource === 'v1/namespaces' ? { refuse: 403 } : undefined;
    await using running = startTeardown(server);
    const cause = 'cannot list namespaces: v1/namespaces is forbidden';
    await shown(server, 'blue', `blocked: ${cause}`);
    await pause(100);
    expect(server.writes().map(titleOf)).toEqual([`patch ${INSTANCES} blue status`, 'create v1/events']);
    expect(running.said('cannot go on, trying again')).toMatchObject([{ level: 'warn', cause }]);
    server.fault = () => undefined;
    await gone(server, 'blue');
  });

  test('because the API server denies a kind that every one has is not taken for gone', async () => {
    await using server = await scene();
    server.unserved.add('v1/configmaps');
    await using _ = startTeardown(server);
    await shown(server, 'blue', 'blocked: cannot list configmaps in team-a: HTTP 404');
    server.unserved.clear();
    await gone(server, 'blue');
  });

  test('is not taken for absent when it fails together with a status that cannot be written', async () => {
    await using server = await scene();
    server.fault = ({ verb, resource, subresource }) =>
      (verb === 'list' && resource === 'v1/namespaces') || subresource === 'status' ? { refuse: 403 } : undefined;
    await using running = startTeardown(server);
    const line = await until('warning', () => running.said('cannot go on, trying again')[0]);
    expect(line['cause']).toBe(
      'cannot list namespaces: v1/namespaces is forbidden; ' +
        `cannot patch PlatformInstance team-a/blue status: ${INSTANCES} is forbidden`,
    );
    await pause(100);
    expect(running.said('cannot go on, trying again')).toHaveLength(1);
    expect(server.store.at('v1/namespaces', 'host-blue')).toBeDefined();
    expect(messageOf(server, 'blue')).toBeUndefined();
  });
});

test('an API server that is away for a while is waited for', async () => {
  await using server = await scene();
  server.fault = ({ verb, resource }) =>
    verb === 'delete' && resource === 'v1/namespaces' ? { reset: 'before' } : undefined;
  await using running = startTeardown(server, { limits: LIMITS });
  await until('a failure', () => running.said('cannot go on, trying again')[0]);
  await server.stop();
  await pause(300);
  server.fault = () => undefined;
  await server.start();
  await gone(server, 'blue');
  checkEnd(server);
});
