import type { JsonObject } from '../../function/json.ts';
import { type ApiCase, accepted, instance, refused, SPEC, shown, withPlatform } from './cases.types.ts';

export const targetCases: readonly ApiCase[] = [
  refused(
    'A07',
    'target.type changed to another value',
    'spec.target.type',
    instance({ ...SPEC, target: { type: 'other' } }),
    {
      old: instance(SPEC),
    },
  ),
  refused('A07', 'target removed', 'spec.target', instance({ version: '6.0.22' }), { old: instance(SPEC) }),
  refused(
    'A07',
    'target.type changed to a value that exists',
    'spec.target',
    instance({ ...SPEC, target: { type: 'other' } }),
    {
      old: instance(SPEC),
      secondTargetType: 'other',
      message: 'target is immutable',
    },
  ),
  accepted('A07', 'target kept while the version changes', instance({ ...SPEC, version: '6.0.23' }), {
    old: instance(SPEC),
    secondTargetType: 'other',
  }),
];

const NOTHING = undefined;
type Platform = JsonObject | undefined;

function updated(verdict: 'accept' | 'refuse', [before, after]: readonly [Platform, Platform]): ApiCase {
  const [old, object] = [before, after].map((platform) =>
    platform === undefined ? instance(SPEC) : withPlatform(platform),
  );
  const name = `platform from ${shown(before ?? 'absent')} to ${shown(after ?? 'absent')}`;
  const rest = { old: old ?? {} };
  if (verdict === 'accept') return accepted('A10', name, object ?? {}, rest);
  return refused('A10', name, 'spec.platform.storageRoot', object ?? {}, {
    ...rest,
    message: 'platform.storageRoot is immutable',
  });
}

const REFUSED: readonly (readonly [Platform, Platform])[] = [
  [{ storageRoot: '/data/a' }, { storageRoot: '/data/b' }],
  [{ storageRoot: '/data/a' }, { storageRoot: '/data/a/' }],
  [{ storageRoot: '/data/a' }, { storageRoot: '' }],
  [{ storageRoot: '/data/a' }, {}],
  [{ storageRoot: '/data/a' }, NOTHING],
  [{ storageRoot: '/data/a' }, { networkPolicyEngine: 'kube-router' }],
  [{ storageRoot: '' }, { storageRoot: '/data/a' }],
  [{}, { storageRoot: '/data/a' }],
  [NOTHING, { storageRoot: '/data/a' }],
  [{ gateway: {} }, { gateway: {}, storageRoot: '/data/a' }],
];

const ACCEPTED: readonly (readonly [Platform, Platform])[] = [
  [{ storageRoot: '/data/a' }, { storageRoot: '/data/a', networkPolicyEngine: 'kube-router' }],
  [NOTHING, NOTHING],
  [NOTHING, {}],
  [{}, NOTHING],
  [NOTHING, { storageRoot: '' }],
  [{ storageRoot: '' }, NOTHING],
  [{ storageRoot: '' }, {}],
  [{}, { storageRoot: '' }],
  [{}, { storageRoot: null }],
  [{ storageRoot: '' }, { gateway: { httpNodePort: 30080 } }],
];

export const storageRootCases: readonly ApiCase[] = [
  accepted('A10', 'platform.storageRoot at creation', withPlatform({ storageRoot: '/data/a' })),
  ...REFUSED.map((change) => updated('refuse', change)),
  ...ACCEPTED.map((change) => updated('accept', change)),
];
