import * as z from 'zod/mini';
import { int32, int64, object, type Rule, text } from './fields.ts';
import { HTTP_URL, PINNED_IMAGE } from './patterns.ts';

const url = (description: string) => text(description, { max: 2048, pattern: HTTP_URL });
const pinned = (description: string) => text(description, { max: 512, pattern: PINNED_IMAGE });
const nonEmpty = (description: string) => text(description, { min: 1, max: 253 });

const limits = object("Bounds for the controller's registry front. What is left out is up to the platform.", {
  maxBodyBytes: z.optional(int64('Largest request body, in bytes.', { min: 1 })),
  maxConcurrent: z.optional(int64('How many requests may run at a time.', { min: 1 })),
  uploadIdleTimeoutMs: z.optional(int64('How long an upload may stand still, in milliseconds.', { min: 1 })),
  upstreamTimeoutMs: z.optional(int64('How long a registry may take to answer, in milliseconds.', { min: 1 })),
});

const registry = object('Gives every tenant an OCI registry of its own.', {
  component: pinned('The oci-registry component, with its digest.'),
  publicUrl: z.optional(url('Where users log in to the registry. {tenant} stands for the name of the tenant.')),
  limits: z.optional(limits),
});

const clientSecretRef = object(
  'Where the secret of the OAuth client is kept. Its value stays out of this object, its status, events and logs.',
  {
    name: nonEmpty("A Secret in the instance's namespace."),
    key: nonEmpty('The key in it that holds the secret.'),
  },
);

const together: Rule = {
  rule: 'has(self.issuer) && has(self.clientId) && has(self.clientSecretRef)',
  message: 'tenantAuth needs issuer, clientId and clientSecretRef together',
  broken: (auth) => (['issuer', 'clientId', 'clientSecretRef'].every((field) => field in auth) ? [] : [[]]),
};

export const tenantAuth = object(
  'Opens a console and the /v1 API to every tenant, behind an OpenID Connect issuer. Without it tenants have no console.',
  {
    image: pinned('The tenant-auth image, with its digest.'),
    issuer: z.optional(url('URL of the issuer, the same for pods and browsers.')),
    clientId: z.optional(nonEmpty("Id of the console's confidential OAuth client.")),
    clientSecretRef: z.optional(clientSecretRef),
    issuerUpstream: z.optional(
      text(
        'Service in the cluster, as <service>.<namespace>:<port>, that a sidecar forwards the port of a loopback issuer to.',
        {
          max: 512,
        },
      ),
    ),
    issuerUpstreamPodPort: z.optional(int32('Port of the pods behind issuerUpstream.', { min: 1, max: 65535 })),
    issuerIp: z.optional(text('IPv4 address of the issuer, for pods that cannot resolve its host name.', { max: 15 })),
    consolePublicUrl: z.optional(
      url('URL of the console as browsers see it. {tenant} stands for the name of the tenant.'),
    ),
    controllerPublicUrl: z.optional(
      url('URL of the controller as users and command lines see it. {tenant} stands for the name of the tenant.'),
    ),
    registry: z.optional(registry),
  },
  [together],
);

export type TenantAuth = z.output<typeof tenantAuth>;
