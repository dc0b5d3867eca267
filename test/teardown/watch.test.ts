import { describe, expect, test } from 'vitest';
import { until } from '../server/process.ts';
import type { ApiServer, Received } from './api.server.ts';
import { LIMITS, type Running, startTeardown } from './harness.ts';
import { addInstance, INSTANCES } from './plan.ts';
import { cluster, held, pause } from './scene.ts';

const of = (server: ApiServer, verb: Received['verb']) =>
  server.calls.filter((call) => call.resource === INSTANCES && call.verb === verb);
const versions = (server: ApiServer) => of(server, 'watch').map(({ query }) => query.get('resourceVersion'));
const watching = (server: ApiServer) => until('a watch', () => server.watchCount > 0 || undefined);
const restarts = async (running: Running) =>
  Number(/teardown_watch_restarts_total (\d+)/.exec(await running.metrics.text())?.[1]);

describe('the watch', () => {
  test('begins where the list ended, of all namespaces, and asks for bookmarks and for metadata only', async () => {
    await using server = await cluster();
    addInstance(server, 'blue');
    server.store.put(INSTANCES, { metadata: { namespace: 'elsewhere', name: 'red', uid: 'uid-red' } });
    const version = server.store.now;
    await using running = startTeardown(server);
    expect(running.isReady()).toBe(false);
    await watching(server);
    expect(running.isReady()).toBe(true);
    const [call] = of(server, 'watch');
    expect(Object.fromEntries(call?.query ?? [])).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: String(version),
      timeoutSeconds: '60',
    });
    expect(call?.collection).toBe('/apis/platform.di-framework.dev/v1alpha1/platforminstances');
    expect(call?.headers.accept).toBe('application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json');
    expect(running.said('watching')).toMatchObject([{ instances: 2 }]);
  });

  test('lists page by page', async () => {
    await using server = await cluster();
    server.pageSize = 3;
    const names = Array.from({ length: 10 }, (_, index) => `i${index}`);
    for (const name of names) addInstance(server, name);
    await using _ = startTeardown(server);
    await held(server, ...names);
    expect(of(server, 'list').map(({ query }) => query.get('continue'))).toEqual([null, '3', '6', '9']);
    expect(of(server, 'list').map(({ query }) => query.get('limit'))).toEqual(['500', '500', '500', '500']);
  });

  test('that is cut off goes on from the last event or bookmark, without a list', async () => {
    await using server = await cluster();
    addInstance(server, 'blue');
    await using running = startTeardown(server);
    await held(server, 'blue');
    await pause(20);
    server.store.put('v1/configmaps', { metadata: { namespace: 'other', name: 'moves-the-version' } });
    server.bookmark();
    await pause(20);
    const version = server.store.now;
    server.dropWatches();
    await until('second watch', () => of(server, 'watch')[1]);
    addInstance(server, 'green');
    await held(server, 'green');
    expect(of(server, 'list')).toHaveLength(1);
    expect(versions(server)[1]).toBe(String(version));
    expect(await restarts(running)).toBe(1);
  });

  test('says that it goes on after trouble', async () => {
    await using server = await cluster();
    await using running = startTeardown(server);
    await watching(server);
    let refusals = 2;
    server.fault = ({ verb }) =>
      verb === 'watch' && refusals-- > 0 ? { refuse: 403, message: 'not for you' } : undefined;
    server.dropWatches();
    await until('the third watch', () => (server.watchCount > 0 && refusals < 0) || undefined);
    await until('its line', () => running.said('watching')[1]);
    expect(of(server, 'list')).toHaveLength(1);
    const told = running.lines
      .filter(({ level }) => level !== 'debug')
      .map(({ msg, cause }) => [msg, cause].filter(Boolean).join(': '));
    expect(told.filter((each) => each !== 'cannot watch, trying again: aborted')).toEqual([
      'watching',
      'cannot watch, trying again: not for you',
      'watching',
    ]);
  });

  test.each([
    ['at its beginning', (server: ApiServer) => server.dropWatches()],
    ['in its middle', (server: ApiServer) => server.failWatches(410)],
  ])('from a version that has expired, told %s, begins anew with a list that misses nothing', async (_, end) => {
    await using server = await cluster();
    addInstance(server, 'blue');
    await using running = startTeardown(server);
    await held(server, 'blue');
    await pause(20);
    server.fault = ({ verb }) => (verb === 'watch' ? { refuse: 503, reason: 'ServiceUnavailable' } : undefined);
    end(server);
    addInstance(server, 'green');
    server.oldest = server.store.now;
    server.fault = () => undefined;
    await held(server, 'green');
    expect(of(server, 'list')).toHaveLength(2);
    expect(running.said('cannot watch, trying again').length).toBeLessThanOrEqual(1);
  });

  test.each([
    ['an error of the server', '{"type":"ERROR","object":{"kind":"Status","code":500,"message":"cannot decode"}}\n'],
    ['what is no event', 'sentinel-in-a-body\n'],
    ['an event without an object', '{"type":"ADDED"}\n'],
  ])('that brings %s begins anew with a list', async (_, text) => {
    await using server = await cluster();
    await using running = startTeardown(server);
    await watching(server);
    await pause(10);
    server.sendToWatches(text);
    await until('second list', () => of(server, 'list')[1]);
    addInstance(server, 'blue');
    await held(server, 'blue');
    expect(JSON.stringify(running.lines)).not.toContain('sentinel');
    expect(running.said('cannot watch, trying again')).toHaveLength(1);
  });

  test('passes over odd objects', async () => {
    await using server = await cluster();
    await using running = startTeardown(server);
    await watching(server);
    await pause(10);
    for (const object of [
      {},
      { metadata: 7 },
      { metadata: { name: 'x' } },
      { metadata: { name: {}, namespace: [], uid: 1 } },
    ])
      server.sendToWatches(`${JSON.stringify({ type: 'ADDED', object })}\n`);
    addInstance(server, 'blue');
    await held(server, 'blue');
    expect(of(server, 'list')).toHaveLength(1);
    expect(running.said('cannot watch, trying again')).toEqual([]);
  });

  test('takes events that come in pieces, and many at once', async () => {
    await using server = await cluster();
    await using _ = startTeardown(server);
    await watching(server);
    await pause(10);
    const event = (name: string) => {
      const object = {
        metadata: { namespace: 'team-a', name, uid: `uid-${name}`, resourceVersion: '1', labels: { é: '💡' } },
      };
      return Buffer.from(`${JSON.stringify({ type: 'ADDED', object })}\n`);
    };
    const looked = (name: string) =>
      until(
        `look at ${name}`,
        () => server.calls.some((call) => call.verb === 'get' && call.name === name) || undefined,
      );
    for (const byte of event('slow')) {
      server.sendToWatches(Buffer.from([byte]));
      await pause(0);
    }
    await looked('slow');
    server.sendToWatches(Buffer.concat([event('one'), event('two')]));
    await looked('one');
    await looked('two');
  });

  test('that is silent is renewed, and one that never begins as well', async () => {
    await using server = await cluster();
    let hanging = 2;
    server.fault = ({ verb }) => (verb === 'watch' && hanging-- > 0 ? { hang: true } : undefined);
    const stream = { opening: 60, lifetime: 60_000, silence: 150 };
    await using _ = startTeardown(server, { limits: { ...LIMITS, stream } });
    await until('five watches', () => of(server, 'watch')[4]);
    addInstance(server, 'blue');
    await held(server, 'blue');
    expect(of(server, 'list')).toHaveLength(1);
  });

  test('is tried again with pauses that grow, and says once why', async () => {
    await using server = await cluster();
    server.fault = ({ resource }) => (resource === INSTANCES ? { refuse: 403, message: 'not for you' } : undefined);
    await using running = startTeardown(server);
    await pause(500);
    expect(of(server, 'list').length).toBeGreaterThanOrEqual(5);
    expect(of(server, 'list').length).toBeLessThanOrEqual(12);
    expect(running.said('cannot watch, trying again')).toMatchObject([{ level: 'warn', cause: 'not for you' }]);
    expect(running.isReady()).toBe(false);
    server.fault = () => undefined;
    addInstance(server, 'blue');
    await held(server, 'blue');
  });

  test('of a server that is away goes on when it is back, and sees what was deleted and created meanwhile', async () => {
    await using server = await cluster();
    addInstance(server, 'blue');
    addInstance(server, 'old');
    await using running = startTeardown(server);
    await held(server, 'blue', 'old');
    await server.stop();
    server.oldest = server.store.now + 1;
    addInstance(server, 'green');
    await pause(300);
    await server.start();
    await held(server, 'green');
    expect(running.said('cannot watch, trying again').length).toBeGreaterThanOrEqual(1);
    expect(running.said('cannot watch, trying again').length).toBeLessThanOrEqual(3);
    expect(running.said('watching').length).toBe(2);
  });
});

describe('a kind that is not served yet', () => {
  test('is waited for quietly: one line, ready, and everything is found once it is there', async () => {
    await using server = await cluster();
    server.unserved.add(INSTANCES);
    await using running = startTeardown(server);
    await until('several attempts', () => of(server, 'list')[5]);
    expect(running.isReady()).toBe(true);
    expect(running.lines.filter(({ level }) => level !== 'debug').map(({ msg }) => msg)).toEqual([
      'PlatformInstances are not served yet',
    ]);
    addInstance(server, 'blue');
    server.unserved.clear();
    await held(server, 'blue');
    server.unserved.add(INSTANCES);
    server.dropWatches();
    await until('second line', () => running.said('PlatformInstances are not served yet')[1]);
  });
});
