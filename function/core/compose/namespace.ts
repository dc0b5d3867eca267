import type { JsonObject } from '../../json.ts';
import { stringAt } from '../../json.ts';
import { optional } from '../canonical.ts';
import type { Plan } from '../decide/plan.ts';
import { storageRootInUse } from '../decide/storage-root.ts';
import { Annotation, Key } from '../keys.ts';
import type { Observed } from '../observe/index.ts';
import { writeRecord } from '../observe/memory.ts';
import { manifestOf, objectAround, ownLabels } from './object.ts';
import { chartVersion } from './release.ts';

/** The host namespace, with the durable memory: it survives Retain, re-creation and a lost Stack. */
export function hostNamespace(observed: Observed, plan: Plan): JsonObject {
  const { identity, hostNamespace: host } = observed;
  const { applied } = plan.install.runs;
  const known = stringAt(manifestOf(observed, Key.HostNamespace), 'metadata', 'annotations', Annotation.Applied);
  return objectAround(observed, Key.HostNamespace, {
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
        [Annotation.Restart]: String(plan.target.restart.n),
        [Annotation.ChartVersion]: chartVersion(observed),
        ...optional(Annotation.Applied, applied === undefined ? known : writeRecord(applied)),
      },
    },
  });
}
