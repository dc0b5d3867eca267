import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority, type Identity } from '../../server/certificates.ts';
import { type Access, Kube } from './kube.ts';

/** What tests need to know of a running plane: plain data, because they run in processes of their own. */
export interface Plane {
  readonly folder: string;
  readonly server: string;
  readonly certificateAuthority: string;
  /** token of a member of system:masters */
  readonly adminToken: string;
  /** tool -> folder with its binaries and files */
  readonly tools: Readonly<Record<string, string>>;
  readonly chartRepository: string;
}

export function admin(plane: Plane): Kube {
  return new Kube(accessOf(plane, plane.adminToken));
}

export function accessOf(plane: Plane, token: string): Access {
  return { server: plane.server, certificateAuthority: plane.certificateAuthority, token };
}

export function binary(plane: Plane, tool: string, name: string): string {
  return join(plane.tools[tool] ?? '', 'bin', name);
}

/** A kubeconfig with everything inline, as the providers want it. */
export function kubeconfigOf({ server, certificateAuthority, token }: Access): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'e2e',
    clusters: [
      {
        name: 'e2e',
        cluster: { server, 'certificate-authority-data': Buffer.from(certificateAuthority).toString('base64') },
      },
    ],
    users: [{ name: 'e2e', user: { token } }],
    contexts: [{ name: 'e2e', context: { cluster: 'e2e', user: 'e2e' } }],
  });
}

export function writeSecretFile(folder: string, name: string, content: string): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  writeFileSync(file, content, { mode: 0o600 });
  return file;
}

/** tls.crt, tls.key and ca.crt in a folder, as Crossplane mounts them. */
export function writeTlsFolder(folder: string, certificateAuthority: string, { certificate, key }: Identity): string {
  writeSecretFile(folder, 'tls.crt', certificate);
  writeSecretFile(folder, 'tls.key', key);
  writeSecretFile(folder, 'ca.crt', certificateAuthority);
  return folder;
}

export { createAuthority };
