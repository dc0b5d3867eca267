import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { accessOf, binary, kubeconfigOf, type Plane, writeSecretFile } from './plane.ts';

/** What kubectl prints to an administrator. */
export function kubectl(plane: Plane, ...args: readonly string[]): string {
  const kubeconfig = kubeconfigOf(accessOf(plane, plane.adminToken));
  const file = writeSecretFile(join(plane.folder, 'kubeconfigs'), 'kubectl', kubeconfig);
  return execFileSync(binary(plane, 'kubernetes', 'kubectl'), [`--kubeconfig=${file}`, ...args], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

/** The lines of a table, split where columns are: kubectl puts three blanks between them. */
export function tableOf(text: string): string[][] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd().split(/ {2,}/));
}
