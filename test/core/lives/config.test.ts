import { describe, expect, it } from 'vitest';
import { type JsonObject, objectAt } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';

const stack = (world: World): JsonObject => objectAt(world.composed.get('platform-stack'), 'spec') ?? {};
const config = (world: World): JsonObject => objectAt(stack(world), 'config') ?? {};
const program = (world: World): JsonObject => objectAt(world.composed.get('stack-program'), 'data') ?? {};
const parsed = (text: unknown): unknown => JSON.parse(String(text));

describe('[P01] every tenancy field', () => {
  it('reaches the config under its own name with the same value, every value a string', () => {
    const tenants = [
      {
        name: 'acme',
        suspended: false,
        deletionPolicy: 'Delete',
        runtime: { replicas: 2, coreInstances: 100 },
        resources: { cpu: '1.5', memory: '512Mi', workloads: 3, backingServices: 2, serviceBindings: 4, apiKeys: 5 },
      },
      { name: 'shop' },
    ];
    const users = [{ name: 'kim', suspended: true, memberships: [{ tenant: 'acme', role: 'viewer' }] }];
    const world = new World({ ...MINIMAL, platform: { tenants, users } }).provision();
    expect(parsed(config(world)['tenants'])).toEqual(tenants);
    expect(parsed(config(world)['users'])).toEqual(users);
    expect(Object.values(config(world)).every((value) => typeof value === 'string')).toBe(true);
    expect(program(world)).not.toHaveProperty('settings.json');
  });

  it('at the largest size that the schema allows goes into the program, and the config stays under 96 KB', () => {
    const name = (index: number): string => `a${String(index).padStart(3, '0')}${'x'.repeat(36)}`;
    const tenants = Array.from({ length: 32 }, (_, index) => ({ name: name(index) }));
    const memberships = Array.from({ length: 16 }, (_, index) => ({ tenant: name(31 - index), role: 'developer' }));
    const users = Array.from({ length: 128 }, (_, index) => ({ name: name(index), memberships }));
    const world = new World({ ...MINIMAL, platform: { tenants, users } }).provision();
    expect(JSON.stringify(config(world)).length).toBeLessThan(96 * 1024);
    const moved = parsed(program(world)['settings.json']) as JsonObject;
    const all = {
      ...moved,
      ...Object.fromEntries(
        ['tenants', 'users'].filter((key) => key in config(world)).map((key) => [key, parsed(config(world)[key])]),
      ),
    };
    expect(all).toEqual({ tenants, users });
  });
});

describe('[P02] [P11] tenantAuth', () => {
  it('is mapped by the table of the reference: the client secret is named, never referred to, and {tenant} stays', () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    const auth = {
      image: `ghcr.io/example/auth@${digest}`,
      issuer: 'https://login.example',
      clientId: 'console',
      clientSecretRef: { name: 'oauth', key: 'value' },
      issuerUpstream: 'idp.idp.svc:80',
      issuerUpstreamPodPort: 8080,
      issuerIp: '10.0.0.1',
      consolePublicUrl: 'https://{tenant}.console.example',
      controllerPublicUrl: 'https://{tenant}.api.example',
      registry: {
        component: `r@${digest}`,
        publicUrl: 'https://{tenant}.r.example',
        limits: { maxBodyBytes: 2 ** 53 - 1 },
      },
    };
    const world = new World({ ...MINIMAL, platform: { tenantAuth: auth } });
    world.put('Secret', 'team-a', 'oauth', { data: { value: true } });
    world.provision();
    const { clientId, clientSecretRef: _, ...rest } = auth;
    expect(parsed(config(world)['tenantAuth'])).toEqual({
      ...rest,
      oauthClient: { id: clientId, secretName: 'platform-operator-tenant-auth' },
    });
    expect(stack(world)).not.toHaveProperty('secretsRef');
  });

  it('[P10] unset: no key, no volume, no issuer', () => {
    const world = new World(MINIMAL).provision();
    expect(config(world)).not.toHaveProperty('tenantAuth');
    expect(JSON.stringify(stack(world))).not.toContain('tenant-auth');
  });
});

describe('[P07] [P12] the program and what is left out', () => {
  it('pins the exact version, and leaves the platform its own defaults', () => {
    const world = new World({ ...MINIMAL, platform: { tenants: [{ name: 'a', suspended: false }] } }).provision();
    expect(parsed(program(world)['package.json'])).toMatchObject({
      dependencies: { '@di-framework/platform': '6.0.22' },
    });
    expect(parsed(config(world)['tenants'])).toEqual([{ name: 'a', suspended: false }]);
    expect(config(world)).not.toHaveProperty('tenantHostImagePullPolicy');
  });

  it('the Stack is written as the operator writes it back: no false, no null, no empty text', () => {
    const world = World.ready(MINIMAL);
    const odd: string[] = [];
    const walk = (value: unknown, path: string): void => {
      // A pointer in the operator's types, so an explicit false survives.
      if (path.endsWith('.allowPrivilegeEscalation')) return;
      if (value === false || value === null || value === '' || value === 0) odd.push(path);
      if (typeof value === 'object' && value !== null) {
        for (const [key, entry] of Object.entries(value)) walk(entry, `${path}.${key}`);
      }
    };
    walk(stack(world), 'spec');
    expect(odd).toEqual([]);
  });
});
