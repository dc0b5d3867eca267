import { join } from 'node:path';
import { SYSTEM_NAMESPACE, serviceAccountToken } from './identities.ts';
import type { Kube } from './kube.ts';
import { root } from './manifests.ts';
import { accessOf, kubeconfigOf, type Plane, writeSecretFile } from './plane.ts';
import { freePort, type ProcessSpec, startProcess } from './processes.ts';

export const TEARDOWN_ACCOUNT = 'platform-instance-teardown';
/** Always two of them: whatever the tests see holds for two replicas at once. */
export const REPLICAS = ['teardown-1', 'teardown-2'];

export async function startTeardown(plane: Plane, kube: Kube): Promise<void> {
  for (const name of REPLICAS) startProcess(plane.folder, await teardownProcess(plane, kube, name));
}

/** The controller with the identity and the rights that package/teardown ships. */
export async function teardownProcess(
  plane: Plane,
  kube: Kube,
  name: string,
  server = plane.server,
): Promise<ProcessSpec> {
  const token = await serviceAccountToken(kube, SYSTEM_NAMESPACE, TEARDOWN_ACCOUNT);
  const access = { ...accessOf(plane, token), server };
  const kubeconfig = writeSecretFile(join(plane.folder, 'kubeconfigs'), name, kubeconfigOf(access));
  return {
    name,
    command: process.execPath,
    args: [
      join(root, 'dist/main.js'),
      'teardown',
      `--kubeconfig=${kubeconfig}`,
      `--http-address=127.0.0.1:${await freePort()}`,
    ],
  };
}
