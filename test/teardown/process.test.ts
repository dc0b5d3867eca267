import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { FINALIZER } from '../../function/core/keys.ts';
import { listAt } from '../../function/json.ts';
import { Program, until } from '../server/process.ts';
import type { ApiServer } from './api.server.ts';
import { deleteWorld, instanceOf, left, world } from './world.ts';

const TEARDOWN = fileURLToPath(new URL('../../dist/teardown.js', import.meta.url));
const SENTINEL = 'c2VudGluZWw-sentinel';
const SETTINGS = { ttl: { pending: '1s' } };

class Controller extends Program implements AsyncDisposable {
  readonly folder: string;

  constructor(server: ApiServer, ...flags: string[]) {
    const folder = mkdtempSync(join(tmpdir(), 'teardown-'));
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, server.kubeconfig({ token: SENTINEL }));
    super(['teardown', `--kubeconfig=${kubeconfig}`, '--http-address=127.0.0.1:0', ...flags]);
    this.folder = folder;
  }

  async get(path: string): Promise<Response> {
    const { httpPort } = await this.logged('started');
    return fetch(`http://127.0.0.1:${httpPort}${path}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill('SIGKILL');
    await this.finished();
    rmSync(this.folder, { recursive: true });
  }
}

describe('node dist/main.js teardown', () => {
  test('takes a deleted instance apart, says what it does, and shows how it is', { timeout: 60_000 }, async () => {
    await using server = await world(SETTINGS);
    const place = { namespace: 'team-a', name: 'secretive' };
    server.store.put('v1/configmaps', { metadata: place, data: { password: SENTINEL } });
    await using program = new Controller(server, '--debug');
    await program.logged('watching');
    expect([(await program.get('/healthz')).status, (await program.get('/readyz')).status]).toEqual([200, 200]);
    expect(await (await program.get('/metrics')).text()).toContain('teardown_instances_deleting 0');
    let keep = true;
    server.fault = ({ verb, resource }) =>
      keep && verb === 'delete' && resource === 'pulumi.com/v1/stacks'
        ? { refuse: 403, message: 'stacks are forbidden' }
        : undefined;
    deleteWorld(server);
    const trouble = await program.logged('cannot go on, trying again');
    expect(trouble).toMatchObject({ level: 'warn', instance: 'team-a/blue' });
    const metrics = await (await program.get('/metrics')).text();
    expect(metrics).toContain('teardown_instances_deleting 1');
    expect(metrics).toMatch(/teardown_oldest_deletion_age_seconds \d/);
    expect(metrics).toMatch(/teardown_actions_total\{verb="delete",kind="Stack",result="refused"\} [1-9]/);
    expect(metrics).toMatch(/teardown_api_failures_total\{method="DELETE",status="403"\} [1-9]/);
    keep = false;
    await until('the end', () => (instanceOf(server) === undefined ? true : undefined), 40_000);
    await until(
      'the metric',
      async () => (await (await program.get('/metrics')).text()).includes('teardown_instances_deleting 0') || undefined,
    );
    expect(left(server)).toEqual(['v1/configmaps team-a/secretive']);
    const log = program.log();
    expect(log.filter(({ msg }) => msg === 'deleted').map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['Stack', 'Release', 'Namespace', 'PersistentVolumeClaim', 'Job']),
    );
    for (const line of log) expect(JSON.stringify(line).length).toBeLessThan(1000);
    expect(program.stderr).not.toContain(SENTINEL);
    expect(program.stdout).toBe('');
    expect(await program.stop()).toMatchObject({ code: 0, signal: null });
  });

  test('gives living instances their finalizer', async () => {
    await using server = await world();
    server.store.put('platform.di-framework.dev/v1alpha1/platforminstances', {
      metadata: { namespace: 'team-a', name: 'blue', uid: 'uid-xr' },
    });
    await using _ = new Controller(server);
    await until(
      'finalizer',
      () => listAt(instanceOf(server), 'metadata', 'finalizers').includes(FINALIZER) || undefined,
    );
  });

  test('is not ready before it knows which instances there are', async () => {
    await using server = await world();
    server.fault = () => ({ refuse: 403, reason: 'Forbidden' });
    await using program = new Controller(server);
    await program.logged('cannot watch, trying again');
    expect([(await program.get('/healthz')).status, (await program.get('/readyz')).status]).toEqual([200, 503]);
    server.fault = () => undefined;
    await until('ready', async () => ((await program.get('/readyz')).status === 200 ? true : undefined));
  });

  test('told to stop, finishes the call it is at, begins none, and ends', async () => {
    await using server = await world(SETTINGS);
    await using program = new Controller(server);
    await program.logged('watching');
    let answer = () => {};
    server.hold = ({ verb, resource }) =>
      verb === 'delete' && resource === 'pulumi.com/v1/stacks'
        ? new Promise<void>((resolve) => (answer = resolve))
        : undefined;
    deleteWorld(server);
    await until('the deletion', () => server.writes().find(({ verb }) => verb === 'delete'));
    program.process.kill('SIGTERM');
    await program.logged('stopping');
    const calls = server.calls.length;
    answer();
    expect(await program.finished()).toMatchObject({ code: 0, signal: null });
    expect(program.log().map(({ msg }) => msg)).toEqual(expect.arrayContaining(['deleted', 'stopped']));
    expect(server.calls.length).toBe(calls);
  });

  test('told to stop in a call that never ends, ends nevertheless', { timeout: 30_000 }, async () => {
    await using server = await world(SETTINGS);
    await using program = new Controller(server);
    await program.logged('watching');
    server.fault = ({ verb }) => (verb === 'delete' ? { hang: true } : undefined);
    deleteWorld(server);
    await until('the deletion', () => server.writes().find(({ verb }) => verb === 'delete'));
    const began = Date.now();
    expect(await program.stop()).toMatchObject({ code: 0, signal: null });
    expect(Date.now() - began).toBeLessThan(15_000);
  });

  test('starts within a second', async () => {
    await using server = await world();
    const began = Date.now();
    await using program = new Controller(server);
    await program.logged('watching');
    expect(Date.now() - began).toBeLessThan(1000);
  });
});

describe('what cannot work', () => {
  test.each([
    [['--concurrency=none'], 2, /^cannot tear down: .*--concurrency must be a whole number/],
    [[], 2, /^cannot tear down: --kubeconfig or KUBECONFIG must be set/],
    [['--kubeconfig=/nowhere'], 1, /^cannot read kubeconfig "\/nowhere": ENOENT/],
  ])('%o ends with code %i and one line', async (flags, code, line) => {
    const finished = await new Program(['teardown', ...flags]).finished();
    expect(finished).toMatchObject({ code, stdout: '' });
    expect(finished.stderr).toMatch(line);
    expect(finished.stderr.trim().split('\n')).toHaveLength(1);
  });

  test('an address that is taken ends it with one line', async () => {
    await using server = await world();
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    await using program = new Controller(server, `--http-address=127.0.0.1:${port}`);
    expect(await program.finished()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^cannot listen on .*EADDRINUSE.*\n$/),
    });
    taken.close();
  });
});

describe('the bundles', () => {
  test('--help explains the flags', async () => {
    const { code, stdout } = await new Program(['teardown', '--help']).finished();
    expect([code, stdout]).toEqual([0, expect.stringContaining('--kubeconfig FILE')]);
  });

  test('serving needs no Kubernetes client: main.js does without teardown.js', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'teardown-'));
    const main = join(folder, 'main.mjs');
    copyFileSync(join(TEARDOWN, '../main.js'), main);
    const alone = new Program(['serve', '--insecure', '--address=127.0.0.1:0', '--http-address='], {}, main);
    await alone.logged('serving');
    expect(await alone.stop()).toMatchObject({ code: 0 });
    rmSync(folder, { recursive: true });
    const [text, other] = [readFileSync(join(TEARDOWN, '../main.js'), 'utf8'), readFileSync(TEARDOWN, 'utf8')];
    expect(other).toContain('current-context');
    expect(text).not.toContain('current-context');
    expect(statSync(TEARDOWN).size).toBeLessThan(3 * 1024 * 1024);
  });
});
