import { describe, expect, test } from 'vitest';
import type { Issue } from '../../function/api/issues.ts';
import { readSettings, settings } from '../../function/api/settings.ts';
import { structural } from '../../function/api/structural.ts';
import { isObject, type Json, type JsonObject, objectAt } from '../../function/json.ts';

const DEFAULTS = {
  chart: { repository: 'https://charts.loft.sh', version: '0.36.1', values: {} },
  vcluster: {
    kubernetesVersion: 'v1.35.0',
    imageRepository: 'loft-sh/vcluster-oss',
    imagePullSecrets: [],
    volumeSize: '5Gi',
  },
  placement: { nodeSelector: {}, tolerations: [] },
  providerConfigs: {
    helm: { kind: 'ClusterProviderConfig', name: 'default' },
    kubernetes: { kind: 'ClusterProviderConfig', name: 'default' },
  },
  storageRootBase: '/var/lib/di-framework/instances',
  intervals: { repair: 1800, probe: 30, grace: 45, startDeadline: 600, deletionDeadline: 600 },
  retry: { base: 60, cap: 1800 },
  ttl: { steady: 60, pending: 10 },
  tenantHost: { image: 'ghcr.io/di-framework/wash:2.8.0-wasi-tls-exclusive' },
  workspace: {
    image: 'pulumi/pulumi:3.261.0-nonroot',
    resources: { requests: { cpu: '100m', memory: '512Mi' }, limits: { memory: '1Gi' } },
    imagePullSecrets: [],
    proxy: {},
    stateSize: '1Gi',
  },
  cleanup: { image: 'docker.io/library/busybox:1.37.0', namespace: 'crossplane-system' },
  admission: { exemptUsers: ['system:serviceaccount:crossplane-system:provider-helm'], exemptGroups: [] },
  holdForFinalizer: true,
};

/** Every field with a value of its own, as a user writes it and as the core gets it. */
const GIVEN: JsonObject = {
  apiVersion: 'settings.platform.di-framework.dev/v1alpha1',
  kind: 'Settings',
  metadata: { name: 'ours' },
  chart: {
    repository: 'oci://registry.example/charts',
    version: '0.37.0-rc.1',
    pullSecretName: 'chart-pull',
    values: { controlPlane: { ingress: null, replicas: 1 } },
  },
  vcluster: {
    kubernetesVersion: 'v1.34.2',
    imageRegistry: 'registry.example:5000/mirror',
    imageRepository: 'loft-sh/vcluster-pro',
    imagePullSecrets: ['images'],
    resources: { requests: { cpu: 1, memory: '256Mi' } },
    volumeSize: '20Gi',
    storageClassName: 'fast.example',
  },
  placement: {
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ key: 'dedicated', operator: 'Exists', value: null }],
    affinity: { nodeAffinity: {} },
  },
  providerConfigs: {
    helm: { kind: 'ProviderConfig', name: 'helm' },
    kubernetes: { kind: 'ProviderConfig', name: 'kubernetes' },
  },
  storageRootBase: '/data/di-framework',
  intervals: { repair: '1h30m', probe: '5s', grace: '60000ms', startDeadline: '1m', deletionDeadline: '0.5h' },
  retry: { base: '1s', cap: '1s' },
  ttl: { steady: '1s', pending: '1s' },
  tenantHost: {
    image: 'registry.example/wash:1',
    approvedVersions: '>=6.0.20 <7 || 8.x',
    errorPattern: 'not approved',
  },
  workspace: {
    image: 'registry.example/pulumi:3',
    resources: { limits: { memory: '2Gi' } },
    imagePullSecrets: ['pulumi'],
    npmRegistry: 'https://npm.example',
    proxy: {
      httpProxy: 'http://proxy.example:3128',
      httpsProxy: 'http://proxy.example:3128',
      noProxy: '.svc,10.0.0.0/8',
    },
    backend: 's3://state-bucket?region=eu-west-1',
    stateSize: '500Mi',
    stateStorageClassName: 'slow',
  },
  cleanup: { image: 'registry.example/busybox', namespace: 'cleanup' },
  admission: { exemptUsers: ['system:serviceaccount:other:helm'], exemptGroups: ['admins'] },
  holdForFinalizer: false,
};

function issuesOf(input: JsonObject): readonly Issue[] {
  const parsed = readSettings(input);
  return 'issues' in parsed ? parsed.issues : [];
}

