import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listAt } from '../../../function/json.ts';
import { clean, containerOf, DONE, HOSTILE, job, Sandbox, SHELLS, said } from './job.sandbox.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

describe.each(SHELLS)('[D02] the command of the cleanup Job, run by $title,', (shell) => {
  const run = (namespace = 'team-a', name = 'blue', more = {}) =>
    clean(shell, { mount: sandbox.base, namespace, name, ...more });

  it('removes the storage root and nothing beside, above or outside', () => {
    sandbox
      .file('team-a/blue/volumes/1/data')
      .file('team-a/blue/.hidden')
      .file('team-a/blue2/data')
      .file('team-a/blu/data')
      .file('team-b/blue/data')
      .file('blue');
    const expected = sandbox.without('team-a/blue');
    expect(run()).toEqual(DONE);
    expect(sandbox.all()).toEqual(expected);
  });

  it('leaves the base and the directory of the namespace where they are, also when they are empty', () => {
    sandbox.directory('team-a/blue');
    expect(run()).toEqual(DONE);
    expect(Object.keys(sandbox.all(sandbox.base))).toEqual([join(sandbox.base, 'team-a')]);
  });

  it('succeeds when there is nothing, be it the root, the namespace or a second time', () => {
    sandbox.file('team-b/green/data');
    const before = sandbox.all();
    expect(run('team-b', 'blue')).toEqual(DONE);
    expect(run('team-a', 'blue')).toEqual(DONE);
    expect(sandbox.all()).toEqual(before);
    expect(run('team-b', 'green')).toEqual(DONE);
    expect(run('team-b', 'green')).toEqual(DONE);
  });

  it('removes names that a shell or rm could take for something else', () => {
    const names = ['-rf', '--', '*', '$(touch x)', 'a b', "'", '"', 'a\nb', '...', '..data', ' ', '\\', 'ü'];
    for (const name of names) sandbox.file(`team-a/blue/${name}`).file(`team-a/green/${name}`);
    const expected = sandbox.without('team-a/blue');
    expect(run()).toEqual(DONE);
    expect(sandbox.all()).toEqual(expected);
  });

  it('takes names that only look like options or special ones for what they are', () => {
    for (const name of ['-rf', '--', '..a', 'a..b', '...']) {
      sandbox.file(`${name}/${name}/data`).file(`${name}/other/data`);
      const expected = sandbox.without(`${name}/${name}`);
      expect(run(name, name)).toEqual(DONE);
      expect(sandbox.all()).toEqual(expected);
    }
  });

  it.each(HOSTILE)('refuses the name %j in one line, and touches nothing', (name) => {
    sandbox.file('team-a/blue/data').file('a b/data').file('a/b/data');
    const before = sandbox.all();
    for (const outcome of [run('team-a', name), run(name, 'blue')]) {
      expect(outcome).toEqual({
        status: 1,
        stderr: 'cannot remove the storage root: its namespace and name must be names of Kubernetes\n',
      });
    }
    expect(sandbox.all()).toEqual(before);
  });

  it('refuses a namespace that is a link, wherever it leads', () => {
    sandbox.file('team-b/blue/data');
    mkdirSync(join(sandbox.outside, 'blue'));
    const targets = [sandbox.outside, '../outside', 'team-b', '.', '..', '/', 'missing'];
    for (const [index, to] of targets.entries()) sandbox.link(`ns-${index}`, to);
    const before = sandbox.all();
    for (const index of targets.keys()) {
      const { status, stderr } = run(`ns-${index}`, 'blue');
      expect(status).toBe(1);
      expect(said(stderr)).toMatch(
        new RegExp(
          `^cannot remove ${sandbox.base}/ns-${index}/blue: the directory of its namespace (is a link|cannot be entered)$`,
        ),
      );
    }
    expect(sandbox.all()).toEqual(before);
  });

  it('refuses a namespace that is a file', () => {
    sandbox.file('team-a');
    const before = sandbox.all();
    expect(said(run().stderr)).toBe(
      `cannot remove ${sandbox.base}/team-a/blue: the directory of its namespace cannot be entered`,
    );
    expect(sandbox.all()).toEqual(before);
  });

  it('removes a root that is a link, and keeps what it leads to', () => {
    sandbox.file('team-a/green/data');
    for (const to of [
      sandbox.outside,
      '../../outside',
      join(sandbox.outside, 'precious'),
      'green',
      '/',
      '.',
      'missing',
    ]) {
      sandbox.link('team-a/blue', to);
      const expected = sandbox.without('team-a/blue');
      expect(run()).toEqual(DONE);
      expect(sandbox.all()).toEqual(expected);
    }
  });

  it('removes links inside, and keeps what they lead to', () => {
    sandbox
      .file('team-a/green/data')
      .link('team-a/blue/out', sandbox.outside)
      .link('team-a/blue/deep/up', '../../../..')
      .link('team-a/blue/root', '/')
      .link('team-a/blue/loop', '.')
      .link('team-a/blue/file', join(sandbox.outside, 'precious'))
      .link('team-a/blue/sibling', '../green');
    const expected = sandbox.without('team-a/blue');
    expect(run()).toEqual(DONE);
    expect(sandbox.all()).toEqual(expected);
  });

  it('goes through a base that is reached by a link', () => {
    sandbox.file('team-a/blue/data').file('team-a/green/data');
    const expected = sandbox.without('team-a/blue');
    const mount = join(sandbox.folder, 'link');
    symlinkSync('base', mount);
    expect(run('team-a', 'blue', { mount })).toEqual(DONE);
    expect(sandbox.all()).toEqual({ ...expected, [mount]: 'link to base' });
  });

  it('refuses a base that is not there or the root of the file system', () => {
    const mount = join(sandbox.folder, 'missing');
    expect(run('team-a', 'blue', { mount })).toMatchObject({ status: 1 });
    expect(said(run('team-a', 'blue', { mount }).stderr)).toBe(
      'cannot remove the storage root: its base cannot be entered',
    );
    expect(run('no-such-namespace', 'no-such-name', { mount: '/' })).toEqual({
      status: 1,
      stderr: 'cannot remove the storage root: its base is the root of the file system\n',
    });
  });

  it('removes deep trees and many files', () => {
    const deep = Array.from({ length: 400 }, (_, index) => `d${index}`).join('/');
    sandbox.file(`team-a/blue/${deep}/data`);
    for (let index = 0; index < 2000; index++) sandbox.file(`team-a/blue/many/${index}`);
    expect(run()).toEqual(DONE);
    expect(sandbox.all(sandbox.base)).toEqual({ [join(sandbox.base, 'team-a')]: expect.any(String) });
  });

  it('fails with the cause when something cannot be removed, and goes on where it stopped once it can', () => {
    sandbox.file('team-a/blue/closed/data').file('team-a/green/data');
    const closed = join(sandbox.base, 'team-a/blue/closed');
    const expected = sandbox.without('team-a/blue');
    // Root may remove anything: as somebody else then.
    const isRoot = process.getuid?.() === 0;
    const as = isRoot ? { uid: 65534 } : {};
    if (isRoot) {
      for (const path of [sandbox.folder, ...Object.keys(sandbox.all())]) chownSync(path, 65534, 65534);
    }
    chmodSync(closed, 0o555);
    const failed = run('team-a', 'blue', as);
    expect(failed.status).toBe(1);
    expect(failed.stderr).toMatch(/^rm: .*closed\/data.*: Permission denied\n/);
    expect(said(failed.stderr)).toBe(`cannot remove ${sandbox.base}/team-a/blue: rm failed`);
    chmodSync(closed, 0o755);
    expect(run('team-a', 'blue', as)).toEqual(DONE);
    expect(sandbox.all()).toEqual(expected);
  });

  // Only root may give files away, and only root runs with capabilities that somebody chose.
  const capable = process.getuid?.() === 0 && spawnSync('/usr/bin/setpriv', ['--version']).status === 0;
  for (const missing of capable ? [undefined, 'DAC_OVERRIDE', 'FOWNER'] : []) {
    it(`removes what belongs to others with the capabilities of the Job, ${missing === undefined ? 'all of them' : `not without ${missing}`}`, () => {
      sandbox.file('team-a/blue/sticky/data');
      const [root, sticky] = ['team-a/blue', 'team-a/blue/sticky'].map((path) => join(sandbox.base, path));
      for (const path of [root, sticky, `${sticky}/data`]) chownSync(String(path), 1234, 1234);
      chmodSync(String(sticky), 0o1700);
      const added = listAt(containerOf(job()), 'securityContext', 'capabilities', 'add').filter(
        (each) => each !== missing,
      );
      const bounding = ['-all', ...added.map((each) => `+${String(each).toLowerCase()}`)].join(',');
      const under = ['/usr/bin/setpriv', '--inh-caps=-all', `--bounding-set=${bounding}`];
      expect(run('team-a', 'blue', { under }).status).toBe(missing === undefined ? 0 : 1);
      expect(existsSync(String(root))).toBe(missing !== undefined);
    });
  }
});
