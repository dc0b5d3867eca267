import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clean, DONE, harmless, Sandbox, SHELLS, said } from './job.sandbox.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

/** Mount points of this machine that could be a root: three plain names deep, or below such. */
const MOUNTED = (existsSync('/proc/self/mountinfo') ? readFileSync('/proc/self/mountinfo', 'utf8') : '')
  .split('\n')
  .flatMap((line) => /^(\/[a-z0-9.-]+)+\/([a-z0-9.-]+)\/([a-z0-9.-]+)$/.exec(line.split(' ')[4] ?? '')?.[0] ?? []);

describe('a mount point', () => {
  it('is never removed, nor is what is mounted at it', () => {
    expect(MOUNTED).not.toEqual([]);
    const calls = join(sandbox.folder, 'calls');
    for (const point of new Set(MOUNTED)) {
      const [namespace = '', instance = ''] = point.split('/').slice(-2);
      const mount = dirname(dirname(point));
      const outcome = clean(harmless(calls), { mount, namespace, name: instance });
      expect(outcome.status).toBe(1);
      expect(said(outcome.stderr)).toMatch(
        /^cannot remove \S+: (\S+ is a mount point|the directory of its namespace (is a link|cannot be entered))$/,
      );
    }
    expect(existsSync(calls)).toBe(false);
  });

  // A machine may keep its users from making mounts; what is mounted there already is looked at above.
  const mayMount = spawnSync('unshare', ['-Urm', 'true']).status === 0;
  const where = mayMount ? ['team-a/blue', 'team-a/blue/deep/er'] : [];
  for (const path of where) {
    it.each(SHELLS)(`made at ${path} keeps $title from removing anything, and nothing else does`, (shell) => {
      sandbox.file('team-a/blue/deep/er/data').file('team-a/blue2/data').file('mounted/precious');
      const before = sandbox.all();
      const bind = `mount --bind "$1/mounted" "$1/$2" && shift 2 && PATH=$1 && shift && exec "$@"`;
      const under = ['unshare', '-Urm', '/bin/sh', '-c', bind, 'bind', sandbox.base, path, shell.path];
      const bound = { ...shell, path: process.env['PATH'] ?? '' };
      const outcome = clean(bound, { mount: sandbox.base, namespace: 'team-a', name: 'blue', under });
      expect(outcome).toEqual({
        status: 1,
        stderr: `cannot remove ${sandbox.base}/team-a/blue: ${sandbox.base}/${path} is a mount point\n`,
      });
      expect(sandbox.all()).toEqual(before);
      const expected = sandbox.without('team-a/blue2');
      expect(clean(bound, { mount: sandbox.base, namespace: 'team-a', name: 'blue2', under })).toEqual(DONE);
      expect(sandbox.all()).toEqual(expected);
    });
  }
});
