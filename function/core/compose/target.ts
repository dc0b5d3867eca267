import type { JsonObject } from '../../json.ts';
import type { Plan } from '../decide/plan.ts';
import { Annotation, Key } from '../keys.ts';
import type { Observed } from '../observe/index.ts';
import { writeRecord } from '../observe/memory.ts';
import { formatDuration } from '../time.ts';
import { composedMetadata, OBSERVE_POLICIES, objectAround } from './object.ts';

/** How provider-kubernetes reaches the instance: with the kubeconfig that provider-helm copies. */
export function targetProviderConfig(observed: Observed): JsonObject {
  const { names, identity } = observed;
  return {
    apiVersion: 'kubernetes.m.crossplane.io/v1alpha1',
    kind: 'ProviderConfig',
    metadata: composedMetadata(observed, Key.TargetProviderConfig),
    spec: {
      credentials: {
        source: 'Secret',
        secretRef: { name: names.kubeconfigSecret, namespace: identity.namespace, key: 'kubeconfig' },
      },
    },
  };
}

/** Looks at a Namespace that every cluster has: its answer is the instance's answer. */
export function targetProbe(observed: Observed, plan: Plan): JsonObject {
  const { probe } = plan.target;
  const failingSince = probe.kind === 'failing' ? probe.since : undefined;
  const answeredReady = plan.target.reason === 'Ready';
  const isEmpty = failingSince === undefined && !answeredReady;
  return objectAround(
    observed,
    Key.TargetProbe,
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } },
    {
      managementPolicies: OBSERVE_POLICIES,
      providerConfigRef: { kind: 'ProviderConfig', name: observed.names.composed[Key.TargetProviderConfig] },
      annotations: {
        [Annotation.PollInterval]: formatDuration(observed.settings.intervals.probe),
        ...(isEmpty ? {} : { [Annotation.Probe]: writeRecord({ failingSince, answeredReady }) }),
      },
    },
  );
}
