import { describe, expect, test } from 'vitest';
import {
  CLIENT_SECRET_FILE,
  CLIENT_SECRET_NAME,
  PULUMI_PROJECT,
  programFiles,
} from '../../function/core/program/index.ts';
import type { JsonObject } from '../../function/json.ts';
import { KUBECONFIG, type Outcome, runProgram, secretValue } from './workspace.ts';

const TENANCY = {
  tenants: [
    { name: 'acme', suspended: false, deletionPolicy: 'Retain', runtime: { replicas: 2, coreInstances: 10000 } },
    { name: 'beta', resources: { cpu: '1.5', memory: '512Mi', workloads: 1000, apiKeys: 0 } },
    { name: 'c' },
  ],
  users: [
    { name: 'alice', memberships: [{ tenant: 'acme', role: 'developer' }] },
    { name: 'bob', suspended: true, memberships: [] },
  ],
} satisfies JsonObject;

const TENANT_AUTH = {
  image: `registry.example/tenant-auth@sha256:${'a'.repeat(64)}`,
  issuer: 'https://id.example.test/äöü?a=1&b="2"',
  oauthClient: { id: 'console', secretName: CLIENT_SECRET_NAME },
  consolePublicUrl: 'https://{tenant}.example.test',
  registry: {
    component: `registry.example/oci-registry@sha256:${'b'.repeat(64)}`,
    limits: { maxBodyBytes: 9007199254740991, maxConcurrent: 1 },
  },
} satisfies JsonObject;

const CLIENT_SECRET = 'client-secret-3f9c"\\\n$&';
const MEMBER_TOKEN = 'member-token-value';

function text(values: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)]));
}

/** The largest tenancy that the schema allows. */
function largest(): JsonObject {
  const name = (kind: string, index: number) => `${kind}${index}`.padEnd(40, 'x');
  const tenants = Array.from({ length: 32 }, (_, index) => ({ name: name('tenant', index) }));
  const users = Array.from({ length: 128 }, (_, index) => ({
    name: name('user', index),
    memberships: tenants.slice(16).map((tenant) => ({ tenant: tenant.name, role: 'developer' })),
  }));
  return { tenants, users };
}

function clientSecretOf(outcome: Outcome) {
  return outcome.resources.find(({ type }) => type === 'kubernetes:core/v1:Secret');
}

describe('the files of the program', () => {
  test('[P07] package.json pins exactly the version asked for and nothing else', () => {
    const { 'package.json': packageFile } = programFiles({ version: '6.0.22-rc.1' });
    expect(JSON.parse(packageFile ?? '')).toEqual({
      private: true,
      dependencies: { '@di-framework/platform': '6.0.22-rc.1' },
    });
  });

  test('the project is a plain Node.js program whose name never changes', () => {
    expect(programFiles({ version: '6.0.22' })['Pulumi.yaml']).toBe(
      'name: di-framework-platform\nruntime:\n  name: nodejs\n  options:\n    typescript: false\nmain: index.js\n',
    );
    expect(PULUMI_PROJECT).toBe('di-framework-platform');
  });

  test('a settings file is there only when settings are large, and its bytes do not depend on key order', () => {
    expect(Object.keys(programFiles({ version: '6.0.22' }))).toEqual(['Pulumi.yaml', 'package.json', 'index.js']);
    const one = programFiles({ version: '6.0.22', largeSettings: { tenants: '[]', users: '[]' } });
    const other = programFiles({ version: '6.0.22', largeSettings: { users: '[]', tenants: '[]' } });
    expect(one['settings.json']).toBe('{"tenants":"[]","users":"[]"}\n');
    expect(other).toEqual(one);
  });

  test('the entry point reads the client secret where the workspace mounts it', () => {
    expect(programFiles({ version: '6.0.22' })['index.js']).toContain(`"${CLIENT_SECRET_FILE}"`);
  });
});

