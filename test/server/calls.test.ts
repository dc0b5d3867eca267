import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RawClient, V1, V1BETA1 } from './client.ts';
import { INSTANCE, readResponse, requestBytes } from './messages.ts';
import { serving } from './process.ts';

const MEBIBYTE = 1024 * 1024;

describe('calls', () => {
  let program: Awaited<ReturnType<typeof serving>>;
  let client: RawClient;
  beforeAll(async () => {
    program = await serving(['--insecure']);
    client = new RawClient(program.port);
  });
  afterAll(async () => {
    client.grpc.close();
    await program[Symbol.asyncDispose]();
  });

  test('the same bytes to v1 and to v1beta1 give the same bytes', async () => {
    const request = requestBytes({ tag: 'abc', composite: INSTANCE });
    const [v1, beta] = [await client.call(request, V1), await client.call(request, V1BETA1)];
    expect(v1.code).toBe(status.OK);
    expect(beta).toEqual(v1);
  });

  test.each(['', 'abc', 'ü💥', 'x'.repeat(5000)])('the tag %j comes back', async (tag) => {
    const { response } = await client.call(requestBytes({ tag, composite: INSTANCE }));
    expect(readResponse(response).meta?.tag ?? '').toBe(tag);
  });

  test('an empty message is answered with a fatal result', async () => {
    const { code, response } = await client.call(Buffer.alloc(0));
    expect(code).toBe(status.OK);
    expect(readResponse(response).results).toEqual([expect.objectContaining({ severity: 1 })]);
  });

  test.each([
    { title: 'noise', bytes: Buffer.from('ffffffffffffffffffff', 'hex') },
    { title: 'a truncated message', bytes: requestBytes({ tag: 'abc', composite: INSTANCE }).subarray(0, -7) },
    { title: 'a JSON text', bytes: Buffer.from('{"meta":{"tag":"abc"}}') },
  ])('$title is refused as INVALID_ARGUMENT and the next call on the connection is answered', async ({ bytes }) => {
    const refused = await client.call(bytes);
    expect(refused.code).toBe(status.INVALID_ARGUMENT);
    expect(refused.details).toMatch(/^cannot [^\n]+$/);
    expect((await client.call(requestBytes({ composite: INSTANCE }))).code).toBe(status.OK);
  });

  test('garbage in the midst of good calls harms none of them', async () => {
    const good = requestBytes({ tag: 'good', composite: INSTANCE });
    const bytes = Array.from({ length: 60 }, (_, index) => (index % 3 === 0 ? Buffer.alloc(50, 0xff) : good));
    const outcomes = await Promise.all(bytes.map((each) => client.call(each)));
    const codes = outcomes.map((outcome) => outcome.code);
    expect(codes).toEqual(bytes.map((each) => (each === good ? status.OK : status.INVALID_ARGUMENT)));
  });

  test('an unknown method is UNIMPLEMENTED', async () => {
    const { code } = await client.call(Buffer.alloc(0), '/apiextensions.fn.proto.v2.FunctionRunnerService/RunFunction');
    expect(code).toBe(status.UNIMPLEMENTED);
  });

  test('a request of 6 MiB is answered like a small one', async () => {
    const request = (filler: string) =>
      requestBytes({
        composite: INSTANCE,
        resources: {
          other: {
            resource: {
              apiVersion: 'kubernetes.m.crossplane.io/v1alpha1',
              kind: 'Object',
              metadata: { name: 'other', namespace: 'team-a' },
              status: { atProvider: { manifest: { kind: 'ConfigMap', data: { filler } } } },
            },
          },
        },
      });
    const large = request('x'.repeat(6 * MEBIBYTE));
    expect(large.length).toBeGreaterThan(6 * MEBIBYTE);
    const [answeredSmall, answeredLarge] = [await client.call(request('x')), await client.call(large)];
    expect(answeredLarge.code).toBe(status.OK);
    expect(answeredLarge.response).toEqual(answeredSmall.response);
  });

  test('with --debug a call is one line without anything of the request but names', async () => {
    await using own = await serving(['--insecure', '--debug']);
    using caller = new RawClient(own.port);
    await caller.call(requestBytes({ tag: 'secret-tag', composite: INSTANCE }));
    await own.logged('answered');
    expect(own.log().slice(1)).toEqual([
      {
        level: 'debug',
        time: expect.any(String),
        msg: 'answered',
        tag: expect.stringMatching(/^[0-9a-f]{12}$/),
        namespace: 'team-a',
        name: 'blue',
        outcome: expect.any(String),
        milliseconds: expect.any(Number),
        requestBytes: expect.any(Number),
        responseBytes: expect.any(Number),
      },
    ]);
  });
});

describe('a burst', () => {
  test('of fifty calls is answered within a second, and so is a health check in its midst', async () => {
    await using program = await serving(['--insecure']);
    using client = new RawClient(program.port);
    const request = requestBytes({ composite: { ...INSTANCE, filler: 'x'.repeat(MEBIBYTE / 8) } });
    const started = performance.now();
    const calls = Array.from({ length: 50 }, () => client.call(request));
    const health = await client.health();
    const codes = (await Promise.all(calls)).map((outcome) => outcome.code);
    expect(performance.now() - started).toBeLessThan(1000);
    expect(health).toEqual({ status: 1 });
    expect(new Set(codes)).toEqual(new Set([status.OK]));
  });
});

describe('the largest request', () => {
  const request = requestBytes({ composite: { ...INSTANCE, filler: 'x'.repeat(3 * MEBIBYTE) } });
  const variable = 'FUNCTION_PLATFORM_INSTANCE_MAX_RECV_MESSAGE_SIZE';

  test.each([
    { title: 'the flag', args: ['--max-recv-message-size=2'], environment: {}, code: status.RESOURCE_EXHAUSTED },
    { title: 'the environment', args: [], environment: { [variable]: '2' }, code: status.RESOURCE_EXHAUSTED },
    {
      title: 'the flag before the environment',
      args: ['--max-recv-message-size=4'],
      environment: { [variable]: '2' },
      code: status.OK,
    },
  ])('is set by $title', async ({ args, environment, code }) => {
    await using program = await serving(['--insecure', ...args], environment);
    using client = new RawClient(program.port);
    expect((await client.call(request)).code).toBe(code);
    expect((await client.call(requestBytes({ composite: INSTANCE }))).code).toBe(status.OK);
  });
});

describe('at the default level', () => {
  test('a thousand calls write no line', async () => {
    await using program = await serving(['--insecure']);
    using client = new RawClient(program.port);
    const request = requestBytes({ composite: INSTANCE });
    for (let batch = 0; batch < 20; batch++) await Promise.all(Array.from({ length: 50 }, () => client.call(request)));
    expect(program.log().map((line) => line.msg)).toEqual(['serving']);
  });
});
