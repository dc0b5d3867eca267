import { shortHash } from '../../hash.ts';
import { type JsonObject, objectAt } from '../../json.ts';
import { canonicalJson } from '../canonical.ts';
import type { Plan } from '../decide/plan.ts';
import { Key } from '../keys.ts';
import type { Observed } from '../observe/index.ts';
import { programFiles } from '../program/index.ts';
import { carry } from './carry.ts';
import { platformConfig } from './config.ts';
import { composedMetadata, objectAround, ownLabels } from './object.ts';

/** The program's own hash, as a file beside it: the workspace waits until the mounted ConfigMap has caught up. */
export const PROGRAM_HASH_FILE = 'program-hash';

export function stackProgram(observed: Observed, plan: Plan): JsonObject | undefined {
  const existing = observed.resources.get(Key.StackProgram);
  const { current } = plan.install.runs;
  if (existing !== undefined && !plan.install.render) return carry(Key.StackProgram, existing);
  if (current === undefined || observed.spec === undefined) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: composedMetadata(observed, Key.StackProgram),
    data: programData(observed, plan),
  };
}

function programData(observed: Observed, plan: Plan): JsonObject {
  const { current } = plan.install.runs;
  if (current === undefined) return {};
  const { large } = platformConfig(observed, current, plan.storageRoot.path);
  const files = programFiles({ version: current.version, ...(large === undefined ? {} : { largeSettings: large }) });
  return { ...files, [PROGRAM_HASH_FILE]: shortHash(canonicalJson(files), 16) };
}

/** Hash of the program that the Stack of this answer runs. */
export function programHash(program: JsonObject | undefined): string {
  return String(objectAt(program, 'data')?.[PROGRAM_HASH_FILE] ?? '');
}

export function stackServiceAccount(observed: Observed): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: composedMetadata(observed, Key.StackServiceAccount),
  };
}

/** The workspace's agent checks who calls it with a TokenReview (agent/pkg/server/auth.go of the Pulumi operator). */
export function stackAuthDelegator(observed: Observed): JsonObject {
  return objectAround(observed, Key.StackAuthDelegator, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: observed.names.composed[Key.StackAuthDelegator], labels: ownLabels(observed) },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:auth-delegator' },
    subjects: [
      {
        kind: 'ServiceAccount',
        name: observed.names.composed[Key.StackServiceAccount],
        namespace: observed.identity.namespace,
      },
    ],
  });
}
