import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PULUMI_PROJECT, programFiles } from '../../function/core/program/index.ts';
import type { Json, JsonObject } from '../../function/json.ts';

export const KUBECONFIG = 'apiVersion: v1\nkind: Config\ncurrent-context: admin-of-the-instance\n';

export interface Run {
  /** config of the Stack, as the operator hands it over: text by key */
  readonly config?: Readonly<Record<string, string>>;
  /** config values that go into the program's own file */
  readonly largeSettings?: JsonObject;
  /** content of the mounted kubeconfig, null for no file */
  readonly kubeconfig?: string | null;
  /** content of the mounted client secret, null for no file */
  readonly clientSecret?: string | Uint8Array | null;
  /** put @pulumi/kubernetes under the platform package only, as npm does when something else holds the top place */
  readonly nested?: boolean;
}

export interface Resource {
  readonly type: string;
  readonly name: string;
  readonly inputs: JsonObject;
  readonly provider: string;
  readonly dependencies: readonly string[];
  readonly secretOutputs: readonly string[];
}

export interface Outcome {
  readonly resources: readonly Resource[];
  readonly outputs: JsonObject | null;
  readonly error: { readonly message: string; readonly isRunError: boolean } | null;
  /** what the platform module saw; undefined when it was never loaded */
  readonly platform: { readonly config: JsonObject; readonly keys: readonly string[] } | undefined;
  readonly printed: string;
  readonly paths: { readonly kubeconfig: string; readonly clientSecret: string };
}

/** Pulumi's wire mark of a secret value (the SDK's `specialSigKey` and `specialSecretSig`). */
const SIGNATURE = '4dabf18193072939515e22adb298388d';
const SECRET = '1b47061264138c4ac30d75fd1eb44270';

/** The value behind a secret mark, undefined for a value that is not marked. */
export function secretValue(value: Json | undefined): Json | undefined {
  const marked = typeof value === 'object' && value !== null && !Array.isArray(value) && value[SIGNATURE] === SECRET;
  return marked ? value['value'] : undefined;
}

const HERE = import.meta.dirname;
const MODULES = resolve(HERE, '../../node_modules');

/** Writes the program's files as the workspace's init container does and runs them in a process of their own. */
export async function runProgram(run: Run): Promise<Outcome> {
  const root = mkdtempSync(join(tmpdir(), 'program-'));
  try {
    const paths = { kubeconfig: join(root, 'kubeconfig'), clientSecret: join(root, 'clientSecret') };
    mount(paths.kubeconfig, run.kubeconfig === undefined ? KUBECONFIG : run.kubeconfig);
    mount(paths.clientSecret, run.clientSecret ?? null);
    const workspace = join(root, 'workspace');
    install(workspace, run.nested ?? false);
    const { largeSettings } = run;
    const files = programFiles({
      version: '6.0.22',
      clientSecretFile: paths.clientSecret,
      ...(largeSettings === undefined ? {} : { largeSettings }),
    });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(workspace, name), text);
    const record = join(root, 'record.json');
    const printed = await execute(workspace, join(root, 'report.json'), {
      PLATFORM_RECORD: record,
      PULUMI_PROJECT,
      PULUMI_STACK: 'platform',
      PULUMI_CONFIG: JSON.stringify(namespaced({ kubeconfig: paths.kubeconfig, ...run.config })),
    });
    return {
      ...JSON.parse(readFileSync(join(root, 'report.json'), 'utf8')),
      platform: existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : undefined,
      printed,
      paths,
    };
  } finally {
    rmSync(root, { recursive: true });
  }
}

function mount(file: string, content: string | Uint8Array | null): void {
  if (content !== null) writeFileSync(file, content);
}

/** Stands for `npm install`: the platform package and the SDKs that it depends on. */
function install(workspace: string, nested: boolean): void {
  const top = join(workspace, 'node_modules');
  const platform = join(top, '@di-framework/platform');
  mkdirSync(join(top, '@pulumi'), { recursive: true });
  mkdirSync(join(platform, 'node_modules/@pulumi'), { recursive: true });
  cpSync(join(HERE, 'platform'), platform, { recursive: true });
  cpSync(join(HERE, 'run.cjs'), join(workspace, 'run.cjs'));
  const kubernetes = nested ? join(platform, 'node_modules/@pulumi/kubernetes') : join(top, '@pulumi/kubernetes');
  symlinkSync(join(MODULES, '@pulumi/pulumi'), join(top, '@pulumi/pulumi'));
  symlinkSync(join(MODULES, '@pulumi/kubernetes'), kubernetes);
}

function namespaced(config: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [`${PULUMI_PROJECT}:${key}`, value]));
}

function execute(workspace: string, report: string, env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((done, failed) => {
    const args = [join(workspace, 'run.cjs'), workspace, report];
    execFile(
      process.execPath,
      args,
      { cwd: workspace, env: { PATH: process.env['PATH'], ...env } },
      (error, out, err) => {
        if (error !== null && !existsSync(report)) failed(new Error(`cannot run the program: ${error.message} ${err}`));
        else done(`${out}${err}`);
      },
    );
  });
}
