import { describe, expect, test } from 'vitest';
import { NOTHING } from '../../function/core/teardown/step.ts';
import { type JsonObject, objectAt, stringAt } from '../../function/json.ts';
import { until } from '../server/process.ts';
import { LIMITS, startTeardown } from './harness.ts';
import { addInstance, deleteInstance, INSTANCES, instancePlace, PLAN } from './plan.ts';
import { cluster, gone, held, instanceAt, messageOf, pause, shown, titleOf } from './scene.ts';

describe('an instance', () => {
  test('gets the finalizer while it lives, and is taken apart in order once it is deleted', async () => {
    await using server = await cluster();
    addInstance(server, 'blue');
    addInstance(server, 'green');
    await using running = startTeardown(server);
    await held(server, 'blue', 'green');
    const before = server.writes().length;
    deleteInstance(server, 'blue');
    await gone(server, 'blue');
    expect(server.store.names()).toEqual([
      `${INSTANCES} team-a/green`,
      'v1/configmaps team-a/green-one',
      'v1/configmaps team-a/green-two',
      'v1/namespaces host-green',
    ]);
    expect(server.writes().slice(before).map(titleOf)).toEqual([
      `patch ${INSTANCES} blue status`,
      `patch ${INSTANCES} blue`,
      'delete v1/configmaps blue-one',
      'delete v1/configmaps blue-two',
      'delete v1/namespaces host-blue',
      'create batch/v1/jobs',
      `patch ${INSTANCES} blue`,
      'delete batch/v1/jobs job-uid-blue',
      `patch ${INSTANCES} blue`,
    ]);
    const written = running.lines.filter(({ level, verb }) => level === 'info' && verb !== undefined);
    expect(
      written.slice(2).map(({ verb, kind, namespace, name, instance }) => ({ verb, kind, namespace, name, instance })),
    ).toEqual([
      patched,
      ...['one', 'two'].map((each) => deleted('ConfigMap', `blue-${each}`, 'team-a')),
      deleted('Namespace', 'host-blue'),
      { ...deleted('Job', 'job-uid-blue', 'cleanup'), verb: 'create' },
      patched,
      deleted('Job', 'job-uid-blue', 'cleanup'),
      patched,
    ]);
    const metrics = await running.metrics.text();
    expect(metrics).toContain('teardown_cleanup_failures_total 1');
    expect(metrics).toContain('teardown_actions_total{verb="delete",kind="Namespace",result="done"} 1');
  });

  test('is never changed but as it was seen: every write carries what it saw', async () => {
    await using server = await cluster();
    addInstance(server, 'blue');
    await using _ = startTeardown(server);
    await held(server, 'blue');
    deleteInstance(server, 'blue');
    await gone(server, 'blue');
    const [deletes, patches] = (['delete', 'patch'] as const).map((verb) =>
      server.writes().filter((each) => each.verb === verb),
    );
    expect(deletes?.length).toBe(4);
    for (const { body } of deletes ?? []) {
      expect(body).toEqual({
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: 'Background',
        preconditions: { uid: expect.stringMatching(/^uid-/), resourceVersion: expect.stringMatching(/^\d+$/) },
      });
    }
    for (const { body, headers, query } of patches ?? []) {
      expect(objectAt(body, 'metadata')).toMatchObject({
        uid: 'uid-blue',
        resourceVersion: expect.stringMatching(/^\d+$/),
      });
      expect(headers['content-type']).toBe('application/merge-patch+json');
      expect(query.get('fieldManager')).toBe('platform-instance-teardown');
    }
  });

  test('is read again right before what cannot be taken back, and nothing of that is done when it has changed', async () => {
    await using server = await cluster();
    addInstance(server, 'blue');
    let changes = 0;
    server.fault = ({ verb, resource, query }) => {
      const isLast = verb === 'get' && resource === 'batch/v1/jobs' && query.size === 0;
      const maps = server.store.list('v1/configmaps');
      // Somebody changes it after everything was looked up, three times over.
      if (isLast && maps.length === 0 && changes < 3 && server.store.list('v1/namespaces').length > 0) {
        server.store.patch(INSTANCES, instancePlace('blue'), { metadata: { labels: { change: String(++changes) } } });
      }
      return undefined;
    };
    await using _ = startTeardown(server);
    await held(server, 'blue');
    deleteInstance(server, 'blue');
    await gone(server, 'blue');
    const order = server.calls.filter(({ verb }) => verb !== 'watch').map(titleOf);
    const destroyed = order.indexOf('delete v1/namespaces host-blue');
    expect(changes).toBe(3);
    expect(order.filter((each) => each === 'delete v1/namespaces host-blue')).toHaveLength(1);
    expect(order[destroyed - 1]).toBe(`get ${INSTANCES} blue`);
    expect(order[order.indexOf('create batch/v1/jobs') - 1]).toBe(`get ${INSTANCES} blue`);
  });

  test('that was re-created with the same name is another one and never touched', async () => {
    await using server = await cluster();
    addInstance(server, 'blue');
    await using running = startTeardown(server);
    await held(server, 'blue');
    deleteInstance(server, 'blue');
    await gone(server, 'blue');
    addInstance(server, 'blue', 'uid-second');
    await held(server, 'blue');
    const second = structuredClone(server.store.names());
    await pause(50);
    expect(server.store.names()).toEqual(second);
    expect(stringAt(instanceAt(server, 'blue'), 'metadata', 'uid')).toBe('uid-second');
    expect(running.said('cannot go on, trying again')).toEqual([]);
  });

  test('that is another one by the time it is read is left to whoever works on that one', async () => {
    await using server = await cluster();
    addInstance(server, 'blue');
    let reads = 0;
    server.fault = ({ verb, resource, name }) => {
      if (verb === 'get' && resource === INSTANCES && name === 'blue' && reads++ === 0) {
        // Replaced between the watch and the read, and its event held back: the watch still shows the first.
        const { metadata } = instanceAt(server, 'blue') as { metadata: JsonObject };
        metadata['uid'] = 'uid-other';
      }
      return undefined;
    };
    await using running = startTeardown(server);
    await until('a look', () => running.said('looked')[0]);
    await pause(30);
    expect(running.said('looked')).toMatchObject([{ next: 'forget' }]);
    expect(server.writes()).toEqual([]);
  });

  test('that holds odd JSON, much of it, or not what it should, holds nobody up and ends nothing', async () => {
    await using server = await cluster();
    const odd = {
      apiVersion: 'odd',
      kind: 7,
      spec: [null, { deep: '\u0000' }],
      status: 'text',
      big: 'x'.repeat(3_000_000),
    };
    server.store.put(INSTANCES, {
      ...odd,
      metadata: { namespace: 'team-a', name: 'odd', finalizers: { not: 'a list' } },
    });
    server.store.put(INSTANCES, { metadata: { name: 'nowhere' } });
    addInstance(server, 'blue');
    await using running = startTeardown(server, {
      core: {
        ...PLAN,
        planTeardown(instance, ...rest) {
          if (stringAt(instance, 'metadata', 'name') === 'odd') throw new TypeError('sentinel-in-a-body');
          return PLAN.planTeardown(instance, ...rest);
        },
      },
    });
    await held(server, 'blue');
    deleteInstance(server, 'blue');
    await gone(server, 'blue');
    expect(running.said('cannot go on, trying again')).toMatchObject([
      { level: 'error', instance: 'team-a/odd', cause: 'internal error', error: 'TypeError' },
    ]);
    expect(JSON.stringify(running.lines)).not.toContain('sentinel');
  });

  test('whose plan never ends is worked on at a bounded rate', async () => {
    await using server = await cluster();
    addInstance(server, 'blue');
    await using running = startTeardown(server, {
      core: { ...PLAN, planTeardown: () => ({ ...NOTHING, metadata: { labels: { same: 'always' } } }) },
      limits: { ...LIMITS, queue: { ...LIMITS.queue, burst: 10, base: 200, cap: 1000 } },
    });
    await pause(350);
    expect(running.said('looked').length).toBeGreaterThanOrEqual(10);
    expect(running.said('looked').length).toBeLessThanOrEqual(20);
  });
});

