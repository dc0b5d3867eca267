import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Authority, createAuthority, type Identity } from './certificates.ts';
import { mutualTls, RawClient } from './client.ts';
import { INSTANCE, requestBytes } from './messages.ts';
import { Program, serving, until } from './process.ts';

const request = requestBytes({ composite: INSTANCE });
const FILES = ['tls.crt', 'tls.key', 'ca.crt'];

/** A folder that changes as the kubelet changes a mounted Secret: the files are links through `..data`, which is swapped. */
class SecretVolume {
  private version = 0;
  readonly directory: string;
  constructor(directory: string) {
    this.directory = directory;
  }

  async write(contents: Readonly<Record<string, string>>): Promise<void> {
    const data = `..version-${this.version++}`;
    await mkdir(join(this.directory, data));
    for (const [file, text] of Object.entries(contents)) await writeFile(join(this.directory, data, file), text);
    await symlink(data, join(this.directory, '..data_tmp'));
    await rename(join(this.directory, '..data_tmp'), join(this.directory, '..data'));
    for (const file of FILES) await symlink(`..data/${file}`, join(this.directory, file)).catch(() => undefined);
  }
}

function contents(authority: Authority, server: Identity): Record<string, string> {
  return { 'tls.crt': server.certificate, 'tls.key': server.key, 'ca.crt': authority.certificate };
}

async function code(port: number, authority: Authority, client?: Identity, milliseconds = 3000): Promise<number> {
  using raw = new RawClient(port, mutualTls(authority.certificate, client));
  return (await raw.call(request, undefined, milliseconds)).code;
}

describe('mutual TLS', () => {
  const authority = createAuthority('one');
  const other = createAuthority('two');
  const server = authority.issue('server');
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tls-'));
  });
  afterAll(() => rm(root, { recursive: true }));

  async function volume(files: Record<string, string> = contents(authority, server)): Promise<SecretVolume> {
    const created = new SecretVolume(await mkdtemp(join(root, 'volume-')));
    await created.write(files);
    return created;
  }

  test.each(['flag', 'environment'])('the directory of the %s is used', async (source) => {
    const { directory } = await volume();
    await using program = await (source === 'flag'
      ? serving([`--tls-certs-dir=${directory}`])
      : serving([], { TLS_SERVER_CERTS_DIR: directory }));
    expect(await code(program.port, authority, authority.issue('client'))).toBe(status.OK);
  });

  test('refuses clients without a certificate, with one of another authority, and plain text', async () => {
    const { directory } = await volume();
    await using program = await serving([`--tls-certs-dir=${directory}`]);
    expect(await code(program.port, authority)).not.toBe(status.OK);
    expect(await code(program.port, authority, other.issue('client'))).not.toBe(status.OK);
    using plain = new RawClient(program.port);
    expect((await plain.call(request, undefined, 3000)).code).not.toBe(status.OK);
    expect(await code(program.port, authority, authority.issue('client'))).toBe(status.OK);
  });

  test.each([
    {
      title: 'a missing file',
      files: { 'tls.crt': server.certificate, 'tls.key': server.key },
      says: 'cannot read ca.crt: ENOENT',
    },
    {
      title: 'a key of another certificate',
      files: { ...contents(authority, server), 'tls.key': authority.issue('x').key },
      says: 'tls.key does not belong to tls.crt',
    },
    {
      title: 'an empty certificate',
      files: { ...contents(authority, server), 'tls.crt': '' },
      says: 'tls.crt holds no complete PEM certificates',
    },
    {
      title: 'an empty key',
      files: { ...contents(authority, server), 'tls.key': '' },
      says: 'tls.key is no private key',
    },
  ])('does not start from $title', async ({ files, says }) => {
    const { directory } = await volume(files);
    const program = new Program([`--tls-certs-dir=${directory}`, '--address=127.0.0.1:0', '--http-address=']);
    expect(await program.finished()).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `cannot use the certificates in ${directory}: ${says}\n`,
    });
  });

  test('follows a change of all certificates under load: no call fails, the old authority is refused afterwards', async () => {
    const mounted = await volume();
    await using program = await serving([`--tls-certs-dir=${mounted.directory}`]);
    const oldClient = authority.issue('client');
    using held = new RawClient(program.port, mutualTls(authority.certificate, oldClient));
    const codes: number[] = [];
    let rotated = false;
    const load = (async () => {
      while (!rotated) codes.push((await held.call(request)).code);
    })();
    await until('some calls', () => (codes.length > 20 ? true : undefined));
    await mounted.write(contents(other, other.issue('server')));
    await program.logged('certificates reloaded');
    expect(await code(program.port, other, other.issue('client'))).toBe(status.OK);
    expect(await code(program.port, authority, oldClient)).not.toBe(status.OK);
    rotated = true;
    await load;
    expect(new Set(codes)).toEqual(new Set([status.OK]));
  });

  test('keeps the old certificates while the new ones are half-written, and says so once', async () => {
    const mounted = await volume();
    await using program = await serving([`--tls-certs-dir=${mounted.directory}`]);
    const fresh = contents(other, other.issue('server'));
    const client = authority.issue('client');
    const half = (text = '') => text.slice(0, text.length / 2);
    const states = [
      { ...fresh, 'tls.crt': half(fresh['tls.crt']) },
      { ...fresh, 'ca.crt': (fresh['ca.crt'] ?? '') + half(authority.certificate) },
      { ...fresh, 'tls.key': server.key },
      { ...fresh, 'tls.key': '' },
    ];
    for (const [index, state] of states.entries()) {
      await mounted.write(state);
      const warnings = () => program.log().filter((line) => line.level === 'warn');
      await until('warning', () => (warnings().length === index + 1 ? true : undefined));
      expect(await code(program.port, authority, client)).toBe(status.OK);
    }
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(program.log().map((line) => line.msg)).toEqual([
      'serving',
      ...states.map(() => 'certificates not reloaded, those in use stay'),
    ]);
    expect(program.stderr).not.toContain('BEGIN');
    await mounted.write(fresh);
    await program.logged('certificates reloaded');
    expect(await code(program.port, other, other.issue('client'))).toBe(status.OK);
  });
});
