import { describe, expect, test } from 'vitest';
import { RawClient } from './client.ts';
import { INSTANCE, requestBytes } from './messages.ts';
import { serving, until } from './process.ts';

const SENTINEL = 'S3NTINEL-value-that-no-one-may-see';
const ENCODED = Buffer.from(SENTINEL).toString('base64');

const secret = (name: string, data: object) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'team-a' },
  ...data,
});

const request = requestBytes({
  tag: SENTINEL,
  composite: { ...INSTANCE, spec: { ...INSTANCE.spec, surprise: SENTINEL } },
  resources: {
    vcluster: {
      resource: {
        apiVersion: 'helm.m.crossplane.io/v1beta1',
        kind: 'Release',
        metadata: { name: 'x', namespace: 'team-a' },
      },
      connectionDetails: { kubeconfig: Buffer.from(SENTINEL) },
    },
    object: {
      resource: {
        apiVersion: 'kubernetes.m.crossplane.io/v1alpha1',
        kind: 'Object',
        metadata: { name: 'y', namespace: 'team-a' },
        spec: { forProvider: { manifest: secret('z', { stringData: { key: SENTINEL } }) } },
        status: { atProvider: { manifest: secret('z', { data: { key: ENCODED } }) } },
      },
    },
  },
  required: { 'tenant-auth-secret': [secret('auth', { data: { clientSecret: ENCODED } })] },
  credentials: { registry: { password: Buffer.from(SENTINEL) } },
});

describe('[X10] secrets', () => {
  test('are in no response, log line, error or metric, not at debug either', async () => {
    await using program = await serving(['--insecure', '--debug']);
    using client = new RawClient(program.port);
    const outcomes = [
      await client.call(request),
      // Errors must not quote what they stumble over.
      await client.call(request.subarray(0, -3)),
      await client.call(Buffer.concat([Buffer.from([0xff]), request])),
    ];
    await until('a log line for each call', () => program.log().filter((line) => line.msg === 'answered')[2]);
    const metrics = await (await fetch(`http://127.0.0.1:${program.httpPort}/metrics`)).text();
    const seen = [
      ...outcomes.map((outcome) => outcome.details),
      metrics,
      program.stdout,
      program.stderr,
      // The response repeats the tag, which is the caller's own.
      (outcomes[0]?.response ?? Buffer.alloc(0)).toString('latin1').replace(SENTINEL, ''),
    ].join('\n');
    expect(program.stderr).toContain('"msg":"answered"');
    expect(outcomes[0]?.response).toBeInstanceOf(Buffer);
    expect(seen).not.toContain(SENTINEL);
    expect(seen).not.toContain(ENCODED);
  });
});
