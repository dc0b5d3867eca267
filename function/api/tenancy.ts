import * as z from 'zod/mini';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { choice, type FieldPath, flag, int32, listMap, object, type Rule, text } from './fields.ts';
import { NAME, QUANTITY } from './patterns.ts';

const MAX_TENANTS = 32;
const MAX_USERS = 128;
const MAX_MEMBERSHIPS = 16;

const name = (description: string) => text(description, { max: 40, pattern: NAME });
const quantity = (description: string) => text(description, { max: 32, pattern: QUANTITY });

const runtime = object('How the hosts that run the tenant are sized. What is left out is up to the platform.', {
  replicas: z.optional(int32('How many hosts run the tenant.', { min: 1, max: 10 })),
  coreInstances: z.optional(
    int32('How many component instances a host keeps ready; the platform uses 100 when this is not set.', {
      min: 1,
      max: 10000,
    }),
  ),
});

const resources = object('What the tenant may use at most. A quota that is left out is up to the platform.', {
  cpu: z.optional(quantity('CPU, such as 500m or 1.5.')),
  memory: z.optional(quantity('Memory, such as 512Mi.')),
  workloads: z.optional(int32('Number of workloads.', { min: 1, max: 1000 })),
  backingServices: z.optional(int32('Number of backing services.', { min: 1, max: 100 })),
  serviceBindings: z.optional(int32('Number of service bindings.', { min: 1, max: 400 })),
  apiKeys: z.optional(int32('Number of API keys.', { min: 1, max: 10000 })),
});

const tenant = object('One tenant of the platform.', {
  name: name('Name of the tenant: 1 to 40 lower-case letters, digits and single hyphens, with a letter first.'),
  suspended: z.optional(flag('Whether the tenant is suspended.')),
  deletionPolicy: z.optional(
    choice('What becomes of the data once the tenant is taken off the list. Not set, the platform decides.', [
      'Retain',
      'Delete',
    ]),
  ),
  runtime: z.optional(runtime),
  resources: z.optional(resources),
});

const membership = object('A place in one tenant.', {
  tenant: text('Name of the tenant. It must be one of platform.tenants.', { max: 40 }),
  role: choice('What the user may do there.', ['developer', 'viewer']),
});

const user = object('One user of the platform.', {
  name: name('Name of the user: 1 to 40 lower-case letters, digits and single hyphens, with a letter first.'),
  suspended: z.optional(flag('Whether the user is locked out.')),
  memberships: listMap('The tenants that the user belongs to, each once.', 'tenant', MAX_MEMBERSHIPS, membership),
});

export const tenants = listMap(
  'Tenants of the platform. A change on a running instance arrives with the install that it starts.',
  'name',
  MAX_TENANTS,
  tenant,
);
export const users = listMap(
  'Users of the platform and the tenants that they belong to. A change arrives as one of the tenants does.',
  'name',
  MAX_USERS,
  user,
);

/**
 * The names are collected once: looked up per membership, they would take nearly all of what the API server allows a
 * rule to cost.
 */
export const membershipsNameTenants: Rule = {
  rule:
    '[has(self.tenants) ? self.tenants.map(t, t.name) : []].all(names, ' +
    '!has(self.users) || self.users.all(u, u.memberships.all(m, m.tenant in names)))',
  message: 'every users[].memberships[].tenant must name an entry of tenants',
  fieldPath: '.users',
  broken: (platform) => [...strayMemberships(platform)],
};

function* strayMemberships(platform: JsonObject): Generator<FieldPath> {
  const known = new Set(objects(platform['tenants']).map(([, item]) => item['name']));
  for (const [index, item] of objects(platform['users'])) {
    for (const [place, entry] of objects(item['memberships'])) {
      const stray = typeof entry['tenant'] === 'string' && !known.has(entry['tenant']);
      if (stray) yield ['users', index, 'memberships', place, 'tenant'];
    }
  }
}

function objects(list: Json | undefined): (readonly [number, JsonObject])[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item, index) => (isObject(item) ? [[index, item] as const] : []));
}

export type Tenant = z.output<typeof tenant>;
export type User = z.output<typeof user>;
