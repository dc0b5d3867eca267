import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Kinds } from '../../function/core/teardown/requests.ts';
import type { JsonObject } from '../../function/json.ts';
import { type Api, createApi } from '../../function/teardown/api.ts';
import { loadConfiguration } from '../../function/teardown/configuration.ts';
import { type Connection, connect } from '../../function/teardown/connection.ts';
import { ApiError } from '../../function/teardown/errors.ts';
import { createAuthority } from '../server/certificates.ts';
import { ApiServer } from './api.server.ts';
import { CONNECTION, configurationOf } from './harness.ts';

const never = new AbortController().signal;
const folders: string[] = [];
const connections: Connection[] = [];
afterEach(() => {
  for (const connection of connections.splice(0)) connection.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function apiOf(load: Parameters<typeof connect>[0], limits = CONNECTION, stop = never, kill = never): Api {
  const connection = connect(load, limits, { stop, kill }, () => undefined);
  connections.push(connection);
  return createApi(connection);
}

function file(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'teardown-'));
  folders.push(folder);
  const path = join(folder, 'file');
  writeFileSync(path, text);
  return path;
}

const MAP = { ...Kinds.ConfigMap, namespace: 'ns', name: 'map' };
const SEEN = { ...MAP, uid: 'uid-map', resourceVersion: '1001' };

async function serverWithMap(tls?: ConstructorParameters<typeof ApiServer>[0]): Promise<ApiServer> {
  const server = await new ApiServer(tls).start();
  server.store.put('v1/configmaps', { metadata: { namespace: 'ns', name: 'map', uid: 'uid-map' } });
  return server;
}

async function failureOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (cause) => cause,
  );
  return error instanceof ApiError ? `${error.status} ${error.reason}: ${error.sentence()}` : String(error);
}

