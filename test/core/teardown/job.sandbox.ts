import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll } from 'vitest';
import { readSettings } from '../../../function/api/settings.ts';
import { cleanupJob } from '../../../function/core/teardown/job.ts';
import { type Json, type JsonObject, listAt, objectAt, stringAt } from '../../../function/json.ts';

export const UID = '0c9e0c4e-5e0e-4a8c-9d25-2f3a4b5c6d7e';

export function settingsFrom(input: JsonObject = {}) {
  const read = readSettings(input);
  if ('issues' in read) throw new Error(JSON.stringify(read.issues));
  return read.value;
}

export function job(namespace = 'team-a', name = 'blue', input: JsonObject = {}): JsonObject {
  const identity = { namespace, name, uid: UID };
  return cleanupJob({ identity, id: 'dfqog7hj', attempt: 1, base: '/srv/instances', settings: settingsFrom(input) });
}

export function podOf(manifest: JsonObject): JsonObject {
  const pod = objectAt(manifest, 'spec', 'template', 'spec');
  if (pod === undefined) throw new Error('the Job has no pod');
  return pod;
}

/** The one container of the Job's pod. */
export function containerOf(manifest: JsonObject): Json | undefined {
  return listAt(podOf(manifest), 'containers')[0];
}

export interface Shell {
  readonly title: string;
  /** what stands for the `sh` of the Job's command */
  readonly sh: readonly string[];
  /** where it finds rm */
  readonly path: string;
}

const tools = mkdtempSync(join(tmpdir(), 'cleanup-tools-'));
chmodSync(tools, 0o755);
afterAll(() => rmSync(tools, { recursive: true, force: true }));
const PATH = process.env['PATH'] ?? '';

function whereIs(command: string): string | undefined {
  return PATH.split(delimiter)
    .map((folder) => join(folder, command))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

function busybox(): Shell[] {
  const file = whereIs('busybox');
  if (file === undefined) return [];
  for (const applet of ['sh', 'rm']) symlinkSync(file, join(tools, applet));
  return [{ title: 'busybox', sh: [join(tools, 'sh')], path: tools }];
}

/** This machine's sh, and every other shell that it has. */
export const SHELLS: readonly Shell[] = [
  { title: 'sh', sh: ['sh'], path: PATH },
  ...['dash', 'bash'].filter(whereIs).map((title) => ({ title, sh: [title], path: PATH })),
  ...busybox(),
];

/** A shell whose rm only writes down that it was called: a mistake costs nothing. */
export function harmless(calls: string): Shell {
  const folder = mkdtempSync(join(tools, 'harmless-'));
  const rm = join(folder, 'rm');
  writeFileSync(rm, `#!/bin/sh\necho "$@" >>'${calls}'\n`);
  chmodSync(rm, 0o755);
  return { title: 'harmless', sh: [whereIs('sh') ?? 'sh'], path: folder };
}

/** A folder with a base and something outside of it. */
export class Sandbox {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'cleanup-')));
  readonly base = join(this.folder, 'base');
  readonly outside = join(this.folder, 'outside');

  constructor() {
    for (const folder of [this.base, this.outside]) mkdirSync(folder);
    writeFileSync(join(this.outside, 'precious'), 'kept');
  }

  file(path: string, content = 'data'): this {
    mkdirSync(join(this.base, path, '..'), { recursive: true });
    writeFileSync(join(this.base, path), content);
    return this;
  }

  directory(path: string): this {
    mkdirSync(join(this.base, path), { recursive: true });
    return this;
  }

  link(path: string, to: string): this {
    mkdirSync(join(this.base, path, '..'), { recursive: true });
    symlinkSync(to, join(this.base, path));
    return this;
  }

  /** Everything there is: by path, what it is and holds. */
  all(folder = this.folder): Record<string, string> {
    const entries = readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      const stat = lstatSync(path);
      if (stat.isSymbolicLink()) return [[path, `link to ${readlinkSync(path)}`]];
      if (stat.isDirectory()) return [[path, `directory ${stat.mode}`], ...Object.entries(this.all(path))];
      return [[path, `file ${stat.mode} ${readFileSync(path, 'utf8')}`]];
    });
    return Object.fromEntries(entries) as Record<string, string>;
  }

  /** The same without the path and what is below it, which is relative to the base. */
  without(path: string): Record<string, string> {
    const gone = join(this.base, path);
    return Object.fromEntries(
      Object.entries(this.all()).filter(([each]) => each !== gone && !each.startsWith(`${gone}/`)),
    );
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface Outcome {
  readonly status: number | null;
  readonly stderr: string;
}

interface RunOptions {
  /** in place of the Job's own mount path */
  readonly mount: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: number;
  /** what to run the shell under */
  readonly under?: readonly string[];
}

/** Runs the very command of the Job. */
export function clean(shell: Shell, { mount, namespace, name, uid, under = [] }: RunOptions): Outcome {
  const container = containerOf(job(namespace, name));
  const mounted = stringAt(listAt(container, 'volumeMounts')[0], 'mountPath');
  const [sh, ...rest] = listAt(container, 'command').map(String);
  if (sh !== 'sh' || rest.filter((argument) => argument === mounted).length !== 1) throw new Error('unknown command');
  const [file = '', ...args] = [...under, ...shell.sh, ...rest.map((each) => (each === mounted ? mount : each))];
  const { status, stderr, error } = spawnSync(file, args, {
    encoding: 'utf8',
    // bash takes a socket for a remote login, and reads its user's start-up files.
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: shell.path },
    cwd: '/',
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  if (error !== undefined) throw error;
  return { status, stderr };
}

/** The last line, which stands for the others in the Job's status. */
export function said(stderr: string): string | undefined {
  return stderr.trimEnd().split('\n').at(-1);
}

/** No names of Kubernetes. */
export const HOSTILE: readonly string[] = [
  '',
  '.',
  '..',
  '/',
  'a/b',
  '../..',
  'blue/',
  '*',
  '$(touch x)',
  '`touch x`',
  '$IFS',
  ';touch x',
  '"',
  "'",
  'a b',
  ' ',
  'a\nb',
  'a\\b',
  'Blue',
  'blü',
];

export const DONE: Outcome = { status: 0, stderr: '' };