describe('config', () => {
  test('[P01] [P12] JSON text in the Stack reaches the platform as the same value under the same key', async () => {
    const { platform, error } = await runProgram({ config: { ...text(TENANCY), httpNodePort: '0' } });
    expect(error).toBeNull();
    expect(platform?.config).toEqual({ ...TENANCY, httpNodePort: 0, kubeconfig: expect.any(String) });
    expect(platform?.keys).toEqual(
      ['httpNodePort', 'kubeconfig', 'tenants', 'users'].map((key) => `${PULUMI_PROJECT}:${key}`),
    );
  });

  test('[P02] [P11] tenantAuth reaches the platform unchanged, placeholders in its URLs included', async () => {
    const { platform } = await runProgram({ config: text({ tenantAuth: TENANT_AUTH }), clientSecret: CLIENT_SECRET });
    expect(platform?.config['tenantAuth']).toEqual(TENANT_AUTH);
  });

  test('[P01] the largest tenancy travels in the program’s own file, as text or as values', async () => {
    const values = largest();
    expect(JSON.stringify(values).length).toBeGreaterThan(96 * 1024);
    for (const largeSettings of [text(values), values]) {
      const { platform, error } = await runProgram({ largeSettings });
      expect(error).toBeNull();
      expect(platform?.config).toEqual({ ...values, kubeconfig: expect.any(String) });
    }
  });

  test('large settings that turn tenantAuth on count like the Stack’s own', async () => {
    const outcome = await runProgram({ largeSettings: text({ tenantAuth: TENANT_AUTH }), clientSecret: CLIENT_SECRET });
    expect(clientSecretOf(outcome)).toBeDefined();
  });

  test('what the Stack sets wins over a settings file left over from before', async () => {
    const { platform } = await runProgram({
      config: { httpEndpoint: 'https://new.example.test' },
      largeSettings: { httpEndpoint: 'https://old.example.test', storageRoot: '/data' },
    });
    expect(platform?.config).toMatchObject({ httpEndpoint: 'https://new.example.test', storageRoot: '/data' });
  });
});

describe('the kubeconfig', () => {
  test.each([
    ['is missing', null, 'does not exist'],
    ['is empty', '', 'is empty'],
  ])('a mounted file that %s stops the run before anything is created', async (_, kubeconfig, cause) => {
    const { error, platform, resources, paths } = await runProgram({ kubeconfig });
    expect(error).toEqual({
      message: `cannot read the kubeconfig: file ${paths.kubeconfig} ${cause}`,
      isRunError: true,
    });
    expect(platform).toBeUndefined();
    expect(resources.map(({ type }) => type)).toEqual(['pulumi:pulumi:Stack']);
  });

  test('a Stack without the config key is told which key', async () => {
    const { error } = await runProgram({ config: { kubeconfig: '' } });
    expect(error?.message).toBe('cannot read the settings: config key kubeconfig is missing');
  });
});

