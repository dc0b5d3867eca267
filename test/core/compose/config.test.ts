import { describe, expect, it } from 'vitest';
import { at, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';
import { desired, FULL, readyWorld } from './fixtures.ts';

interface Composed {
  readonly config: JsonObject;
  readonly program: JsonObject;
}

function composed(spec: JsonObject): Composed {
  const all = desired(readyWorld(spec));
  const config = objectAt(all['platform-stack'], 'spec', 'config');
  const program = objectAt(all['stack-program'], 'data');
  if (config === undefined || program === undefined) throw new Error('no Stack is composed');
  return { config, program };
}

function withPlatform(platform: JsonObject): JsonObject {
  return { ...MINIMAL, platform };
}

/** What the platform's program is given, structured values as values. */
function given({ config, program }: Composed): JsonObject {
  const large = stringAt(program, 'settings.json');
  const structured = ['tenants', 'users', 'tenantAuth'];
  const entries = Object.entries(config).map(([key, text]) => {
    return [key, structured.includes(key) ? (JSON.parse(String(text)) as Json) : text];
  });
  return { ...Object.fromEntries(entries), ...(large === undefined ? {} : (JSON.parse(large) as JsonObject)) };
}

/** As many and as large tenants and users as the schema lets through. */
function largest(): JsonObject {
  const name = (prefix: string, index: number): string => `${prefix}${index}-`.padEnd(39, 'x').concat('z');
  const tenants = Array.from({ length: 32 }, (_, index) => ({ name: name('t', index), suspended: false }));
  const users = Array.from({ length: 128 }, (_, index) => ({
    name: name('u', index),
    memberships: tenants.slice(0, 16).map((tenant) => ({ tenant: tenant.name, role: 'developer' })),
  }));
  return { tenants, users };
}

describe('the config of the Stack', () => {
  it('is all text', () => {
    for (const spec of [MINIMAL, FULL]) {
      expect(Object.values(composed(spec).config).filter((value) => typeof value !== 'string')).toEqual([]);
    }
  });

  it('[P04] [P10] [P12] of a minimal instance has the few keys that are always there', () => {
    const { config } = composed(MINIMAL);
    expect(config).toEqual({
      kubeconfig: '/etc/platform/kubeconfig/kubeconfig',
      kubernetesEndpoint: expect.stringMatching(/^https:\/\/vcluster\.pi-team-a-blue-[a-z2-7]{8}\.svc:443$/),
      networkPolicyEngine: 'existing',
      storageRoot: '/var/lib/di-framework/instances/team-a/blue',
      tenantHostImage: 'ghcr.io/di-framework/wash:2.8.0-wasi-tls-exclusive',
    });
  });

  it('[P01] [P02] [P06] [P11] [P12] of a full instance has every field under its key, as it stands in the spec', () => {
    const platform = objectAt(FULL, 'platform') ?? {};
    const { clientId: _, clientSecretRef: __, ...auth } = objectAt(platform, 'tenantAuth') ?? {};
    const { kubernetesEndpoint: ___, ...rest } = given(composed(FULL));
    expect(rest).toEqual({
      kubeconfig: '/etc/platform/kubeconfig/kubeconfig',
      networkPolicyEngine: 'kube-router',
      storageRoot: '/srv/blue',
      httpNodePort: '30080',
      httpEndpoint: 'http://apps.example:30080',
      tenantHostImage: 'ghcr.io/example/wash:9',
      tenantHostImagePullPolicy: 'Always',
      tenants: platform['tenants'],
      users: platform['users'],
      tenantAuth: { ...auth, oauthClient: { id: 'console', secretName: 'platform-operator-tenant-auth' } },
    });
  });

  it('[P02] names the client secret nowhere but in the volume that the workspace mounts', () => {
    const all = desired(readyWorld(FULL));
    const stack = objectAt(all['platform-stack'], 'spec') ?? {};
    expect(JSON.stringify(stack['config'])).not.toContain('secret-of-the-client');
    expect(Object.keys(stack)).not.toContain('secretsRef');
    const volumes = at(stack, 'workspaceTemplate', 'spec', 'podTemplate', 'spec', 'volumes') as JsonObject[];
    expect(volumes.find((volume) => volume['name'] === 'tenant-auth')).toEqual({
      name: 'tenant-auth',
      secret: { secretName: 'oauth', optional: true, items: [{ key: 'secret-of-the-client', path: 'clientSecret' }] },
    });
  });

  it('[P10] without tenantAuth mounts no client secret', () => {
    const stack = JSON.stringify(desired(readyWorld(MINIMAL))['platform-stack']);
    expect(stack).not.toContain('tenant-auth');
    expect(stack).not.toContain('secretsRef');
  });

  it('[P06] [P12] keeps an explicit zero and false, and a pull policy that is not set is no key', () => {
    const { config } = composed(
      withPlatform({ gateway: { httpNodePort: 0 }, tenants: [{ name: 'shop', suspended: false }], users: [] }),
    );
    expect(config).toMatchObject({ httpNodePort: '0', tenants: '[{"name":"shop","suspended":false}]', users: '[]' });
    expect(Object.keys(config)).not.toContain('tenantHostImagePullPolicy');
    expect(Object.keys(config)).not.toContain('httpEndpoint');
  });

  it('[P01] moves what is too large for one argument into the program, and loses nothing', () => {
    const platform = largest();
    const { config, program } = composed(withPlatform(platform));
    expect(Object.keys(config)).toContain('tenants');
    expect(Object.keys(config)).not.toContain('users');
    expect(Buffer.byteLength(Object.entries(config).flat().join(''))).toBeLessThanOrEqual(96 * 1024);
    const { tenants, users } = given({ config, program });
    expect({ tenants, users }).toEqual(platform);
  });

  it('has no file of large settings while everything fits', () => {
    expect(Object.keys(composed(FULL).program).sort()).toEqual([
      'Pulumi.yaml',
      'index.js',
      'package.json',
      'program-hash',
    ]);
  });
});

describe('the program', () => {
  it('[P07] pins the exact version of the spec, and the Stack waits for exactly these files', () => {
    const all = desired(readyWorld({ ...MINIMAL, version: '7.0.0-rc.1' }));
    const data = objectAt(all['stack-program'], 'data');
    const hash = stringAt(data, 'program-hash');
    expect(JSON.parse(stringAt(data, 'package.json') ?? '{}')).toEqual({
      private: true,
      dependencies: { '@di-framework/platform': '7.0.0-rc.1' },
    });
    const pod = at(all['platform-stack'], 'spec', 'workspaceTemplate', 'spec', 'podTemplate');
    expect(hash).toMatch(/^[0-9a-f]{16}$/);
    expect(at(pod, 'metadata', 'annotations', 'platform.di-framework.dev/program-hash')).toBe(hash);
    expect(listAt(listAt(pod, 'spec', 'initContainers')[0], 'command').at(-1)).toBe(hash);
  });

  it('is all there in a preview, with the Stack that runs it', () => {
    const world = new World(FULL);
    const { creationTimestamp: _, ...metadata } = objectAt(world.xr, 'metadata') ?? {};
    world.xr['metadata'] = metadata;
    const all = desired(world);
    expect(stringAt(all['stack-program'], 'data', 'package.json')).toContain('6.0.22');
    expect(stringAt(all['platform-stack'], 'spec', 'config', 'storageRoot')).toBe('/srv/blue');
  });
});

describe('the Stack', () => {
  it('has only forms that the operator writes back as they are', () => {
    const walk = (value: Json | undefined, path: string): string[] => {
      if (value === false || value === 0 || value === null || value === '') return [path];
      if (Array.isArray(value)) return value.flatMap((item, index) => walk(item, `${path}[${index}]`));
      if (typeof value !== 'object') return [];
      return Object.entries(value).flatMap(([key, item]) => walk(item, `${path}.${key}`));
    };
    const { config: _, ...spec } = objectAt(desired(readyWorld(FULL))['platform-stack'], 'spec') ?? {};
    // securityContext of a container keeps an explicit false: its Go field is a pointer.
    expect(walk(spec, 'spec')).toEqual([
      'spec.workspaceTemplate.spec.podTemplate.spec.initContainers[0].securityContext.allowPrivilegeEscalation',
    ]);
    const pod = objectAt(spec, 'workspaceTemplate', 'spec', 'podTemplate', 'spec') ?? {};
    const containers = [pod['initContainers'], pod['containers']].flat() as JsonObject[];
    expect(containers.map(({ name, resources }) => [name, resources])).toEqual([
      ['prepare', {}],
      ['pulumi', {}],
    ]);
    expect(at(spec, 'updateTemplate', 'spec', 'ttlAfterCompleted')).toBe('2h0m0s');
  });
});
