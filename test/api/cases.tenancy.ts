import type { JsonObject } from '../../function/json.ts';
import { type ApiCase, accepted, each, integerBounds, refused, withPlatform } from './cases.types.ts';

const TENANT = 'spec.platform.tenants[0]';
const USER = 'spec.platform.users[0]';

const tenants = (...items: (JsonObject | null)[]) => withPlatform({ tenants: items });
const tenant = (fields: JsonObject) => tenants({ name: 'shop', ...fields });
const users = (...items: JsonObject[]) => withPlatform({ tenants: [{ name: 'shop' }], users: items });
const user = (fields: JsonObject) => users({ name: 'kim', memberships: [], ...fields });
const memberships = (...items: JsonObject[]) => user({ memberships: items });

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const named = (index: number): JsonObject => ({ name: `t${index}` });
const nobody = (index: number): JsonObject => ({ name: `u${index}`, memberships: [] });

const NAMES = {
  accept: ['a', 'a1', 'a-b', 'a'.repeat(40)],
  refuse: ['1a', '-a', 'a-', 'a--b', 'A', 'a_b', 'a'.repeat(41), '', 'ä', 'a\n', 7],
};

const tenantLists: ApiCase[] = [
  accepted('A13', '32 tenants', tenants(...many(32, named))),
  refused('A13', '33 tenants', 'spec.platform.tenants', tenants(...many(33, named))),
  refused(
    'A13',
    'a tenant name twice',
    'spec.platform.tenants[1]',
    tenants({ name: 'shop' }, { name: 'shop', suspended: true }),
  ),
  refused('A13', 'a tenant without name', `${TENANT}.name`, tenants({ suspended: true })),
  refused('A13', 'a tenant that is null', TENANT, tenants(null)),
  accepted('A13', 'no tenants', tenants()),
  refused('A13', 'tenants that are no list', 'spec.platform.tenants', withPlatform({ tenants: { shop: {} } })),
];

const tenantFields: ApiCase[] = [
  ...each('A14', `${TENANT}.name`, (name: string) => tenants({ name }), NAMES),
  ...each('A15', `${TENANT}.suspended`, (suspended: boolean) => tenant({ suspended }), {
    accept: [true, false],
    refuse: ['true', 1],
  }),
  ...each('A15', `${TENANT}.deletionPolicy`, (deletionPolicy: string) => tenant({ deletionPolicy }), {
    accept: ['Retain', 'Delete'],
    refuse: ['Keep', ''],
  }),
  accepted('A15', 'a tenant with a name alone gets nothing added', tenants({ name: 'shop' }), {
    stored: {
      spec: {
        version: '6.0.22',
        target: { type: 'vcluster' },
        deletionPolicy: 'Delete',
        platform: { networkPolicyEngine: 'existing', tenants: [{ name: 'shop' }] },
      },
    },
  }),
  ...integerBounds('A16', `${TENANT}.runtime.replicas`, [1, 10], (replicas: number) =>
    tenant({ runtime: { replicas } }),
  ),
  ...integerBounds('A16', `${TENANT}.runtime.coreInstances`, [1, 10000], (coreInstances: number) =>
    tenant({ runtime: { coreInstances } }),
  ),
];

const QUANTITIES = {
  accept: ['500m', '1.5', '512Mi', '2Ti', '1Ki', '1Gi', '0', '1'.repeat(32)],
  refuse: ['1.5.5', '1.', '.5', '1k', '1G', '1e3', 'abc', '-1', '', '1'.repeat(33), '٣', 1],
};

const QUOTAS = { workloads: 1000, backingServices: 100, serviceBindings: 400, apiKeys: 10000 };

const quotas: ApiCase[] = [
  ...['cpu', 'memory'].flatMap((name) =>
    each('A17', `${TENANT}.resources.${name}`, (value: string) => tenant({ resources: { [name]: value } }), QUANTITIES),
  ),
  ...Object.entries(QUOTAS).flatMap(([name, max]) =>
    integerBounds('A18', `${TENANT}.resources.${name}`, [1, max], (value: number) =>
      tenant({ resources: { [name]: value } }),
    ),
  ),
];

