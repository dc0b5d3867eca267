import * as z from 'zod/mini';
import { choice, int32, object, type Rule, text } from './fields.ts';
import { EXACT_VERSION, HTTP_URL, IMAGE } from './patterns.ts';
import { membershipsNameTenants, tenants, users } from './tenancy.ts';
import { tenantAuth } from './tenant.auth.ts';

const gateway = object('The way into the platform from outside.', {
  httpNodePort: z._default(
    int32('Node port of the gateway. 0 keeps it inside the cluster.', { min: 0, max: 32767 }),
    0,
  ),
  httpEndpoint: z.optional(
    text(
      'URL under which the gateway is reached from outside, such as http://apps.example:30080. Routes are made from it, ' +
        'and status.endpoints.http repeats it.',
      { pattern: HTTP_URL },
    ),
  ),
});

const platform = object(
  'What the platform is installed with.',
  {
    networkPolicyEngine: z._default(
      choice(
        'Who enforces NetworkPolicies: what the cluster has already, or a kube-router that the platform brings along.',
        ['existing', 'kube-router'],
      ),
      'existing',
    ),
    storageRoot: z.optional(
      text(
        'Path on the nodes for the data of tenants; it stays as it was at creation. Left out or empty, the instance gets a ' +
          'path of its own, which deletionPolicy Delete removes. A path that is set here is never removed.',
      ),
    ),
    gateway: z.optional(gateway),
    tenants: z.optional(tenants),
    users: z.optional(users),
    tenantAuth: z.optional(tenantAuth),
    tenantHostImage: z.optional(
      text(
        'Image of the tenant hosts. A change restarts them with the next install. Left out, the image that was applied ' +
          'last stays, and a new instance gets the one that the function is set to.',
        { max: 512, pattern: IMAGE },
      ),
    ),
    tenantHostImagePullPolicy: z.optional(
      choice('When nodes pull the image of the tenant hosts. Not set, the platform decides.', [
        'Always',
        'IfNotPresent',
        'Never',
      ]),
    ),
  },
  [membershipsNameTenants],
);

const targetIsImmutable: Rule = { rule: 'self == oldSelf', message: 'target is immutable' };

const target = object(
  'The cluster that the platform is installed into. It stays as it was at creation.',
  { type: choice('Kind of the cluster.', ['vcluster']) },
  [targetIsImmutable],
);

const STORAGE_ROOT = (self: string) =>
  `(has(${self}.platform) && has(${self}.platform.storageRoot) ? ${self}.platform.storageRoot : '')`;

/**
 * A rule on storageRoot or on platform is not asked when one of the two sides lacks that field (Kubernetes, CRD
 * validation rules, transition rules). spec is always there, on both sides.
 */
const storageRootIsImmutable: Rule = {
  rule: `${STORAGE_ROOT('self')} == ${STORAGE_ROOT('oldSelf')}`,
  message: 'platform.storageRoot is immutable',
  fieldPath: '.platform.storageRoot',
};

export const spec = object(
  'The instance as it is wanted.',
  {
    version: text('Version of the @di-framework/platform package to install, such as 6.0.22. Ranges are refused.', {
      pattern: EXACT_VERSION,
    }),
    target,
    deletionPolicy: z._default(
      choice(
        'What deleting the instance does to what it made: Delete removes all of it, Retain leaves all of it in place.',
        ['Delete', 'Retain'],
      ),
      'Delete',
    ),
    platform: z.optional(platform),
  },
  [storageRootIsImmutable],
);

export type PlatformInstanceSpec = z.output<typeof spec>;
export type Platform = z.output<typeof platform>;
