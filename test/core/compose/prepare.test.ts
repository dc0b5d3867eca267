import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PREPARE_SCRIPT } from '../../../function/core/compose/workspace.ts';

let root = '';
const path = (...parts: readonly string[]): string => join(root, ...parts);

/** The program as the kubelet mounts a ConfigMap: links into a hidden folder that is swapped as a whole. */
function mount(files: Readonly<Record<string, string>>): void {
  rmSync(path('program'), { recursive: true, force: true });
  mkdirSync(path('program', '..data'), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(path('program', '..data', name), text);
    symlinkSync(join('..data', name), path('program', name));
  }
}

function prepare(options: { readonly want?: string; readonly bin?: string } = {}): {
  code: number | null;
  said: string;
} {
  const args = ['prepare', path('state'), path('program'), path('share', 'workspace'), options.want ?? 'hash-1'];
  const search = [options.bin, process.env['PATH']].filter((part) => part !== undefined).join(':');
  const { status, stderr } = spawnSync('sh', ['-c', PREPARE_SCRIPT, ...args], {
    encoding: 'utf8',
    env: { PATH: search },
  });
  return { code: status, said: stderr.trim() };
}

const passphrase = (): string => readFileSync(path('state', 'passphrase'), 'utf8');
const good = { code: 0, said: '' };

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'prepare-'));
  mkdirSync(path('state'));
  mkdirSync(path('share'));
  mount({ 'index.js': 'one', 'package.json': '{}', 'program-hash': 'hash-1' });
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('the init container of the workspace', () => {
  it('makes a passphrase of 256 bits that only its owner reads', () => {
    expect(prepare()).toEqual(good);
    expect(passphrase()).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(path('state', 'passphrase')).mode & 0o777).toBe(0o600);
    expect(readdirSync(path('state'))).toEqual(['passphrase']);
  });

  it('makes another one for another volume, and never a second one for the same', () => {
    prepare();
    const first = passphrase();
    mkdirSync(path('state', '.pulumi', 'stacks', 'project'), { recursive: true });
    expect(prepare()).toEqual(good);
    expect(passphrase()).toBe(first);
    rmSync(path('state'), { recursive: true });
    mkdirSync(path('state'));
    prepare();
    expect(passphrase()).not.toBe(first);
  });

  it.each([
    ['is missing', undefined],
    ['is empty', ''],
  ])('refuses a state whose passphrase %s', (_, text) => {
    mkdirSync(path('state', '.pulumi', 'stacks', 'project'), { recursive: true });
    if (text !== undefined) writeFileSync(path('state', 'passphrase'), text);
    expect(prepare()).toEqual({ code: 1, said: 'the state volume holds a Pulumi state but no passphrase' });
    expect(existsSync(path('state', 'passphrase')) ? passphrase() : undefined).toBe(text);
  });

  it('refuses to go on with a passphrase that was cut short, and makes a whole one when there is room again', () => {
    mkdirSync(path('bin'));
    writeFileSync(path('bin', 'od'), '#!/bin/sh\necho " ab cd"\n');
    chmodSync(path('bin', 'od'), 0o755);
    expect(prepare({ bin: path('bin') })).toEqual({
      code: 1,
      said: 'cannot write the passphrase to the state volume',
    });
    expect(existsSync(path('state', 'passphrase'))).toBe(false);
    expect(prepare()).toEqual(good);
    expect(passphrase()).toMatch(/^[0-9a-f]{64}$/);
  });

  it('removes the locks of a pod that was killed, and nothing else of the state', () => {
    prepare();
    mkdirSync(path('state', '.pulumi', 'locks', 'organization'), { recursive: true });
    mkdirSync(path('state', '.pulumi', 'stacks'), { recursive: true });
    writeFileSync(path('state', '.pulumi', 'locks', 'organization', 'lock.json'), '{}');
    writeFileSync(path('state', '.pulumi', 'stacks', 'platform.json'), '{}');
    expect(prepare()).toEqual(good);
    expect(readdirSync(path('state', '.pulumi'))).toEqual(['stacks']);
    expect(readdirSync(path('state', '.pulumi', 'stacks'))).toEqual(['platform.json']);
  });

  it('waits for the mounted program to be the one that the Stack was written for, and touches nothing until then', () => {
    const late = { code: 1, said: 'the mounted program is not the newest one yet' };
    expect(prepare({ want: 'hash-2' })).toEqual(late);
    mount({ 'index.js': 'one' });
    expect(prepare()).toEqual(late);
    expect(readdirSync(path('state'))).toEqual([]);
    expect(readdirSync(path('share'))).toEqual([]);
  });

  it('copies the program as plain files, and takes large settings of an earlier one away', () => {
    mount({ 'index.js': 'one', 'settings.json': '{}', 'program-hash': 'hash-1' });
    prepare();
    expect(readdirSync(path('share', 'workspace')).sort()).toEqual(['index.js', 'program-hash', 'settings.json']);
    writeFileSync(path('share', 'workspace', 'Pulumi.platform.yaml'), 'kept: true');
    mount({ 'index.js': 'two', 'program-hash': 'hash-2' });
    expect(prepare({ want: 'hash-2' })).toEqual(good);
    const files = readdirSync(path('share', 'workspace'), { withFileTypes: true });
    expect(files.map((file) => [file.name, file.isFile()]).sort()).toEqual([
      ['Pulumi.platform.yaml', true],
      ['index.js', true],
      ['program-hash', true],
    ]);
    expect(readFileSync(path('share', 'workspace', 'index.js'), 'utf8')).toBe('two');
  });
});
