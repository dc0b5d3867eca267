import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultRoot } from '../../../function/core/teardown/job.ts';

const BLUE = { namespace: 'team-a', name: 'blue' };

describe('[D05] the default storage root', () => {
  it.each([
    ['/var/lib/di-framework/instances/team-a/blue', '/var/lib/di-framework/instances'],
    ['/srv/team-a/blue', '/srv'],
    ['/team-a/blue/team-a/blue', '/team-a/blue'],
    ['/a b/..data/team-a/blue', '/a b/..data'],
  ])('%s lies in %s', (root, base) => {
    expect(defaultRoot(root, BLUE)).toEqual({ base });
  });

  it.each([
    '',
    '/',
    '/team-a/blue',
    'team-a/blue',
    'srv/team-a/blue',
    './srv/team-a/blue',
    '//team-a/blue',
    '//srv/team-a/blue',
    '/srv//team-a/blue',
    '/srv/./team-a/blue',
    '/srv/../team-a/blue',
    '/../team-a/blue',
    '/srv/team-a/blue/',
    '/srv/team-a/blue/x',
    '/srv/team-a/./blue',
    '/srv/team-a//blue',
    '/srv/team-b/blue',
    '/srv/xteam-a/blue',
    '/srv/team-a/bluex',
    '/srv/team-a/Blue',
    '/srv/team-a/blue\n',
    '/s\0rv/team-a/blue',
  ])('is not %j', (root) => {
    expect(defaultRoot(root, BLUE)).toBeUndefined();
  });

  it.each(['', '.', '..', 'a/b', '/', 'a\0'])('is that of no instance named %j', (bad) => {
    expect(defaultRoot(`/srv/${bad}/blue`, { namespace: bad, name: 'blue' })).toBeUndefined();
    expect(defaultRoot(`/srv/team-a/${bad}`, { namespace: 'team-a', name: bad })).toBeUndefined();
  });

  it('is exactly what base, namespace and name make, and never reaches above the base', () => {
    const segment = fc.string({ unit: fc.constantFrom('a', '.', '/', '-', ' '), maxLength: 5 });
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '.', '/'), maxLength: 8 }),
        segment,
        segment,
        (base, namespace, name) => {
          const root = `${base}/${namespace}/${name}`;
          const found = defaultRoot(root, { namespace, name });
          const isClean = [...base.slice(1).split('/'), namespace, name].every(
            (each) => each !== '' && each !== '.' && each !== '..',
          );
          const isPlain = isClean && base.startsWith('/') && !`${namespace}${name}`.includes('/');
          expect(found).toEqual(isPlain ? { base } : undefined);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
