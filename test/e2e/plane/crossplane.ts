import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, stringAt } from '../../../function/json.ts';
import { clusterRoleBinding, providerSystemRole, SYSTEM_NAMESPACE, serviceAccountKubeconfig } from './identities.ts';
import type { Kube } from './kube.ts';
import { applyDefinitions, chartTemplate, manifestsOf, root } from './manifests.ts';
import { admin, binary, createAuthority, type Plane, writeTlsFolder } from './plane.ts';
import { freePort, startProcess } from './processes.ts';

const FUNCTION = 'di-framework-function-platform-instance';
const PROVIDERS = ['provider-kubernetes', 'provider-helm'];

/** Crossplane, its RBAC manager, the providers and our function, each with its own identity; then our package. */
export async function startCrossplane(plane: Plane): Promise<void> {
  const kube = admin(plane);
  await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM_NAMESPACE } });
  await applyDefinitions(kube, [
    ...manifestsOf(join(plane.tools['crossplane'] ?? '', 'crds')),
    ...PROVIDERS.flatMap((name) => definitionsOf(plane, name)),
    ...manifestsOf(join(root, 'test/e2e/crds')),
  ]);
  await applyRoles(plane, kube);
  const { function: endpoint, clientCertificates } = await startFunction(plane);
  await startCore(plane, kube, clientCertificates);
  for (const name of PROVIDERS) await startProvider(plane, kube, name);
  await applyInstall(plane, kube);
  await registerFunction(kube, FUNCTION, endpoint);
}

function definitionsOf(plane: Plane, provider: string): JsonObject[] {
  return manifestsOf(join(plane.tools[provider] ?? '', 'crds'));
}

/** Crossplane's own roles, from its chart, and what its RBAC manager would give the providers. */
async function applyRoles(plane: Plane, kube: Kube): Promise<void> {
  const templates = ['clusterrole.yaml', 'rbac-manager-clusterrole.yaml', 'rbac-manager-managed-clusterroles.yaml'];
  const folder = join(plane.tools['crossplane'] ?? '', 'chart-templates');
  const roles = templates.flatMap((name) => chartTemplate(readFileSync(join(folder, name), 'utf8')));
  const systemRoles = PROVIDERS.flatMap((name) => [
    providerSystemRole(`crossplane:provider:${name}:system`, definitionsOf(plane, name)),
    clusterRoleBinding(`crossplane:provider:${name}:system`, `crossplane:provider:${name}:system`, name),
  ]);
  const bindings = [
    clusterRoleBinding('crossplane', 'crossplane', 'crossplane'),
    clusterRoleBinding('crossplane-rbac-manager', 'crossplane-rbac-manager', 'rbac-manager'),
  ];
  for (const object of [...roles, ...systemRoles, ...bindings]) await kube.apply(object);
}

/** Crossplane calls functions over mutual TLS only, with certificates that its init step would make. */
async function startFunction(
  plane: Plane,
): Promise<{ readonly function: string; readonly clientCertificates: string }> {
  const port = await freePort();
  // Not the name of one of its leaves: subject and issuer alike would make that one self-signed.
  const authority = createAuthority('crossplane-ca');
  const tls = (name: string) =>
    writeTlsFolder(join(plane.folder, `${name}-tls`), authority.certificate, authority.issue(name));
  startProcess(plane.folder, {
    name: 'function',
    command: process.execPath,
    args: [
      join(root, 'dist/main.js'),
      'serve',
      `--address=127.0.0.1:${port}`,
      `--tls-certs-dir=${tls('function')}`,
      `--http-address=127.0.0.1:${await freePort()}`,
    ],
  });
  return { function: `dns:///localhost:${port}`, clientCertificates: tls('crossplane') };
}

async function startCore(plane: Plane, kube: Kube, clientCertificates: string): Promise<void> {
  const command = binary(plane, 'crossplane', 'crossplane');
  startProcess(plane.folder, {
    name: 'crossplane',
    command,
    args: [
      'core',
      'start',
      '--package-runtime=External',
      '--enable-webhooks=false',
      `--metrics-port=${await freePort()}`,
      `--health-probe-port=${await freePort()}`,
    ],
    env: {
      KUBECONFIG: await serviceAccountKubeconfig(plane, kube, 'crossplane'),
      TLS_CLIENT_CERTS_DIR: clientCertificates,
      XPKG_CACHE_DIR: join(plane.folder, 'xpkg'),
      POD_NAMESPACE: SYSTEM_NAMESPACE,
    },
  });
  startProcess(plane.folder, {
    name: 'crossplane-rbac-manager',
    command,
    args: ['rbac', 'start'],
    env: { KUBECONFIG: await serviceAccountKubeconfig(plane, kube, 'rbac-manager') },
  });
}

async function startProvider(plane: Plane, kube: Kube, name: string): Promise<void> {
  const ports =
    name === 'provider-kubernetes'
      ? [
          `--webhook-port=${await freePort()}`,
          '--metrics-bind-address=0',
          `--health-probe-bind-addr=127.0.0.1:${await freePort()}`,
        ]
      : [];
  startProcess(plane.folder, {
    name,
    command: binary(plane, name, 'provider'),
    args: ['--debug', ...ports],
    env: {
      KUBECONFIG: await serviceAccountKubeconfig(plane, kube, name),
      // provider-kubernetes serves its conversion webhook with them, asked or not.
      TLS_SERVER_CERTS_DIR: join(plane.folder, 'apiserver'),
      // The chart repository's certificate is of our own authority.
      SSL_CERT_FILE: join(plane.folder, 'apiserver/ca.crt'),
    },
  });
}

/** What package/install ships. A provider outside a pod has no injected identity: it reads the same one from a file. */
async function applyInstall(plane: Plane, kube: Kube): Promise<void> {
  const folders = ['package/install', 'package/teardown'].map((folder) => join(root, folder));
  const shipped = folders.flatMap(manifestsOf).filter(({ kind }) => kind !== 'Kustomization');
  for (const object of shipped) {
    if (object['kind'] !== 'ClusterProviderConfig') await kube.apply(object);
    else await kube.apply({ ...object, spec: { credentials: fromFile(plane, object) } });
  }
}

function fromFile(plane: Plane, config: JsonObject): JsonObject {
  const provider = stringAt(config, 'apiVersion')?.startsWith('helm') ? 'provider-helm' : 'provider-kubernetes';
  return { source: 'Filesystem', fs: { path: join(plane.folder, 'kubeconfigs', provider) } };
}

/** What the package manager and an external runtime would write (facts of the External package runtime). */
export async function registerFunction(kube: Kube, name: string, endpoint: string): Promise<void> {
  const revision: JsonObject = {
    apiVersion: 'pkg.crossplane.io/v1',
    kind: 'FunctionRevision',
    metadata: {
      name: `${name}-e2e`,
      labels: { 'pkg.crossplane.io/package': name },
      // Its own reconciler would try to pull the image.
      annotations: { 'crossplane.io/paused': 'true' },
    },
    spec: { desiredState: 'Active', image: `${name}:e2e`, revision: 1, packagePullPolicy: 'Never' },
  };
  await kube.apply(revision);
  const { spec: _, ...identity } = revision;
  await kube.apply({ ...identity, status: { endpoint, capabilities: ['composition'] } }, 'status');
}
