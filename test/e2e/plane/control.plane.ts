import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { admin, createAuthority, kubeconfigOf, type Plane, writeSecretFile, writeTlsFolder } from './plane.ts';
import { freePort, isRunning, logTail, startProcess } from './processes.ts';

const START_MS = 90_000;

// The StatefulSet and Job controllers are left out: what they would make are pods, and no kubelet runs them.
const CONTROLLERS = [
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'serviceaccount-controller',
  'validatingadmissionpolicy-status-controller',
];

/** etcd, kube-apiserver and kube-controller-manager on free ports of loopback, with RBAC on. */
export async function startControlPlane(folder: string, tools: Plane['tools']): Promise<Plane> {
  const etcd = await startEtcd(folder, tools);
  const port = await freePort();
  const authority = createAuthority('e2e');
  const certificates = writeTlsFolder(join(folder, 'apiserver'), authority.certificate, authority.issue('apiserver'));
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signingKey = writeSecretFile(
    certificates,
    'sa.key',
    privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
  );
  const verifyingKey = writeSecretFile(
    certificates,
    'sa.pub',
    publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  );
  const adminToken = randomBytes(16).toString('hex');
  const tokens = writeSecretFile(certificates, 'tokens.csv', `${adminToken},e2e-admin,1,system:masters\n`);

  startProcess(folder, {
    name: 'kube-apiserver',
    command: join(tools['kubernetes'] ?? '', 'bin/kube-apiserver'),
    args: [
      `--etcd-servers=${etcd}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${port}`,
      '--endpoint-reconciler-type=none',
      `--cert-dir=${certificates}`,
      `--tls-cert-file=${join(certificates, 'tls.crt')}`,
      `--tls-private-key-file=${join(certificates, 'tls.key')}`,
      `--client-ca-file=${join(certificates, 'ca.crt')}`,
      '--authorization-mode=RBAC',
      `--token-auth-file=${tokens}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-signing-key-file=${signingKey}`,
      `--service-account-key-file=${verifyingKey}`,
      '--service-cluster-ip-range=10.96.0.0/16',
      '--allow-privileged=true',
    ],
  });
  const plane: Plane = {
    folder,
    tools,
    server: `https://127.0.0.1:${port}`,
    certificateAuthority: authority.certificate,
    adminToken,
    chartRepository: '',
  };
  await ready(plane);
  startControllers(plane, signingKey);
  return plane;
}

async function startEtcd(folder: string, tools: Plane['tools']): Promise<string> {
  const [client, peer] = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${port}`);
  startProcess(folder, {
    name: 'etcd',
    command: join(tools['etcd'] ?? '', 'bin/server'),
    args: [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      '--unsafe-no-fsync',
    ],
  });
  return client ?? '';
}

async function ready(plane: Plane): Promise<void> {
  const kube = admin(plane);
  const answers = async () => {
    if (!isRunning(plane.folder, 'kube-apiserver')) throw new Error('kube-apiserver ended');
    const { status, body } = await kube.request('GET', '/readyz');
    if (status !== 200) throw new Error(`kube-apiserver is not ready: ${JSON.stringify(body)}`);
    return true;
  };
  await eventually(answers, START_MS).catch((cause: unknown) => {
    const logs = ['etcd', 'kube-apiserver'].map((name) => logTail(plane.folder, name));
    throw new Error(`cannot start the control plane: ${String(cause)}\n${logs.join('\n')}`);
  });
}

function startControllers(plane: Plane, signingKey: string): void {
  const kubeconfig = kubeconfigOf({ ...plane, token: plane.adminToken });
  startProcess(plane.folder, {
    name: 'kube-controller-manager',
    command: join(plane.tools['kubernetes'] ?? '', 'bin/kube-controller-manager'),
    args: [
      `--kubeconfig=${writeSecretFile(join(plane.folder, 'kubeconfigs'), 'controller-manager', kubeconfig)}`,
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      '--leader-elect=false',
      `--controllers=${CONTROLLERS.join(',')}`,
      `--service-account-private-key-file=${signingKey}`,
    ],
  });
}