describe('events', () => {
  test('are posted once their status is written, and none for a status that was not', async () => {
    await using server = await cluster();
    addInstance(server, 'blue');
    let refusals = 2;
    server.fault = ({ verb, resource, subresource }) => {
      if (verb === 'delete' && resource === 'v1/namespaces') return { refuse: 403, message: 'not today' };
      if (subresource === 'status' && messageOf(server, 'blue') === 'going on' && refusals-- > 0)
        return { refuse: 403 };
      return undefined;
    };
    await using _ = startTeardown(server);
    await held(server, 'blue');
    deleteInstance(server, 'blue');
    await shown(server, 'blue', 'failed: not today');
    await until('event', () => server.store.list('v1/events')[0]);
    await pause(50);
    expect(server.store.list('v1/events')).toMatchObject([
      {
        metadata: { namespace: 'team-a' },
        involvedObject: { kind: 'PlatformInstance', namespace: 'team-a', name: 'blue', uid: 'uid-blue' },
        type: 'Warning',
        reason: 'Failed',
        message: 'failed: not today',
        reportingComponent: 'platform-instance-teardown',
      },
    ]);
  });

  test('that cannot be posted hold nothing up', async () => {
    await using server = await cluster();
    addInstance(server, 'blue');
    let refusals = 1;
    server.fault = ({ verb, resource }) => {
      if (resource === 'v1/events') return { refuse: 403 };
      return verb === 'delete' && resource === 'v1/namespaces' && refusals-- > 0 ? { refuse: 403 } : undefined;
    };
    await using _ = startTeardown(server);
    await held(server, 'blue');
    deleteInstance(server, 'blue');
    await gone(server, 'blue');
    expect(server.calls.filter(({ resource }) => resource === 'v1/events')).toHaveLength(1);
  });
});

const blue = { instance: 'team-a/blue' };
const patched = { verb: 'patch', kind: 'PlatformInstance', namespace: 'team-a', name: 'blue', ...blue };
const deleted = (kind: string, name: string, namespace?: string) => ({
  verb: 'delete',
  kind,
  namespace,
  name,
  ...blue,
});
