import { describe, expect, it } from 'vitest';
import { unknownFields } from '../../function/api/unknown.ts';
import { CASES } from './cases.ts';

const instance = (spec: object, root: object = {}) => ({
  apiVersion: 'platform.di-framework.dev/v1alpha1',
  kind: 'PlatformInstance',
  metadata: { name: 'typo', namespace: 'team-b' },
  spec: JSON.parse(JSON.stringify(spec)),
  ...root,
});

describe('a field that an instance does not have', () => {
  it('is told with its path, wherever it is', () => {
    const spec = {
      version: '6.0.22',
      deletionpolicy: 'Retain',
      target: { type: 'vcluster', size: 3 },
      platform: { storageroot: '/srv/x', tenants: [{ name: 'a' }, { name: 'b', colour: null }], 'odd.key': {} },
    };
    expect(unknownFields(instance(spec, { specs: {} }))).toEqual(
      [
        'specs',
        'spec.deletionpolicy',
        'spec.target.size',
        'spec.platform.storageroot',
        'spec.platform.tenants[1].colour',
        'spec.platform[odd.key]',
      ].map((path) => ({ path, message: 'is no field of a PlatformInstance' })),
    );
  });

  it('is not one of Crossplane’s, nor one of the status', () => {
    const spec = { version: '6.0.22', crossplane: { compositionRef: { name: 'x' }, anything: 1 } };
    expect(unknownFields(instance(spec, { status: { anything: 1 } }))).toEqual([]);
  });

  it('is none that the API server keeps', () => {
    const accepted = CASES.filter(({ verdict }) => verdict === 'accept');
    expect(accepted.length).toBeGreaterThan(100);
    const found = accepted.flatMap(({ name, object }) => unknownFields(object).map(({ path }) => `${name}: ${path}`));
    expect(found).toEqual([]);
  });

  it.each([null, [], 'text', 7])('is nowhere in a spec that is %j', (spec) => {
    expect(unknownFields({ ...instance({}), spec })).toEqual([]);
  });
});