describe('what is read', () => {
  test('is the plain JSON of the API server, with fields that nobody knows and times as text', async () => {
    await using server = await new ApiServer().start();
    const odd = {
      since: '2026-01-01T00:00:00Z',
      unknown: [1.5, null, { deep: true }],
      constructor: 'text',
      big: 2 ** 53,
    };
    const stored = server.store.put('helm.m.crossplane.io/v1beta1/releases', {
      metadata: { namespace: 'ns', name: 'r' },
      odd,
    });
    const api = apiOf(() => configurationOf(server.kubeconfig()));
    expect(await api.read({ ...Kinds.Release, namespace: 'ns', name: 'r' })).toEqual(stored);
  });

  test('is undefined or empty when it does not exist, whether or not its kind does', async () => {
    await using server = await new ApiServer().start();
    const api = apiOf(() => configurationOf(server.kubeconfig()));
    expect(await api.read(MAP)).toBeUndefined();
    expect(await api.list({ ...Kinds.ConfigMap, labels: {} })).toEqual([]);
    server.unserved.add('pulumi.com/v1/stacks');
    expect(await api.read({ ...Kinds.Stack, namespace: 'ns', name: 's' })).toBeUndefined();
    expect(await api.list({ ...Kinds.Stack, labels: {} })).toEqual([]);
  });

  test('is not taken for missing when somebody else answers 404, or a kind is denied that every API server has', async () => {
    await using server = await new ApiServer().start();
    const api = apiOf(() => configurationOf(server.kubeconfig()));
    server.unserved.add('v1/namespaces');
    await expect(api.list({ ...Kinds.Namespace, labels: {} })).rejects.toThrow('HTTP 404');
    await expect(api.read({ ...Kinds.Namespace, name: 'n' })).rejects.toThrow('HTTP 404');
    server.fault = () => ({ refuse: 404, reason: 'Proxy', message: 'no such host' });
    await expect(api.list({ ...Kinds.Stack, labels: {} })).rejects.toThrow('no such host');
  });

  test('is all of a list in pages, those with the labels, and each says what it is', async () => {
    await using server = await new ApiServer().start();
    server.pageSize = 7;
    for (let index = 0; index < 40; index++) {
      const labels = { owner: index % 2 === 0 ? 'us' : 'them', kind: 'x' };
      server.store.put('v1/persistentvolumes', { metadata: { name: `pv-${index}`, labels } });
    }
    const api = apiOf(() => configurationOf(server.kubeconfig()));
    const found = await api.list({ ...Kinds.Volume, labels: { owner: 'us', kind: 'x' } });
    expect(found).toHaveLength(20);
    expect(new Set(found.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`))).toEqual(
      new Set(['v1 PersistentVolume']),
    );
    expect(server.calls.map(({ query }) => query.get('labelSelector'))).toEqual(Array(3).fill('owner=us,kind=x'));
  });

  test('is listed from the beginning when a page is no longer known', async () => {
    await using server = await new ApiServer().start();
    server.pageSize = 2;
    for (const name of ['a', 'b', 'c']) server.store.put('v1/namespaces', { metadata: { name } });
    let expired = 1;
    server.fault = ({ query }) =>
      query.has('continue') && expired-- > 0 ? { refuse: 410, reason: 'Expired' } : undefined;
    const api = apiOf(() => configurationOf(server.kubeconfig()));
    const found = await api.list({ ...Kinds.Namespace, labels: {} });
    expect(found.map(({ metadata }) => (metadata as JsonObject)['name'])).toEqual(['a', 'b', 'c']);
    expect(server.calls).toHaveLength(4);
  });
});

describe('what is written', () => {
  test.each(['', '.', '..'])('needs a name: %o would mean something else', async (name) => {
    await using server = await serverWithMap();
    const api = apiOf(() => configurationOf(server.kubeconfig()));
    for (const object of [
      { ...SEEN, name },
      { ...SEEN, namespace: name },
    ]) {
      expect(await failureOf(api.remove(object))).toContain('cannot be reached');
      expect(await failureOf(api.patch(object, {}))).toContain('cannot be reached');
    }
    expect(server.calls).toEqual([]);
  });

  test('needs what was seen: without it the API server would take whichever object there is', async () => {
    await using server = await serverWithMap();
    const api = apiOf(() => configurationOf(server.kubeconfig()));
    for (const object of [
      { ...SEEN, uid: '' },
      { ...SEEN, resourceVersion: '' },
    ]) {
      expect(await failureOf(api.remove(object))).toContain('cannot delete ConfigMap ns/map: ');
      expect(await failureOf(api.patch(object, {}))).toContain('cannot patch ConfigMap ns/map: ');
    }
    expect(server.calls).toEqual([]);
  });

  test('cannot bring its own idea of what was seen', async () => {
    await using server = await serverWithMap();
    const api = apiOf(() => configurationOf(server.kubeconfig()));
    await api.patch(SEEN, { metadata: { resourceVersion: null, uid: 'x', labels: { a: 'b' } } });
    expect(server.calls[0]?.body).toEqual({
      metadata: { labels: { a: 'b' }, uid: 'uid-map', resourceVersion: '1001' },
    });
    expect(await failureOf(api.remove(SEEN))).toContain('409 Conflict: cannot delete ConfigMap ns/map: ');
  });

  test('reaches names with whatever characters', async () => {
    await using server = await new ApiServer().start();
    const api = apiOf(() => configurationOf(server.kubeconfig()));
    await failureOf(api.remove({ ...Kinds.ClusterRole, name: 'system:a/../b?c#d', uid: 'u', resourceVersion: '1' }));
    expect(server.calls[0]).toMatchObject({
      name: 'system:a/../b?c#d',
      resource: 'rbac.authorization.k8s.io/v1/clusterroles',
    });
  });
});

describe('a call', () => {
  test.each([
    [{ refuse: 429, reason: 'TooManyRequests' }, 3],
    [{ refuse: 503, reason: 'ServiceUnavailable' }, 3],
    [{ reset: 'before' }, 3],
    [{ refuse: 403, reason: 'Forbidden' }, 1],
    [{ refuse: 409, reason: 'Conflict' }, 1],
    [{ refuse: 422, reason: 'Invalid' }, 1],
    [{ hang: true }, 1],
  ] as const)('that meets %o is made %i times at most', async (fault, times) => {
    await using server = await serverWithMap();
    server.fault = () => fault;
    const api = apiOf(() => configurationOf(server.kubeconfig()), { timeout: 50, retryPause: 1 });
    expect(await failureOf(api.read(MAP))).toContain('cannot read ConfigMap ns/map: ');
    expect(server.calls).toHaveLength(times);
  });

  test('says what the API server said in one bounded line, also when that is no Status', async () => {
    await using server = await serverWithMap();
    const api = apiOf(() => configurationOf(server.kubeconfig()));
    server.fault = () => ({ refuse: 403, message: `no\n${'x'.repeat(5000)}` });
    const said = await failureOf(api.read(MAP));
    expect(said).toMatch(/^403 Forbidden: cannot read ConfigMap ns\/map: no x+…$/);
    expect(said.length).toBeLessThan(500);
    server.fault = () => ({ refuse: 418, reason: '', message: "<html>a proxy's page</html>" });
    expect(await failureOf(api.read(MAP))).toBe('418 HTTP418: cannot read ConfigMap ns/map: HTTP 418');
  });

  test('uses connections again', async () => {
    await using server = await serverWithMap();
    const ports = new Set<string>();
    server.fault = ({ headers, port }) => void ports.add(`${headers.host} ${port}`);
    const api = apiOf(() => configurationOf(server.kubeconfig()));
    for (let count = 0; count < 5; count++) await api.read(MAP);
    expect(ports.size).toBe(1);
  });

  test('does not begin once told to stop, and ends when killed', async () => {
    await using server = await serverWithMap();
    const [stop, kill] = [new AbortController(), new AbortController()];
    const api = apiOf(() => configurationOf(server.kubeconfig()), CONNECTION, stop.signal, kill.signal);
    server.fault = () => ({ hang: true });
    const running = failureOf(api.read(MAP));
    await vi.waitFor(() => expect(server.calls).toHaveLength(1));
    stop.abort();
    expect(await failureOf(api.read(MAP))).toContain('the controller stops');
    kill.abort();
    expect(await running).toContain('cannot read ConfigMap ns/map: ');
    expect(server.calls).toHaveLength(1);
  });
});

describe('authentication', () => {
  test('reads a token again when its file has changed and the old one is refused', async () => {
    await using server = await serverWithMap();
    let valid = 'first';
    server.fault = ({ headers }) =>
      headers.authorization === `Bearer ${valid}` ? undefined : { refuse: 401, reason: 'Unauthorized' };
    const token = file('first');
    const user = { 'auth-provider': { name: 'tokenFile', config: { tokenFile: token } } };
    const kubeconfig = file(server.kubeconfig(user));
    const api = apiOf(() => loadConfiguration({ files: [kubeconfig] }));
    expect(await api.read(MAP)).toBeDefined();
    valid = 'second';
    expect(await failureOf(api.read(MAP))).toContain('401 Unauthorized');
    writeFileSync(token, 'second');
    expect(await api.read(MAP)).toBeDefined();
  });

  test('follows a kubeconfig that was replaced', async () => {
    await using server = await serverWithMap();
    let valid = 'first';
    server.fault = ({ headers }) =>
      headers.authorization === `Bearer ${valid}` ? undefined : { refuse: 401, reason: 'Unauthorized' };
    const kubeconfig = file(server.kubeconfig({ token: 'first' }));
    const api = apiOf(() => loadConfiguration({ files: [kubeconfig] }));
    expect(await api.read(MAP)).toBeDefined();
    valid = 'second';
    writeFileSync(kubeconfig, 'half: [written');
    expect(await failureOf(api.read(MAP))).toContain('401 Unauthorized');
    writeFileSync(kubeconfig, server.kubeconfig({ token: 'second' }));
    expect(await api.read(MAP)).toBeDefined();
  });

  test('is mutual TLS when the kubeconfig says so, and a server of another authority is not believed', async () => {
    const [ours, other] = [createAuthority('ours'), createAuthority('other')];
    const [own, client] = [ours.issue('server'), ours.issue('client')];
    await using server = await serverWithMap({
      cert: own.certificate,
      key: own.key,
      ca: ours.certificate,
      requestCert: true,
      rejectUnauthorized: true,
    });
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const user = { 'client-certificate-data': base64(client.certificate), 'client-key-data': base64(client.key) };
    const cluster = (authority: string) => ({ 'certificate-authority-data': base64(authority) });
    const good = apiOf(() => configurationOf(server.kubeconfig(user, cluster(ours.certificate))));
    expect(await good.read(MAP)).toBeDefined();
    const anonymous = apiOf(() => configurationOf(server.kubeconfig({}, cluster(ours.certificate))));
    expect(await failureOf(anonymous.read(MAP))).toMatch(/^0 /);
    const wrong = apiOf(() => configurationOf(server.kubeconfig(user, cluster(other.certificate))));
    expect(await failureOf(wrong.read(MAP))).toMatch(/^0 .*certificate/);
  });
});

describe('a kubeconfig', () => {
  test.each([
    ['that is not there', '/nowhere/kubeconfig', /^cannot read kubeconfig "\/nowhere\/kubeconfig": ENOENT/],
    ['that is no YAML', () => file('token: "sentinel'), /^cannot read kubeconfig ".*": it is no YAML$/],
    ['that is empty', () => file(''), /^cannot read kubeconfig ".*": /],
    ['without a context', () => file('{"clusters": [], "users": [], "contexts": []}'), /names no cluster$/],
    [
      'with a server that is none',
      () =>
        file(
          '{"current-context": "a", "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}], ' +
            '"clusters": [{"name": "a", "cluster": {"server": "none"}}]}',
        ),
      /^cannot use the kubeconfig: the server of its cluster is no URL$/,
    ],
  ])('%s is told in one sentence', (_, path, sentence) => {
    const files = [typeof path === 'string' ? path : path()];
    expect(() => loadConfiguration({ files })).toThrow(sentence);
  });

  test('may stand in several files', async () => {
    await using server = await serverWithMap();
    const { clusters, users, contexts, ...rest } = JSON.parse(server.kubeconfig({ token: 'it' }));
    const files = [file(JSON.stringify({ ...rest, contexts })), file(JSON.stringify({ clusters, users }))];
    const api = apiOf(() => loadConfiguration({ files }));
    expect(await api.read(MAP)).toBeDefined();
    expect(server.calls[0]?.headers.authorization).toBe('Bearer it');
  });
});
