import * as z from 'zod/mini';
import { choice, int32, int64, object, text, time } from './fields.ts';

const applied = object('What the last successful install was made from.', {
  generation: int64('Generation of the instance whose settings were applied.'),
  tenants: int32('Number of tenants.'),
  users: int32('Number of users.'),
  tenantAuthIssuer: z.optional(text('Issuer of tenantAuth, empty without tenantAuth.')),
  tenantHostImage: z.optional(
    text("Image of the tenant hosts, empty for the platform's own. It stays as long as the spec names none."),
  ),
});

const target = object('What is known of the target cluster from its last install or resync.', {
  serviceUID: z.optional(
    text(
      'UID of service/vcluster at the last install or resync. That Service owns all that is synced into the host ' +
        'namespace; another UID means that this was garbage-collected.',
    ),
  ),
  resyncServiceUID: z.optional(
    text('UID of service/vcluster that the running resync restarted the control plane for.'),
  ),
  resyncStarted: z.optional(time('When the running resync restarted the control plane.')),
});

/** Without conditions: Crossplane puts its own schema for them in place of any other. */
export const status = object('The instance as it is.', {
  phase: z.optional(
    choice('Where the instance is in its life.', [
      'Pending',
      'Provisioning',
      'Installing',
      'Ready',
      'Failed',
      'Deleting',
    ]),
  ),
  observedGeneration: z.optional(int64('Generation of the instance that this status describes.')),
  installedVersion: z.optional(text('Version of the platform that the last successful install applied.')),
  endpoints: z.optional(
    object('Where the instance is reached.', {
      kubernetes: z.optional(text('Kubernetes API of the instance.')),
      http: z.optional(text('Gateway of the platform.')),
    }),
  ),
  kubeconfigSecretRef: z.optional(
    object("Secret in the instance's namespace whose key kubeconfig gives administrators access to the instance.", {
      name: z.optional(text('Name of the Secret. Kept while the Secret exists.')),
    }),
  ),
  applied: z.optional(applied),
  lastRepair: z.optional(time('When the last periodic repair was finished.')),
  target: z.optional(target),
  // Crossplane writes this whenever the annotation crossplane.io/reconcile-requested-at has a value it has not noted yet.
  // Its schema for composite resources lacks the field; pruned, the same request would be new on every reconcile.
  lastHandledReconcileAt: z.optional(
    text('Last value of the annotation crossplane.io/reconcile-requested-at that Crossplane took up.'),
  ),
});

export type PlatformInstanceStatus = z.output<typeof status>;
export type Phase = NonNullable<PlatformInstanceStatus['phase']>;
