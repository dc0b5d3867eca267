import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { RawClient, V1 } from './client.ts';
import { INSTANCE, requestBytes } from './messages.ts';
import { serving, until } from './process.ts';

const request = requestBytes({ composite: INSTANCE });
const Serving = { Serving: 1, NotServing: 2, ServiceUnknown: 3 };

/** A call whose second half is sent when told: until then it is in flight, however fast the function answers. */
async function halfCall(session: ClientHttp2Session) {
  const framed = Buffer.concat([Buffer.from([0, 0, 0, 0, 0]), request]);
  framed.writeUInt32BE(request.length, 1);
  const stream = session.request({
    ':method': 'POST',
    ':path': V1,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  let status: unknown;
  stream.on('trailers', (trailers) => (status = trailers['grpc-status']));
  stream.on('error', () => undefined);
  stream.resume();
  stream.write(framed.subarray(0, 10));
  await new Promise((resolve) => setTimeout(resolve, 100));
  return async () => {
    stream.end(framed.subarray(10));
    await once(stream, 'close');
    return status;
  };
}

async function connectTo(port: number): Promise<ClientHttp2Session> {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  await once(session, 'connect');
  return session;
}

describe('health', () => {
  test('Check says SERVING for the server and both services, and does not know others', async () => {
    await using program = await serving(['--insecure']);
    using client = new RawClient(program.port);
    const names = [
      '',
      'apiextensions.fn.proto.v1.FunctionRunnerService',
      'apiextensions.fn.proto.v1beta1.FunctionRunnerService',
    ];
    for (const name of names) expect(await client.health(name)).toEqual({ status: Serving.Serving });
    expect(await client.health('other')).toEqual({ code: status.NOT_FOUND });
  });

  test('Watch tells of the end before it comes, and readiness with it', async () => {
    await using program = await serving(['--insecure']);
    using client = new RawClient(program.port);
    const [watched, unknown] = [client.watch(), client.watch('other')];
    await until('first status', () => (watched.statuses.length * unknown.statuses.length > 0 ? true : undefined));
    const session = await connectTo(program.port);
    const finish = await halfCall(session);
    program.process.kill('SIGTERM');
    expect(await watched.ended).toBe(status.OK);
    expect(watched.statuses).toEqual([Serving.Serving, Serving.NotServing]);
    expect(unknown.statuses).toEqual([Serving.ServiceUnknown]);
    const http = async (path: string) => (await fetch(`http://127.0.0.1:${program.httpPort}${path}`)).status;
    expect([await http('/readyz'), await http('/healthz')]).toEqual([503, 200]);
    expect(await finish()).toBe('0');
    expect(await program.finished()).toMatchObject({ code: 0, signal: null });
  });
});

describe('HTTP', () => {
  test('serves metrics of the calls, liveness and readiness, and nothing else', async () => {
    await using program = await serving(['--insecure']);
    using client = new RawClient(program.port);
    await client.call(request);
    await client.call(Buffer.from([0xff]));
    const http = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${program.httpPort}${path}`, init);
    const metrics = await (await http('/metrics')).text();
    const sample = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(metrics)?.[1]);
    const total = ['fatal', 'warning', 'normal', 'none'].reduce(
      (sum, severity) => sum + sample(`function_run_calls_total\\{severity="${severity}"\\}`),
      0,
    );
    expect(total).toBe(1);
    expect(sample('function_run_calls_total\\{severity="undecodable"\\}')).toBe(1);
    expect(sample('function_run_seconds_count')).toBe(2);
    expect(sample('function_run_request_bytes_sum')).toBe(request.length + 1);
    expect(sample('process_resident_memory_bytes')).toBeGreaterThan(0);
    expect(
      await Promise.all(
        ['/healthz', '/readyz', '/', '/metrics/x', '/constructor'].map(async (path) => (await http(path)).status),
      ),
    ).toEqual([200, 200, 404, 404, 404]);
    expect((await http('/metrics', { method: 'POST' })).status).toBe(405);
  });
});

describe('the end', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends an idle server at once with exit code 0', async (signal) => {
    await using program = await serving(['--insecure']);
    using client = new RawClient(program.port);
    await client.call(request);
    const asked = Date.now();
    program.process.kill(signal);
    expect(await program.finished()).toMatchObject({ code: 0, signal: null });
    expect(Date.now() - asked).toBeLessThan(2000);
  });

  test('a call in flight is answered, new connections are refused, and then it exits', async () => {
    await using program = await serving(['--insecure']);
    const session = await connectTo(program.port);
    const goaway = once(session, 'goaway');
    const finish = await halfCall(session);
    program.process.kill('SIGTERM');
    await program.logged('draining');
    await goaway;
    const late = connect(`http://127.0.0.1:${program.port}`);
    const [refused] = await once(late, 'error');
    expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
    expect(await finish()).toBe('0');
    expect(await program.finished()).toMatchObject({ code: 0 });
    expect(program.log().at(-1)).toMatchObject({ msg: 'stopped', drained: true });
  });

  test('a call that never ends does not hold it beyond the drain timeout', async () => {
    await using program = await serving(['--insecure', '--drain-timeout=500ms']);
    const session = await connectTo(program.port);
    await halfCall(session);
    const asked = Date.now();
    program.process.kill('SIGTERM');
    expect(await program.finished()).toMatchObject({ code: 0 });
    expect(Date.now() - asked).toBeLessThan(3000);
    expect(program.log().at(-1)).toMatchObject({ msg: 'stopped', drained: false });
  });

  test('a client that is stopped does not hold it beyond the drain timeout', async () => {
    await using program = await serving(['--insecure', '--drain-timeout=500ms']);
    const script = `require('node:http2').connect('http://127.0.0.1:${program.port}').on('connect', () => console.log(1))`;
    const stopped = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      await once(stopped.stdout, 'data');
      stopped.kill('SIGSTOP');
      const asked = Date.now();
      program.process.kill('SIGTERM');
      expect(await program.finished()).toMatchObject({ code: 0 });
      expect(Date.now() - asked).toBeLessThan(3000);
    } finally {
      stopped.kill('SIGKILL');
    }
  });

  test('calls that come in during the end are answered by the other replica', async () => {
    await using first = await serving(['--insecure']);
    await using second = await serving(['--insecure']);
    using client = new RawClient(`ipv4:127.0.0.1:${first.port},127.0.0.1:${second.port}`, undefined, {
      'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
    });
    const codes: number[] = [];
    const caller = async () => {
      for (let calls = 0; calls < 100; calls++) codes.push((await client.call(request)).code);
    };
    const load = Promise.all([caller(), caller(), caller(), caller()]);
    await until('some calls', () => (codes.length > 80 ? true : undefined));
    first.process.kill('SIGTERM');
    await load;
    expect(await first.finished()).toMatchObject({ code: 0 });
    expect(codes).toEqual(Array.from({ length: 400 }, () => status.OK));
  });
});

describe('connections', () => {
  test('are closed in good order at their largest age, and calls in flight finish', async () => {
    await using program = await serving(['--insecure', '--max-connection-age=300ms', '--max-connection-age-grace=5s']);
    const session = await connectTo(program.port);
    const goaway = once(session, 'goaway');
    const finish = await halfCall(session);
    const [code] = await goaway;
    expect(code).toBe(0);
    expect(await finish()).toBe('0');
    using client = new RawClient(program.port);
    const codes = [];
    for (const end = Date.now() + 1000; Date.now() < end; ) codes.push((await client.call(request)).code);
    expect(new Set(codes)).toEqual(new Set([status.OK]));
  });

  test('may be pinged without calls', async () => {
    await using program = await serving(['--insecure']);
    const session = await connectTo(program.port);
    const goaways: unknown[] = [];
    session.on('goaway', (code) => goaways.push(code));
    for (let pings = 0; pings < 50; pings++) {
      await new Promise((resolve, reject) => session.ping((error) => (error === null ? resolve(null) : reject(error))));
    }
    expect(await (await halfCall(session))()).toBe('0');
    expect(goaways).toEqual([]);
    session.close();
  });
});

describe('the start', () => {
  test('takes less than 300 ms until it serves, at best of five', async () => {
    const times: number[] = [];
    for (let starts = 0; starts < 5; starts++) {
      const started = performance.now();
      await using program = await serving(['--insecure']);
      await program.logged('serving');
      times.push(performance.now() - started);
    }
    expect(Math.min(...times)).toBeLessThan(300);
  });
});
