import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { Program } from '../server/process.ts';

export const XR = `apiVersion: platform.di-framework.dev/v1alpha1
kind: PlatformInstance
metadata:
  name: blue
  namespace: team-a
spec:
  version: 6.0.17
  target:
    type: vcluster
`;

export interface Document {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly [key: string]: unknown;
  };
  readonly [key: string]: unknown;
}

export interface Previewed {
  readonly code: number | null;
  readonly stdout: string;
  /** the lines of standard error, with the folder of the files left out */
  readonly said: readonly string[];
  readonly documents: readonly Document[];
}

/** Runs `preview` of the built bundle; {name} in an argument stands for the path of that file. */
export async function preview(files: Readonly<Record<string, string | Buffer>>, ...args: string[]): Promise<Previewed> {
  const folder = mkdtempSync(join(tmpdir(), 'preview-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const resolved = args.map((arg) => arg.replace(/\{(.*)\}/, (_, name) => join(folder, name)));
  const { code, stdout, stderr } = await new Program(['preview', ...resolved]).finished();
  return {
    code,
    stdout,
    said: stderr.replaceAll(`${folder}/`, '').split('\n').slice(0, -1),
    documents: [...parseAllDocuments(stdout)].map((document) => document.toJS()),
  };
}
