import {
  type ApiCase,
  accepted,
  DIGEST,
  each,
  instance,
  integerBounds,
  refused,
  SPEC,
  WIDE,
  withPlatform,
} from './cases.types.ts';

const version = (value: string) => instance({ ...SPEC, version: value });
const targetType = (value: string) => instance({ ...SPEC, target: { type: value } });
const deletionPolicy = (value: string) => instance({ ...SPEC, deletionPolicy: value });
const engine = (networkPolicyEngine: string) => withPlatform({ networkPolicyEngine });
const nodePort = (httpNodePort: number) => withPlatform({ gateway: { httpNodePort } });
const endpoint = (httpEndpoint: string) => withPlatform({ gateway: { httpEndpoint } });
const hostImage = (tenantHostImage: string) => withPlatform({ tenantHostImage });
const pullPolicy = (tenantHostImagePullPolicy: string) => withPlatform({ tenantHostImagePullPolicy });

const DEFAULTED = { ...SPEC, deletionPolicy: 'Delete' };
const stored = (platform: object) => ({ stored: { spec: { ...DEFAULTED, platform: { ...platform } } } });

const names: ApiCase[] = [
  accepted('A03', 'metadata.name of 63 characters', instance(SPEC, 'a'.repeat(63))),
  refused('A03', 'metadata.name of 64 characters', 'metadata.name', instance(SPEC, 'a'.repeat(64)), {
    function: { message: 'name must be at most 63 characters' },
  }),
];

const roots: ApiCase[] = [
  accepted('A33', 'version and target alone', instance(SPEC), { stored: { spec: DEFAULTED } }),
  accepted(
    'A33',
    'what Crossplane keeps in the spec',
    instance({ ...SPEC, crossplane: { compositionUpdatePolicy: 'Manual' } }),
  ),
  refused('A05', 'no spec', 'spec', { ...instance(SPEC), spec: null }),
  refused('A05', 'a spec that is no object', 'spec', { ...instance(SPEC), spec: 'x' }),
];

const versions: ApiCase[] = [
  ...each('A05', 'spec.version', version, {
    accept: ['6.0.17', '6.0.17-rc.1', '0.0.0', '6.0.17-a-b.C'],
    refuse: [
      '^6.0.17',
      '>=6.0.17',
      '6.0',
      '6.0.x',
      'v6.0.17',
      'latest',
      '6.0.17+b1',
      '6.0.17-',
      '6.0.17 ',
      '6.0.17\n',
      '',
      '٦.0.17',
      6,
    ],
  }),
  refused('A05', 'spec.version: missing', 'spec.version', instance({ target: { type: 'vcluster' } })),
  refused('A05', 'spec.version: null', 'spec.version', instance({ ...SPEC, version: null })),
];

const targets: ApiCase[] = [
  ...each('A06', 'spec.target.type', targetType, { accept: ['vcluster'], refuse: ['k3s', 'VCluster', '', 1] }),
  refused('A06', 'spec.target: {}', 'spec.target.type', instance({ ...SPEC, target: {} })),
  refused('A06', 'spec.target: missing', 'spec.target', instance({ version: '6.0.22' })),
];

const policies: ApiCase[] = [
  accepted('A08', 'spec.deletionPolicy: absent', instance(SPEC), { stored: { spec: DEFAULTED } }),
  accepted('A08', 'spec.deletionPolicy: null', instance({ ...SPEC, deletionPolicy: null }), {
    stored: { spec: DEFAULTED },
  }),
  ...each('A08', 'spec.deletionPolicy', deletionPolicy, {
    accept: ['Delete', 'Retain'],
    refuse: ['Orphan', 'delete', '', true],
  }),
];

const engines: ApiCase[] = [
  accepted('A09', 'platform: {}', withPlatform({}), stored({ networkPolicyEngine: 'existing' })),
  accepted('A09', 'platform absent', instance(SPEC), { stored: { spec: DEFAULTED } }),
  accepted('A09', 'platform: null', instance({ ...SPEC, platform: null }), { stored: { spec: DEFAULTED } }),
  ...each('A09', 'spec.platform.networkPolicyEngine', engine, {
    accept: ['existing', 'kube-router'],
    refuse: ['calico', '', 1],
  }),
];

const gateways: ApiCase[] = [
  accepted(
    'A11',
    'gateway: {}',
    withPlatform({ gateway: {} }),
    stored({ networkPolicyEngine: 'existing', gateway: { httpNodePort: 0 } }),
  ),
  accepted('A11', 'gateway absent', withPlatform({}), stored({ networkPolicyEngine: 'existing' })),
  ...integerBounds('A11', 'spec.platform.gateway.httpNodePort', [0, 32767], nodePort),
  ...each('A11', 'spec.platform.gateway.httpNodePort', nodePort, { accept: [30080], refuse: [1.5, '80'] }),
  ...each('A12', 'spec.platform.gateway.httpEndpoint', endpoint, {
    accept: ['http://apps.example:30080', 'https://apps.example', 'http://'],
    refuse: ['ftp://apps.example', 'apps.example', ' http://apps.example', 'HTTP://apps.example', ''],
  }),
];

const hostImages: ApiCase[] = [
  accepted(
    'A28',
    'tenantHostImage and its pull policy absent',
    withPlatform({}),
    stored({ networkPolicyEngine: 'existing' }),
  ),
  ...each('A28', 'spec.platform.tenantHostImage', hostImage, {
    accept: [
      'ghcr.io/di-framework/wash',
      'ghcr.io/di-framework/wash:2.8.0',
      `ghcr.io/di-framework/wash:2.8.0@${DIGEST}`,
      'a'.repeat(512),
      WIDE.repeat(512),
      'repo\u00a0x',
      'repo\u2028x',
      'repo\vx',
    ],
    refuse: [
      '',
      'a b',
      'a\tb',
      'a\n',
      'repo@sha512:0123',
      `repo@${DIGEST.slice(0, -1)}`,
      `repo@${DIGEST}0`,
      `repo@${DIGEST.toUpperCase()}`,
      `repo@sha256:${'A'.repeat(64)}`,
      'a'.repeat(513),
      WIDE.repeat(513),
      `@${DIGEST}`,
    ],
  }),
  ...each('A28', 'spec.platform.tenantHostImagePullPolicy', pullPolicy, {
    accept: ['Always', 'IfNotPresent', 'Never'],
    refuse: ['Sometimes', ''],
  }),
];

export const specCases: readonly ApiCase[] = [
  ...names,
  ...roots,
  ...versions,
  ...targets,
  ...policies,
  ...engines,
  ...gateways,
  ...hostImages,
];
