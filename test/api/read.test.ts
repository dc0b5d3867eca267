import { describe, expect, test } from 'vitest';
import { readInstance } from '../../function/api/instance.ts';
import { formatIssue } from '../../function/api/issues.ts';
import { readSettings } from '../../function/api/settings.ts';
import type { Json, JsonObject } from '../../function/json.ts';
import { instance, SPEC, withPlatform } from './cases.types.ts';

function lines(resource: JsonObject): string[] {
  const parsed = readInstance(resource);
  return 'issues' in parsed ? parsed.issues.map(formatIssue) : [];
}

function deep(depth: number): Json {
  let value: Json = {};
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? { a: value } : [value];
  return value;
}

describe('an instance', () => {
  test('is told everything that is wrong with it at once, each with its field', () => {
    const broken = {
      metadata: { name: 'a'.repeat(64), namespace: 'Team A' },
      spec: {
        version: 'latest',
        target: {},
        deletionPolicy: 'Orphan',
        platform: {
          gateway: { httpNodePort: 1.5, httpEndpoint: 'apps' },
          tenants: [{ name: 'shop' }, { name: 'shop' }, null, {}],
          users: [
            { name: 'Kim', memberships: [{ tenant: 'shops', role: 'admin' }, { tenant: 'shops' }] },
            { name: 'lee' },
            {
              name: 'ali',
              memberships: [
                { tenant: 'shop', role: 'viewer' },
                { tenant: 'a', role: 'viewer' },
              ],
            },
          ],
          tenantAuth: { image: 'auth:1', registry: { limits: { maxConcurrent: 2 ** 53 } } },
        },
      },
    };
    expect(lines(broken)).toEqual([
      'metadata.name: name must be at most 63 characters',
      'metadata.namespace: must be at most 63 lower-case letters, digits and hyphens, with a letter or digit at both ends',
      'spec.version: must match ^[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.-]+)?$',
      'spec.target.type: is required',
      'spec.deletionPolicy: must be one of Delete, Retain',
      'spec.platform.gateway.httpNodePort: must be an integer',
      'spec.platform.gateway.httpEndpoint: must match ^https?://',
      'spec.platform.tenants[2]: must be an object',
      'spec.platform.tenants[3].name: is required',
      'spec.platform.tenants[1]: name must be unique in this list',
      'spec.platform.users[0].name: must match ^[a-z][a-z0-9]*(-[a-z0-9]+)*$',
      'spec.platform.users[0].memberships[0].role: must be one of developer, viewer',
      'spec.platform.users[0].memberships[1].role: is required',
      'spec.platform.users[0].memberships[1]: tenant must be unique in this list',
      'spec.platform.users[1].memberships: is required',
      'spec.platform.tenantAuth.image: must match ^[^@\\s]+@sha256:[0-9a-f]{64}$',
      'spec.platform.tenantAuth.registry.component: is required',
      'spec.platform.tenantAuth.registry.limits.maxConcurrent: must be at most 9007199254740991: larger numbers are rounded on their way here',
      'spec.platform.tenantAuth: tenantAuth needs issuer, clientId and clientSecretRef together',
      'spec.platform.users[0].memberships[0].tenant: every users[].memberships[].tenant must name an entry of tenants',
      'spec.platform.users[0].memberships[1].tenant: every users[].memberships[].tenant must name an entry of tenants',
      'spec.platform.users[2].memberships[1].tenant: every users[].memberships[].tenant must name an entry of tenants',
    ]);
  });

  test.each([
    ['nothing', {}, ['metadata.name: is required', 'metadata.namespace: is required', 'spec: is required']],
    ['no object for its spec', { ...instance(SPEC), spec: [] }, ['spec: must be an object']],
    [
      'a name that is none',
      instance(SPEC, 'A_b'),
      ['metadata.name: must be lower-case letters, digits, hyphens and dots, with a letter or digit at both ends'],
    ],
    [
      'an int32 that is huge',
      withPlatform({ gateway: { httpNodePort: 1e300 } }),
      ['spec.platform.gateway.httpNodePort: must be at most 32767'],
    ],
    [
      'no number',
      withPlatform({ gateway: { httpNodePort: Number.NaN } }),
      ['spec.platform.gateway.httpNodePort: must be an integer'],
    ],
  ])('with %s is refused in plain words', (_, resource: JsonObject, expected) => {
    expect(lines(resource)).toEqual(expected);
  });

  test('is read with its metadata; status and fields of others are not looked at', () => {
    const metadata = {
      name: 'demo.v1',
      namespace: 'team-a',
      uid: '5b7f1c0a-0000-4000-8000-000000000001',
      generation: 4,
      creationTimestamp: '2026-12-01T09:00:00Z',
      deletionTimestamp: null,
      annotations: { a: 'b', odd: 1 },
      labels: { c: 'd' },
      finalizers: ['platform.di-framework.dev/instance', 7],
      managedFields: [],
    };
    const resource = {
      ...instance({ ...SPEC, crossplane: { resourceRefs: [{}] }, other: deep(3) }),
      metadata,
      status: { phase: 7, conditions: 'none' },
    };
    expect(readInstance(resource)).toEqual({
      value: {
        metadata: {
          name: 'demo.v1',
          namespace: 'team-a',
          uid: '5b7f1c0a-0000-4000-8000-000000000001',
          generation: 4,
          creationTimestamp: '2026-12-01T09:00:00Z',
          deletionTimestamp: undefined,
          annotations: { a: 'b' },
          labels: { c: 'd' },
          finalizers: ['platform.di-framework.dev/instance'],
        },
        spec: { version: '6.0.22', target: { type: 'vcluster' }, deletionPolicy: 'Delete' },
      },
    });
  });

  test('is not changed by reading it', () => {
    const resource = withPlatform({ gateway: {}, storageRoot: null, tenants: [{ name: 'shop', suspended: null }] });
    const before = structuredClone(resource);
    readInstance(resource);
    expect(resource).toEqual(before);
  });
});

describe('odd input', () => {
  const nested = deep(100_000);

  test.each([
    ['an unknown field', instance({ ...SPEC, other: nested }), []],
    ['a field that is a string', instance({ ...SPEC, version: nested }), ['spec.version: must be a string']],
    ['a list', withPlatform({ tenants: nested }), ['spec.platform.tenants[0].name: is required']],
    ['an object', instance({ ...SPEC, platform: { other: nested } }), []],
  ])('nested without end in %s ends nothing', (_, resource: JsonObject, expected) => {
    expect(lines(resource)).toEqual(expected);
  });

  test('nested without end in settings ends nothing', () => {
    const parsed = readSettings({
      chart: { values: { a: nested } },
      placement: { affinity: { a: nested } },
      other: nested,
    });
    expect(parsed).toEqual({ issues: [{ path: 'other', message: 'is no field of these settings' }] });
  });

  test('named like what every object inherits is nothing special', () => {
    const spec = JSON.parse(
      '{"version":"6.0.22","target":{"type":"vcluster"},"__proto__":{"platform":{"tenants":7}},"constructor":1}',
    );
    expect(readInstance(instance(spec))).toMatchObject({
      value: { spec: { version: '6.0.22', target: { type: 'vcluster' }, deletionPolicy: 'Delete' } },
    });
    expect(lines(instance(JSON.parse('{"__proto__":{"version":"6.0.22","target":{"type":"vcluster"}}}')))).toEqual([
      'spec.version: is required',
      'spec.target: is required',
    ]);
  });
});