describe('the tenantAuth client secret', () => {
  const on = text({ tenantAuth: TENANT_AUTH });

  test('[P09] is written, as a Pulumi secret, to the Secret that tenantAuth names, byte by byte', async () => {
    for (const value of [CLIENT_SECRET, Uint8Array.of(0, 255, 10, 128)]) {
      const outcome = await runProgram({ config: on, clientSecret: value });
      const secret = clientSecretOf(outcome);
      expect(outcome.error).toBeNull();
      expect(secret).toMatchObject({
        name: 'platform-operator-tenant-auth',
        inputs: { metadata: { name: 'platform-operator-tenant-auth', namespace: 'wasmcloud' } },
        secretOutputs: ['data', 'stringData'],
      });
      expect(secretValue(secret?.inputs['data'])).toEqual({ clientSecret: Buffer.from(value).toString('base64') });
    }
  });

  test('[P09] follows the platform Namespace, and nothing of the platform waits for it', async () => {
    const { resources } = await runProgram({ config: on, clientSecret: CLIENT_SECRET });
    const dependencies = Object.fromEntries(resources.map((resource) => [resource.name, resource.dependencies]));
    expect(dependencies[CLIENT_SECRET_NAME]).toEqual([
      expect.stringMatching(/kubernetes:core\/v1:Namespace::wasmcloud$/),
    ]);
    expect(Object.values(dependencies).flat().join()).not.toContain(CLIENT_SECRET_NAME);
  });

  test('[P09] a changed value updates the Secret in place, through a provider that is never replaced', async () => {
    const { resources } = await runProgram({ config: on, clientSecret: CLIENT_SECRET });
    const provider = resources.find(({ name }) => name === 'platform-operator');
    expect(provider?.inputs).toEqual({
      kubeconfig: expect.anything(),
      clusterIdentifier: 'platform-instance',
      enableServerSideApply: 'true',
      enableSecretMutable: 'true',
      enablePatchForce: 'true',
      upsertExistingObjects: 'true',
    });
    expect(secretValue(provider?.inputs['kubeconfig'])).toBe(KUBECONFIG);
  });

  test('is written with the Kubernetes SDK of the platform package, wherever npm put it', async () => {
    const outcome = await runProgram({ config: on, clientSecret: CLIENT_SECRET, nested: true });
    expect(outcome.error).toBeNull();
    expect(clientSecretOf(outcome)).toBeDefined();
  });

  test.each([
    ['is missing', null, 'does not exist'],
    ['is empty', '', 'is empty'],
  ])('a mounted file that %s stops the run before anything is created', async (_, clientSecret, cause) => {
    const { error, platform, resources, paths } = await runProgram({ config: on, clientSecret });
    expect(error).toEqual({
      message: `cannot read the tenantAuth client secret: file ${paths.clientSecret} ${cause}`,
      isRunError: true,
    });
    expect(platform).toBeUndefined();
    expect(resources.map(({ type }) => type)).toEqual(['pulumi:pulumi:Stack']);
  });

  test('[P10] without tenantAuth a mounted file is neither read nor written', async () => {
    const outcome = await runProgram({ config: text(TENANCY), clientSecret: CLIENT_SECRET });
    expect(outcome.platform?.keys).not.toContain(`${PULUMI_PROJECT}:tenantAuth`);
    expect(clientSecretOf(outcome)).toBeUndefined();
    expect(outcome.resources.map(({ name }) => name)).not.toContain('platform-operator');
    expect(JSON.stringify(outcome)).not.toContain(Buffer.from(CLIENT_SECRET).toString('base64'));
  });
});

describe('outputs', () => {
  test('are what the status needs, and never a kubeconfig', async () => {
    const endpoints = {
      httpEndpoint: 'https://apps.example.test',
      kubernetesEndpoint: 'https://vcluster.example.svc:443',
    };
    const { outputs } = await runProgram({ config: { ...text(TENANCY), ...endpoints } });
    expect(outputs).toEqual({
      schemaVersion: 2,
      namespace: 'wasmcloud',
      endpoints: { http: endpoints.httpEndpoint, kubernetes: endpoints.kubernetesEndpoint },
      tenants: TENANCY.tenants.map(({ name }) => ({ name, namespace: `di-tenant-${name}` })),
      users: TENANCY.users.map(({ name }) => ({ name, namespace: 'wasmcloud' })),
    });
  });

  test('[P03] no secret value is in plain outputs, in what is printed or in any unmarked input', async () => {
    const config = text({ ...TENANCY, tenantAuth: TENANT_AUTH });
    const outcome = await runProgram({ config, clientSecret: CLIENT_SECRET });
    const plain = JSON.stringify({ ...outcome, resources: outcome.resources.map(({ inputs }) => unmarked(inputs)) });
    for (const value of [CLIENT_SECRET, KUBECONFIG, MEMBER_TOKEN]) {
      expect(plain).not.toContain(JSON.stringify(value).slice(1, -1));
      expect(plain).not.toContain(Buffer.from(value).toString('base64'));
    }
  });
});

/** The inputs that Pulumi stores and prints as they are. */
function unmarked(inputs: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(inputs).filter(([, value]) => secretValue(value) === undefined));
}