const userLists: ApiCase[] = [
  accepted('A19', '128 users', users(...many(128, nobody))),
  refused('A19', '129 users', 'spec.platform.users', users(...many(129, nobody))),
  refused('A19', 'a user name twice', 'spec.platform.users[1]', users(nobody(0), { ...nobody(0), suspended: true })),
  refused('A19', 'a user without name', `${USER}.name`, users({ memberships: [] })),
  ...each('A19', `${USER}.name`, (name: string) => user({ name }), NAMES),
  ...each('A19', `${USER}.suspended`, (suspended: boolean) => user({ suspended }), {
    accept: [true, false],
    refuse: ['true'],
  }),
];

const inEach = (count: number) => ({
  tenants: many(count, named),
  users: [{ name: 'kim', memberships: many(count, (index) => ({ tenant: `t${index}`, role: 'viewer' })) }],
});

const membershipLists: ApiCase[] = [
  refused('A20', 'memberships absent', `${USER}.memberships`, users({ name: 'kim' })),
  accepted('A20', 'memberships: []', users({ name: 'kim', memberships: [] })),
  accepted('A20', '16 memberships', withPlatform(inEach(16))),
  refused('A20', '17 memberships', `${USER}.memberships`, withPlatform(inEach(17))),
  refused(
    'A20',
    'one tenant twice',
    `${USER}.memberships[1]`,
    memberships({ tenant: 'shop', role: 'viewer' }, { tenant: 'shop', role: 'developer' }),
  ),
  refused('A20', 'a membership without tenant', `${USER}.memberships[0].tenant`, memberships({ role: 'viewer' })),
  refused('A20', 'a membership without role', `${USER}.memberships[0].role`, memberships({ tenant: 'shop' })),
  ...each('A20', `${USER}.memberships[0].role`, (role: string) => memberships({ tenant: 'shop', role }), {
    accept: ['developer', 'viewer'],
    refuse: ['admin', ''],
  }),
];

const STRAY = {
  message: 'every users[].memberships[].tenant must name an entry of tenants',
  function: { path: `${USER}.memberships[0].tenant` },
};

const stray: ApiCase[] = [
  refused(
    'A21',
    'a tenant that is not listed',
    'spec.platform.users',
    memberships({ tenant: 'shops', role: 'viewer' }),
    STRAY,
  ),
  refused(
    'A21',
    'a membership while tenants is absent',
    'spec.platform.users',
    withPlatform({ users: [{ name: 'kim', memberships: [{ tenant: 'shop', role: 'viewer' }] }] }),
    STRAY,
  ),
  accepted(
    'A21',
    'memberships: [] while tenants is absent',
    withPlatform({ users: [{ name: 'kim', memberships: [] }] }),
  ),
  accepted('A21', 'a tenant that is listed', memberships({ tenant: 'shop', role: 'viewer' })),
  // A name of 41 characters can be on no list; the length answers, for the API server asks CEL last.
  refused(
    'A20',
    'a tenant of 41 characters',
    `${USER}.memberships[0].tenant`,
    memberships({ tenant: 'a'.repeat(41), role: 'viewer' }),
  ),
];

const longName = (letter: string, index: number) => `${letter}${'x'.repeat(36)}${100 + index}`;

/** All lists full, all names as long as they may be, and every membership near the end of the tenants. */
const largest: ApiCase[] = [
  accepted(
    'A31',
    'the largest object',
    withPlatform({
      tenants: many(32, (index) => ({ name: longName('t', index) })),
      users: many(128, (index) => ({
        name: longName('u', index),
        memberships: many(16, (place) => ({ tenant: longName('t', 16 + place), role: 'developer' })),
      })),
    }),
  ),
];

export const tenancyCases: readonly ApiCase[] = [
  ...tenantLists,
  ...tenantFields,
  ...quotas,
  ...userLists,
  ...membershipLists,
  ...stray,
  ...largest,
];