describe('settings', () => {
  test('all have a default that works', () => {
    expect(readSettings(undefined)).toEqual({ value: DEFAULTS });
  });

  test.each([
    ['an empty input', {}],
    ['nothing but what names it', { apiVersion: GIVEN['apiVersion'] ?? '', kind: 'Settings' }],
    ['empty groups', Object.fromEntries(Object.keys(DEFAULTS).flatMap((name) => (isGroup(name) ? [[name, {}]] : [])))],
    ['null for every field', Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, null]))],
  ])('default the same from %s', (_, input: JsonObject) => {
    expect(readSettings(input)).toEqual({ value: DEFAULTS });
  });

  test('are taken as given, durations as seconds and quantities as strings', () => {
    const { apiVersion: _, kind: __, metadata: ___, ...rest } = GIVEN;
    expect(readSettings(GIVEN)).toEqual({
      value: {
        ...rest,
        vcluster: { ...objectAt(GIVEN, 'vcluster'), resources: { requests: { cpu: '1', memory: '256Mi' } } },
        intervals: { repair: 5400, probe: 5, grace: 60, startDeadline: 60, deletionDeadline: 1800 },
        retry: { base: 1, cap: 1 },
        ttl: { steady: 1, pending: 1 },
      },
    });
  });
});

function isGroup(name: string): boolean {
  return isObject((DEFAULTS as JsonObject)[name]);
}

/** Paths of all objects whose fields are ours. */
function groups(schema: Json | undefined, path: readonly string[] = []): (readonly string[])[] {
  const properties = objectAt(schema, 'properties');
  if (properties === undefined) return [];
  return [path, ...Object.entries(properties).flatMap(([name, field]) => groups(field, [...path, name]))];
}

function nested(path: readonly string[], value: Json): Json {
  return path.reduceRight<Json>((inner, step) => ({ [step]: inner }), value);
}

describe('an unknown field', () => {
  test.each(groups(structural(settings)).map((path) => [path.join('.') || 'the top', path] as const))(
    'is refused by its name in %s',
    (_, path) => {
      const input = nested(path, JSON.parse('{ "someField": null, "otherField": 1, "__proto__": {} }')) as JsonObject;
      expect(issuesOf(input)).toEqual(
        ['someField', 'otherField', '__proto__'].map((name) => ({
          path: [...path, name].join('.'),
          message: 'is no field of these settings',
        })),
      );
    },
  );

  test('does not hide others, nor bad values', () => {
    expect(issuesOf({ chart: { versoin: '0.36.1' }, intervals: { repair: '1s', prob: '1s' }, other: true })).toEqual([
      { path: 'chart.versoin', message: 'is no field of these settings' },
      { path: 'intervals.repair', message: 'must be at least 1m' },
      { path: 'intervals.prob', message: 'is no field of these settings' },
      { path: 'other', message: 'is no field of these settings' },
    ]);
  });
});

const NO_DURATION = 'must be a duration such as 90s or 1h30m';
const LONG_NAME = `${'a'.repeat(254)}`;

