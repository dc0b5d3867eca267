import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';
import { TENANT_AUTH } from './specs.ts';

/**
 * What a release of the function left in a cluster, of instances that are Ready. Frozen: a file is written once, by
 * `FREEZE=0.1 npx vitest run test/core/invariants/upgrade.test.ts` when that release is made, and then never again.
 */
export interface Frozen {
  /** seconds since 1970 at which it was observed */
  readonly now: number;
  readonly xr: JsonObject;
  readonly input?: JsonObject;
  readonly composed: { readonly [key: string]: JsonObject };
  readonly connectionDetails: { readonly [key: string]: { readonly [name: string]: boolean } };
  readonly cluster: { readonly [identity: string]: JsonObject };
}

const FOLDER = fileURLToPath(new URL('../../fixtures', import.meta.url));

export function frozenReleases(): readonly string[] {
  return readdirSync(FOLDER).filter((name) => name.startsWith('release-'));
}

export function frozenInstances(release: string): readonly (readonly [string, Frozen])[] {
  return readdirSync(join(FOLDER, release))
    .sort()
    .map((file) => [file.replace('.json', ''), JSON.parse(readFileSync(join(FOLDER, release, file), 'utf8'))]);
}

/** The cluster as it was found, with whatever function runs now. */
export function revived(frozen: Frozen): World {
  const { now, xr, input, composed, connectionDetails, cluster } = structuredClone(frozen);
  const world = new World({}, input === undefined ? {} : { input });
  Object.assign(world.xr, xr);
  world.now = now;
  for (const [key, resource] of Object.entries(composed)) world.composed.set(key, resource);
  for (const [key, details] of Object.entries(connectionDetails)) {
    world.connectionDetails.set(key, new Map(Object.entries(details)));
  }
  for (const [identity, object] of Object.entries(cluster)) world.cluster.set(identity, object);
  return world;
}

const INSTANCES: { readonly [name: string]: { readonly spec: JsonObject; readonly input?: JsonObject } } = {
  minimal: { spec: MINIMAL },
  full: {
    spec: {
      ...MINIMAL,
      deletionPolicy: 'Retain',
      platform: {
        networkPolicyEngine: 'kube-router',
        storageRoot: '/srv/blue',
        gateway: { httpNodePort: 30080, httpEndpoint: 'http://apps.example' },
        tenants: [
          { name: 'shop', resources: { cpu: '1', memory: '1Gi' } },
          { name: 'billing', suspended: true },
        ],
        users: [{ name: 'kim', memberships: [{ tenant: 'shop', role: 'viewer' }] }],
        tenantAuth: TENANT_AUTH,
      },
    },
  },
  configured: {
    spec: MINIMAL,
    input: {
      chart: { values: { sync: { toHost: { ingresses: { enabled: true } } } }, pullSecretName: 'charts' },
      vcluster: { kubernetesVersion: 'v1.34.1', resources: { requests: { cpu: '1' } }, volumeSize: '9Gi' },
      placement: { nodeSelector: { pool: 'a' }, tolerations: [{ key: 'a', operator: 'Exists' }] },
      workspace: { npmRegistry: 'https://npm.example', stateSize: '2Gi' },
    },
  },
};

/** Writes what does not exist yet of a release. */
export function freeze(version: string): void {
  const folder = join(FOLDER, `release-${version}`);
  mkdirSync(folder, { recursive: true });
  for (const [name, { spec, input }] of Object.entries(INSTANCES)) {
    const file = join(folder, `${name}.json`);
    if (existsSync(file)) continue;
    const world = new World(structuredClone(spec), input === undefined ? {} : { input });
    world.put('Secret', 'team-a', 'oauth', { metadata: { resourceVersion: '7' }, data: { clientSecret: true } });
    world.provision().install();
    world.syncObjects().step();
    const frozen: Frozen = {
      now: world.now,
      xr: world.xr,
      ...(input === undefined ? {} : { input }),
      composed: Object.fromEntries(world.composed),
      connectionDetails: Object.fromEntries(
        [...world.connectionDetails].map(([key, details]) => [key, Object.fromEntries(details)]),
      ),
      cluster: Object.fromEntries(world.cluster),
    };
    writeFileSync(file, `${JSON.stringify(frozen, null, 1)}\n`);
  }
}
