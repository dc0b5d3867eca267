import { lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clean, HOSTILE, Sandbox, SHELLS, said } from './job.sandbox.ts';

interface Entry {
  readonly path: readonly string[];
  readonly kind: 'file' | 'directory' | 'link';
  readonly to: string;
}

const NAMES = ['team-a', 'blue', '-rf', '..a', 'x y', '*', 'a\nb', '$(x)'];
const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('team-a', 'blue') },
  { weight: 1, arbitrary: fc.constantFrom(...NAMES, ...HOSTILE) },
);
const entry: fc.Arbitrary<Entry> = fc.record({
  path: fc.array(fc.oneof(name, fc.constantFrom('team-a', 'blue')), { minLength: 1, maxLength: 4 }),
  kind: fc.constantFrom('file', 'file', 'directory', 'link'),
  to: fc.constantFrom('OUTSIDE', '.', '..', '../..', 'blue', '../team-a', 'missing', '/'),
});

/** Made unless something is in the way; never through a link, which may lead anywhere. */
function place(own: Sandbox, { path, kind, to }: Entry): void {
  if (path.some((each) => each === '' || each === '.' || each === '..' || each.includes('/'))) return;
  const whole = join(own.base, ...path);
  for (const [index] of path.slice(1).entries()) {
    const parent = lstatSync(join(own.base, ...path.slice(0, index + 1)), { throwIfNoEntry: false });
    if (parent !== undefined && !parent.isDirectory()) return;
  }
  if (lstatSync(whole, { throwIfNoEntry: false }) !== undefined) return;
  mkdirSync(dirname(whole), { recursive: true });
  if (kind === 'directory') mkdirSync(whole);
  else if (kind === 'file') writeFileSync(whole, 'data');
  else symlinkSync(to === 'OUTSIDE' ? own.outside : to, whole);
}

describe.each(SHELLS)('[D02] the command of the cleanup Job, run by $title,', (shell) => {
  it('removes exactly the root whatever lies in the base, or refuses and removes nothing', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 25 }), name, name, (entries, namespace, instance) => {
        const own = new Sandbox();
        try {
          for (const each of entries) place(own, each);
          const before = own.all();
          const isPlain = [namespace, instance].every((each) => /^[a-z0-9.-]+$/.test(each) && !/^\.{1,2}$/.test(each));
          const directory = isPlain ? lstatSync(join(own.base, namespace), { throwIfNoEntry: false }) : undefined;
          const isOpen = isPlain && (directory === undefined || directory.isDirectory());
          const expected = isOpen ? own.without(`${namespace}/${instance}`) : before;
          const outcome = clean(shell, { mount: own.base, namespace, name: instance });
          expect(outcome.status).toBe(isOpen ? 0 : 1);
          expect(said(outcome.stderr)).toMatch(isOpen ? /^$/ : /^cannot remove [^\n]+: [^\n]+$/);
          expect(own.all()).toEqual(expected);
        } finally {
          own.remove();
        }
      }),
      { numRuns: 60 },
    );
  });
});