/** field, value, what is said of it */
const BAD: readonly (readonly [string, Json, string])[] = [
  ['apiVersion', 'v1', 'must be settings.platform.di-framework.dev/v1alpha1'],
  ['kind', 'Input', 'must be Settings'],
  ['metadata', 'x', 'must be an object'],
  ['chart', [], 'must be an object'],
  ['chart.repository', 'charts.loft.sh', 'must match ^(https?|oci)://[^\\s]+$'],
  ['chart.version', 'v0.36.1', 'must match ^[0-9]+\\.[0-9]+\\.[0-9]+([-+][0-9A-Za-z.+-]+)?$'],
  ['chart.version', '0.36.x', 'must match ^[0-9]+\\.[0-9]+\\.[0-9]+([-+][0-9A-Za-z.+-]+)?$'],
  ['chart.values', 'a: b', 'must be an object'],
  ['chart.pullSecretName', LONG_NAME, 'must be at most 253 characters'],
  ['vcluster.kubernetesVersion', '1.35', 'must match ^v[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z._-]+)?$'],
  ['vcluster.imageRegistry', 'https://registry.example', 'must match ^[0-9A-Za-z]([._:/-]?[0-9A-Za-z])*$'],
  ['vcluster.imageRepository', 'loft-sh/vcluster:0.36', 'must match ^[0-9a-z]+([._/-]+[0-9a-z]+)*$'],
  ['vcluster.volumeSize', '5 Gi', 'must be a size such as 5Gi'],
  ['vcluster.volumeSize', '0Gi', 'must be a size such as 5Gi'],
  ['vcluster.volumeSize', '-5Gi', 'must be a size such as 5Gi'],
  ['vcluster.imagePullSecrets', 'images', 'must be a list'],
  ['vcluster.resources.limits.cpu', 'much', 'must be a quantity such as 500m or 1Gi'],
  ['vcluster.resources.limits.cpu', true, 'must be a quantity such as 500m or 1Gi'],
  ['vcluster.resources.limits.cpu', -1, 'must be a quantity such as 500m or 1Gi'],
  ['placement.nodeSelector.disk', true, 'must be a string'],
  ['placement.tolerations', {}, 'must be a list'],
  ['placement.affinity', [], 'must be an object'],
  ['providerConfigs.helm.kind', 'Config', 'must be one of ProviderConfig, ClusterProviderConfig'],
  [
    'providerConfigs.kubernetes.name',
    'A',
    'must match ^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
  ],
  ['storageRootBase', 'data', 'must be an absolute path'],
  ['storageRootBase', '', 'must be an absolute path'],
  ['storageRootBase', '/', 'must not be the root of the file system'],
  ['storageRootBase', '/data/', 'must not have empty, . or .. steps or a slash at its end'],
  ['storageRootBase', '//data', 'must not have empty, . or .. steps or a slash at its end'],
  ['storageRootBase', '/data/./x', 'must not have empty, . or .. steps or a slash at its end'],
  ['storageRootBase', '/data/..', 'must not have empty, . or .. steps or a slash at its end'],
  ['storageRootBase', '/data/a b', 'must be made of letters, digits and . _ - + @'],
  ['storageRootBase', '/data\n', 'must be made of letters, digits and . _ - + @'],
  ['storageRootBase', '/data/$(x)', 'must be made of letters, digits and . _ - + @'],
  ['intervals.repair', '59s', 'must be at least 1m'],
  ['intervals.repair', 1800, 'must be a string'],
  ['intervals.repair', '30', NO_DURATION],
  ['intervals.repair', '-30m', NO_DURATION],
  ['intervals.repair', '8761h', 'must be at most 8760h'],
  ['intervals.probe', '4s', 'must be at least 5s'],
  ['intervals.probe', '5.5s', 'must be whole seconds'],
  ['intervals.grace', '0s', 'must be at least 1s'],
  ['intervals.startDeadline', '30s', 'must be at least 1m'],
  ['intervals.deletionDeadline', '30s', 'must be at least 1m'],
  ['retry.base', '0s', 'must be at least 1s'],
  ['retry.cap', '30s', 'must not be less than base'],
  ['ttl.steady', '500ms', 'must be at least 1s'],
  ['ttl.pending', '1500ms', 'must be whole seconds'],
  ['tenantHost.image', '', 'must match ^[^\\s@]+(@sha256:[0-9a-f]{64})?$'],
  ['tenantHost.approvedVersions', 'six', 'must be an npm version range'],
  ['tenantHost.approvedVersions', ' ', 'must be an npm version range'],
  ['tenantHost.errorPattern', '(', 'must be a JavaScript regular expression'],
  ['tenantHost.errorPattern', '', 'must be at least 1 character'],
  ['workspace.image', 'a b', 'must match ^[^\\s@]+(@sha256:[0-9a-f]{64})?$'],
  ['workspace.npmRegistry', 'npm.example', 'must match ^https?://'],
  ['workspace.proxy.httpProxy', 'proxy.example', 'must match ^(https?|socks5h?)://[^\\s]+$'],
  ['workspace.backend', '/state', 'must match ^[a-z][a-z0-9+.-]*://[^\\s]+$'],
  ['workspace.stateSize', 'big', 'must be a size such as 5Gi'],
  ['cleanup.namespace', 'a.b', 'must match ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'],
  ['admission.exemptUsers', 'x', 'must be a list'],
  ['holdForFinalizer', 'true', 'must be true or false'],
];

describe('a bad value', () => {
  test.each(BAD)('of %s is refused: %j', (path, value, message) => {
    expect(issuesOf(nested(path.split('.'), value) as JsonObject)).toEqual([{ path, message }]);
  });

  test('in a list is refused at its place', () => {
    const input = { admission: { exemptUsers: ['a', ' '], exemptGroups: [''] }, placement: { tolerations: [1] } };
    expect(issuesOf(input)).toEqual([
      { path: 'placement.tolerations[0]', message: 'must be an object' },
      { path: 'admission.exemptUsers[1]', message: 'must not be empty' },
      { path: 'admission.exemptGroups[0]', message: 'must not be empty' },
    ]);
  });

  test('takes no time, however long it is', () => {
    const started = performance.now();
    const name = `${'a'.repeat(200_000)}!`;
    expect(
      issuesOf({
        providerConfigs: { helm: { name } },
        cleanup: { namespace: name },
        vcluster: { imageRegistry: name },
      }),
    ).toHaveLength(3);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
