import type { JsonObject } from '../../json.ts';
import { stringAt } from '../../json.ts';
import { optional } from '../canonical.ts';
import type { Plan } from '../decide/plan.ts';
import { storageRootInUse } from '../decide/storage-root.ts';
import { Annotation, Key } from '../keys.ts';
import { condition } from '../observe/conditions.ts';
import type { Observed } from '../observe/index.ts';
import { writeRecord } from '../observe/memory.ts';
import { manifestOf, objectAround, ownLabels } from './object.ts';
import { chartVersion } from './release.ts';

/** The host namespace, with the durable memory: it survives Retain, re-creation and a lost Stack. */
export function hostNamespace(observed: Observed, plan: Plan): JsonObject {
  const { identity, hostNamespace: host } = observed;
  const { applied } = plan.install.runs;
  const known = stringAt(manifestOf(observed, Key.HostNamespace), 'metadata', 'annotations', Annotation.Applied);
  const manifest = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: host.name,
      // hostPath volumes, and a vCluster that runs as root
      labels: { 'pod-security.kubernetes.io/enforce': 'privileged', ...ownLabels(observed) },
      annotations: {
        [Annotation.Instance]: `${identity.namespace}/${identity.name}`,
        ...optional(
          Annotation.StorageRoot,
          plan.storageRoot.problem === undefined ? plan.storageRoot.path : storageRootInUse(observed),
        ),
        ...optional(Annotation.StorageRootCustom, isCustomRoot(observed, plan) ? 'true' : undefined),
        [Annotation.Restart]: String(plan.target.restart.n),
        [Annotation.ChartVersion]: chartVersion(observed),
        ...optional(Annotation.Applied, applied === undefined ? known : writeRecord(applied)),
      },
    },
  };
  return objectAround(observed, Key.HostNamespace, manifest, {
    annotations: { ...optional(Annotation.CircuitOpen, circuitOpen(observed)) },
  });
}

/** Decided when the Namespace is made, as the root itself is. */
function isCustomRoot(observed: Observed, plan: Plan): boolean {
  if (observed.hostNamespace.memory.storageRootCustom) return true;
  const inUse = manifestOf(observed, Key.HostNamespace);
  if (inUse !== undefined) return stringAt(inUse, 'metadata', 'annotations', Annotation.StorageRootCustom) === 'true';
  return plan.storageRoot.path === observed.spec?.platform?.storageRoot;
}

/** How long Crossplane's watch circuit breaker stays open, unless its flag says otherwise. */
const COOLDOWN = 5 * 60;

/**
 * Crossplane closes its breaker at the next event after the cooldown, and nothing happens to an instance that is ready: it
 * would say Responsive False until the next repair. So something of it is made to change, once in each cooldown.
 */
function circuitOpen({ composite, now }: Observed): string | undefined {
  const responsive = condition(composite, 'Responsive');
  if (responsive?.status !== 'False' || responsive.lastTransitionTime === undefined) return undefined;
  const cooldowns = Math.floor((now - responsive.lastTransitionTime) / COOLDOWN);
  return cooldowns < 1 ? undefined : `${responsive.lastTransitionTime}-${cooldowns}`;
}
