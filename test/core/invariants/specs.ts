import fc from 'fast-check';
import type { JsonObject } from '../../../function/json.ts';

const NAMES = ['shop', 'billing', 'a1', 'x-y-z', 'q'.repeat(40)] as const;
const IMAGE = `ghcr.io/di-framework/tenant-auth@sha256:${'1'.repeat(64)}`;

const tenant = fc.record(
  {
    suspended: fc.boolean(),
    deletionPolicy: fc.constantFrom('Retain', 'Delete'),
    runtime: fc.record({ replicas: fc.integer({ min: 1, max: 10 }) }),
    resources: fc.record({ cpu: fc.constantFrom('500m', '2'), memory: fc.constant('1Gi') }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);

const tenants = fc
  .uniqueArray(fc.constantFrom(...NAMES), { maxLength: 4 })
  .chain((names) =>
    fc.tuple(...names.map((name) => tenant.map((rest): JsonObject => ({ name, ...(rest as JsonObject) })))),
  );

function users(known: readonly string[]): fc.Arbitrary<JsonObject[]> {
  const memberships =
    known.length === 0
      ? fc.constant<JsonObject[]>([])
      : fc
          .uniqueArray(fc.constantFrom(...known), { maxLength: 3 })
          .map((names) => names.map((name): JsonObject => ({ tenant: name, role: 'viewer' })));
  return fc
    .uniqueArray(fc.constantFrom('kim', 'lee', 'former'), { maxLength: 3 })
    .chain((names) =>
      fc.tuple(...names.map((name) => memberships.map((list): JsonObject => ({ name, memberships: list })))),
    );
}

export const TENANT_AUTH: JsonObject = {
  image: IMAGE,
  issuer: 'https://login.example/realms/platform',
  clientId: 'console',
  clientSecretRef: { name: 'oauth', key: 'clientSecret' },
  consolePublicUrl: 'https://{tenant}.console.example',
  controllerPublicUrl: 'https://{tenant}.api.example',
};

const platform = tenants.chain((list) =>
  fc.record(
    {
      tenants: fc.constant(list),
      users: users(list.map((each) => String(each['name']))),
      gateway: fc.constantFrom({}, { httpNodePort: 30080 }, { httpEndpoint: 'http://apps.example' }),
      networkPolicyEngine: fc.constantFrom('existing', 'kube-router'),
      storageRoot: fc.constantFrom('/srv/blue', '/srv/other'),
      tenantHostImage: fc.constant('ghcr.io/di-framework/wash:9'),
      tenantHostImagePullPolicy: fc.constantFrom('Always', 'IfNotPresent'),
      tenantAuth: fc.constant(TENANT_AUTH),
    },
    { requiredKeys: [] },
  ),
);

/** Specs that the API server takes. */
export const validSpec: fc.Arbitrary<JsonObject> = fc
  .record(
    {
      version: fc.constantFrom('6.0.22', '6.0.23', '7.0.0-rc.1'),
      target: fc.constant({ type: 'vcluster' }),
      deletionPolicy: fc.constantFrom('Delete', 'Retain'),
      platform,
    },
    { requiredKeys: ['version', 'target'] },
  )
  .map((spec) => JSON.parse(JSON.stringify(spec)) as JsonObject);

/** Settings that the function takes. */
export const validSettings: fc.Arbitrary<JsonObject | undefined> = fc.option(
  fc.record(
    {
      chart: fc.constantFrom({ version: '0.36.2' }, { values: { sync: { toHost: {} } } }, { pullSecretName: 'pull' }),
      vcluster: fc.constantFrom(
        { kubernetesVersion: 'v1.34.1' },
        { imageRegistry: 'registry.example:5000', imagePullSecrets: ['pull'] },
        { resources: { requests: { cpu: '1' } }, volumeSize: '9Gi', storageClassName: 'fast' },
      ),
      placement: fc.constantFrom(
        { nodeSelector: { pool: 'a' }, tolerations: [{ key: 'a', operator: 'Exists' }] },
        { nodeSelector: {}, tolerations: [] },
      ),
      providerConfigs: fc.constant({ helm: { kind: 'ProviderConfig', name: 'own' } }),
      storageRootBase: fc.constant('/data/instances'),
      intervals: fc.constantFrom({ repair: '5m' }, { grace: '1s', probe: '5s' }),
      ttl: fc.constantFrom({ steady: '2m', pending: '1s' }, { steady: '1s' }),
      tenantHost: fc.constantFrom({ approvedVersions: '<6' }, { errorPattern: 'not approved' }),
      workspace: fc.constantFrom(
        { npmRegistry: 'https://npm.example', proxy: { httpProxy: 'http://proxy.example:1' } },
        { backend: 's3://bucket', stateSize: '2Gi' },
      ),
      admission: fc.constant({ exemptUsers: [], exemptGroups: ['system:masters'] }),
      holdForFinalizer: fc.boolean(),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>,
  { nil: undefined },
);
