import { at, type Json, type JsonObject, objectAt } from '../../../function/json.ts';
import { World } from '../world.ts';

/** A spec with every part of the platform in it. */
export const FULL: JsonObject = {
  version: '6.0.22',
  target: { type: 'vcluster' },
  deletionPolicy: 'Delete',
  platform: {
    networkPolicyEngine: 'kube-router',
    storageRoot: '/srv/blue',
    gateway: { httpNodePort: 30080, httpEndpoint: 'http://apps.example:30080' },
    tenantHostImage: 'ghcr.io/example/wash:9',
    tenantHostImagePullPolicy: 'Always',
    tenants: [
      { name: 'shop', suspended: false, runtime: { replicas: 2 }, resources: { cpu: '1', workloads: 3 } },
      { name: 'bank', suspended: true, deletionPolicy: 'Retain' },
    ],
    users: [{ name: 'kim', memberships: [{ tenant: 'shop', role: 'developer' }] }],
    tenantAuth: {
      image: `ghcr.io/example/tenant-auth@sha256:${'1'.repeat(64)}`,
      issuer: 'https://login.example/realms/one',
      clientId: 'console',
      clientSecretRef: { name: 'oauth', key: 'secret-of-the-client' },
      issuerUpstream: 'login.idp:8080',
      issuerUpstreamPodPort: 8080,
      issuerIp: '10.0.0.9',
      consolePublicUrl: 'https://{tenant}.console.example',
      controllerPublicUrl: 'https://{tenant}.api.example',
      registry: {
        component: `ghcr.io/example/oci-registry@sha256:${'2'.repeat(64)}`,
        publicUrl: 'https://{tenant}.registry.example',
        limits: { maxBodyBytes: 1048576, maxConcurrent: 16 },
      },
    },
  },
};

/** Settings with something in every place that reaches what is composed. */
export const SETTINGS: JsonObject = {
  chart: { pullSecretName: 'charts', values: { sync: { toHost: { ingresses: { enabled: true } } } } },
  vcluster: {
    imageRegistry: 'registry.example:5000',
    imagePullSecrets: ['pull'],
    resources: { limits: { memory: '8Gi' } },
    volumeSize: '9Gi',
    storageClassName: 'fast',
  },
  placement: {
    nodeSelector: { pool: 'a' },
    tolerations: [{ key: 'pool', operator: 'Equal', value: 'a', effect: 'NoSchedule' }],
    affinity: { nodeAffinity: {} },
  },
  workspace: {
    npmRegistry: 'https://npm.example',
    proxy: { httpProxy: 'http://proxy.example:3128', httpsProxy: 'http://proxy.example:3128', noProxy: '.svc' },
    imagePullSecrets: ['pull'],
    stateStorageClassName: 'fast',
  },
};

/** The user's Secret as the decoder leaves it: which keys are filled, and no value. */
export function withClientSecret(world: World): World {
  world.put('Secret', 'team-a', 'oauth', {
    metadata: { resourceVersion: '7' },
    data: { 'secret-of-the-client': true },
  });
  return world;
}

export function readyWorld(spec: JsonObject, input?: JsonObject): World {
  const world = withClientSecret(new World(spec, input === undefined ? {} : { input }));
  world.provision().install();
  return world
    .syncObjects()
    .syncRelease({ revision: 1, description: 'Install complete' })
    .chartObjects()
    .controlPlaneUp();
}

/** What the function desires now, by key. */
export function desired(world: World): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries([...world.ask().desired.resources].map(([key, { resource }]) => [key, resource]));
}

export function valuesOf(world: World): JsonObject {
  const values = objectAt(desired(world)['vcluster'], 'spec', 'forProvider', 'values');
  if (values === undefined) throw new Error('no values are composed');
  return values;
}

export function desiredAt(world: World, key: string, ...path: readonly string[]): Json | undefined {
  return at(desired(world)[key], ...path);
}
