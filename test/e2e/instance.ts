import { instanceNames } from '../../function/core/names.ts';
import type { JsonObject } from '../../function/json.ts';
import { stringAt } from '../../function/json.ts';
import { conditionsOf } from './double/cluster.ts';
import { eventually } from './plane/eventually.ts';
import type { Kube, Reference } from './plane/kube.ts';
import type { Plane } from './plane/plane.ts';
import { logTail } from './plane/processes.ts';

export const NAMESPACE = 'team-a';

export function platformInstance(name: string, spec: JsonObject = {}, namespace = NAMESPACE): JsonObject {
  return {
    apiVersion: 'platform.di-framework.dev/v1alpha1',
    kind: 'PlatformInstance',
    metadata: { name, namespace },
    spec: { version: '6.0.22', target: { type: 'vcluster' }, ...spec },
  };
}

export function instanceReference(name: string, namespace = NAMESPACE): Reference {
  return { apiVersion: 'platform.di-framework.dev/v1alpha1', kind: 'PlatformInstance', namespace, name };
}

export function hostNamespaceOf(name: string, namespace = NAMESPACE): string {
  return instanceNames(namespace, name).hostNamespace;
}

export async function ensureNamespace(kube: Kube, name: string): Promise<void> {
  await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

/** Waits until the instance's conditions and phase are as wanted; says what the cluster said when they do not become so. */
export async function reaches(
  plane: Plane,
  kube: Kube,
  name: string,
  wanted: { readonly phase?: string; readonly conditions: readonly string[] },
  options: { readonly namespace?: string; readonly timeoutMs?: number } = {},
): Promise<JsonObject> {
  const reference = instanceReference(name, options.namespace);
  let last: JsonObject = {};
  try {
    return await eventually(async () => {
      last = await kube.get(reference);
      const shown = conditionsOf(last);
      const isPhase = wanted.phase === undefined || stringAt(last, 'status', 'phase') === wanted.phase;
      return isPhase && wanted.conditions.every((condition) => shown.includes(condition)) ? last : undefined;
    }, options.timeoutMs ?? 120_000);
  } catch {
    const logs = ['function', 'crossplane', 'provider-helm', 'provider-kubernetes'].map((log) =>
      logTail(plane.folder, log, 8),
    );
    throw new Error(
      `expected ${JSON.stringify(wanted)}\nthe cluster says ${JSON.stringify(last['status'], null, 1)}\n${logs.join('\n')}`,
    );
  }
}

export const READY = {
  phase: 'Ready',
  conditions: [
    'TargetReady=True/Ready',
    'ConfigApplied=True/Applied',
    'OwnerServiceProtected=True/AdmissionPolicyInstalled',
    'InstanceReady=True/Ready',
    'Ready=True/Available',
    'Synced=True/ReconcileSuccess',
  ],
} as const;
