import type { JsonObject } from '../../function/json.ts';
import { type ApiCase, accepted, DIGEST, each, integerBounds, refused, WIDE, withPlatform } from './cases.types.ts';

const AUTH = 'spec.platform.tenantAuth';
const IMAGE = `ghcr.io/di-framework/tenant-auth@${DIGEST}`;
const SECRET = { name: 'console-oauth', key: 'clientSecret' };
const CLIENT = { issuer: 'https://issuer.example', clientId: 'console', clientSecretRef: SECRET };

const auth = (fields: JsonObject) => withPlatform({ tenantAuth: { image: IMAGE, ...CLIENT, ...fields } });
const secret = (fields: JsonObject) => auth({ clientSecretRef: { ...SECRET, ...fields } });
const registry = (fields: JsonObject) => auth({ registry: { component: IMAGE, ...fields } });
const limits = (fields: JsonObject) => registry({ limits: fields });

const pinned = (length: number, letter = 'r') => `${letter.repeat(length - DIGEST.length - 1)}@${DIGEST}`;

const PINNED = {
  accept: [`repo@${DIGEST}`, `repo:tag@${DIGEST}`, pinned(512), pinned(512, WIDE), `re\u00a0po@${DIGEST}`],
  refuse: [
    'repo:tag',
    `repo@${DIGEST.slice(0, -1)}`,
    `repo@${DIGEST}0`,
    `repo@sha256:${'A'.repeat(64)}`,
    `re po@${DIGEST}`,
    `@${DIGEST}`,
    `repo@${DIGEST}\n`,
    pinned(513),
    pinned(513, WIDE),
    '',
  ],
};

const images: ApiCase[] = [
  ...each('A22', `${AUTH}.image`, (image: string) => auth({ image }), PINNED),
  refused('A22', 'image missing', `${AUTH}.image`, withPlatform({ tenantAuth: CLIENT })),
];

const TOGETHER = { message: 'tenantAuth needs issuer, clientId and clientSecretRef together' };
const SUBSETS: readonly (readonly (keyof typeof CLIENT)[])[] = [
  [],
  ['issuer'],
  ['clientId'],
  ['clientSecretRef'],
  ['issuer', 'clientId'],
  ['issuer', 'clientSecretRef'],
  ['clientId', 'clientSecretRef'],
];

const trio: ApiCase[] = [
  ...SUBSETS.map((fields) =>
    refused(
      'A23',
      `image with ${fields.join(', ') || 'nothing else'}`,
      AUTH,
      withPlatform({
        tenantAuth: { image: IMAGE, ...Object.fromEntries(fields.map((field) => [field, CLIENT[field]])) },
      }),
      TOGETHER,
    ),
  ),
  refused('A23', 'issuer null', AUTH, auth({ issuer: null }), TOGETHER),
  accepted('A23', 'all three', auth({})),
];

const secrets: ApiCase[] = [
  ...['name', 'key'].flatMap((field) => [
    ...each('A24', `${AUTH}.clientSecretRef.${field}`, (value: string) => secret({ [field]: value }), {
      accept: ['a', 'a'.repeat(253), WIDE.repeat(253)],
      refuse: ['', 'a'.repeat(254), WIDE.repeat(254), 1],
    }),
    refused('A24', `clientSecretRef without ${field}`, `${AUTH}.clientSecretRef.${field}`, secret({ [field]: null })),
  ]),
];

const url = (length: number, letter = 'x') => `https://${letter.repeat(length - 8)}`;

const URLS = {
  accept: ['http://a.example', 'https://a.example', 'https://{tenant}.a.example', url(2048), url(2048, WIDE)],
  refuse: ['ftp://a.example', 'a.example', '', url(2049), url(2049, WIDE)],
};

const urls: ApiCase[] = [
  ...['issuer', 'consolePublicUrl', 'controllerPublicUrl'].flatMap((field) =>
    each('A25', `${AUTH}.${field}`, (value: string) => auth({ [field]: value }), URLS),
  ),
  ...each('A25', `${AUTH}.registry.publicUrl`, (publicUrl: string) => registry({ publicUrl }), URLS),
];

const others: ApiCase[] = [
  ...each('A26', `${AUTH}.issuerUpstream`, (issuerUpstream: string) => auth({ issuerUpstream }), {
    accept: ['', 'dex.auth.svc.cluster.local:5556', 'a'.repeat(512), WIDE.repeat(512)],
    refuse: ['a'.repeat(513), WIDE.repeat(513), 1],
  }),
  ...integerBounds('A26', `${AUTH}.issuerUpstreamPodPort`, [1, 65535], (issuerUpstreamPodPort: number) =>
    auth({ issuerUpstreamPodPort }),
  ),
  ...each('A26', `${AUTH}.issuerIp`, (issuerIp: string) => auth({ issuerIp }), {
    accept: ['', '10.0.0.1', '255.255.255.255', WIDE.repeat(15)],
    refuse: ['255.255.255.2555', WIDE.repeat(16)],
  }),
  ...each('A26', `${AUTH}.clientId`, (clientId: string) => auth({ clientId }), {
    accept: ['a', 'a'.repeat(253), WIDE.repeat(253)],
    refuse: ['', 'a'.repeat(254), WIDE.repeat(254)],
  }),
];

const LIMITS = ['maxBodyBytes', 'maxConcurrent', 'uploadIdleTimeoutMs', 'upstreamTimeoutMs'];

const registries: ApiCase[] = [
  refused('A27', 'registry: {}', `${AUTH}.registry.component`, auth({ registry: {} })),
  ...each('A27', `${AUTH}.registry.component`, (component: string) => registry({ component }), PINNED),
  accepted('A27', 'limits: {}', limits({})),
  ...LIMITS.flatMap((name) =>
    each('A27', `${AUTH}.registry.limits.${name}`, (value: number) => limits({ [name]: value }), {
      accept: [1, 2 ** 31, 2 ** 53 - 1],
      refuse: [0, -1, 1.5, '1'],
    }),
  ),
  ...LIMITS.flatMap((name) =>
    [2 ** 53, 2 ** 60].map((value) => rounded(`${AUTH}.registry.limits.${name}`, name, value)),
  ),
];

function rounded(path: string, name: string, value: number): ApiCase {
  return accepted('A30', `${name} of ${value}`, limits({ [name]: value }), { function: { verdict: 'refuse', path } });
}

export const tenantAuthCases: readonly ApiCase[] = [...images, ...trio, ...secrets, ...urls, ...others, ...registries];
