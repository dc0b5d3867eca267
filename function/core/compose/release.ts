import { at, type Json, type JsonObject, stringAt } from '../../json.ts';
import { optional } from '../canonical.ts';
import type { Plan } from '../decide/plan.ts';
import { Annotation, Key } from '../keys.ts';
import { HELM_RELEASE } from '../names.ts';
import type { Observed } from '../observe/index.ts';
import { writeRecord } from '../observe/memory.ts';
import { formatDuration } from '../time.ts';
import { composedMetadata, ORPHAN_POLICIES } from './object.ts';
import { values, valuesSettings, valuesSpec } from './values.ts';

/** The vCluster, installed by provider-helm. */
export function vcluster(observed: Observed, plan: Plan): JsonObject {
  const { settings, names } = observed;
  const { helm } = settings.providerConfigs;
  const { rollbackLimit } = plan.target.release;
  return {
    apiVersion: 'helm.m.crossplane.io/v1beta1',
    kind: 'Release',
    metadata: composedMetadata(observed, Key.VCluster, annotations(observed, plan)),
    spec: {
      forProvider: {
        chart: {
          name: 'vcluster',
          repository: setting(observed, 'repository') ?? settings.chart.repository,
          version: chartVersion(observed),
          ...pullSecret(observed),
        },
        namespace: observed.hostNamespace.name,
        skipCreateNamespace: true,
        // Never `wait`: it blocks a worker of the provider, and a slow first start would count as failed. The provider drops
        // a false when it writes the Release back, so it is left out, unless an earlier release of the function wrote it.
        ...optional('wait', isWaitWritten(observed) ? false : undefined),
        values: values(observed, plan),
      },
      connectionDetails: [
        {
          apiVersion: 'v1',
          kind: 'Secret',
          name: `vc-${HELM_RELEASE}`,
          namespace: observed.hostNamespace.name,
          fieldPath: 'data.config',
          toConnectionSecretKey: 'kubeconfig',
          // The syncer writes it at run time, so it is no part of the Helm release.
          skipPartOfReleaseCheck: true,
        },
      ],
      writeConnectionSecretToRef: { name: names.kubeconfigSecret },
      managementPolicies: [...ORPHAN_POLICIES],
      providerConfigRef: { kind: helm.kind, name: helm.name },
      ...optional('rollbackLimit', rollbackLimit),
    },
  };
}

/** A mutable setting: explicit, else in use, else what the host namespace remembers, else the default. */
export function chartVersion(observed: Observed): string {
  return (
    stringAt(observed.input, 'chart', 'version') ??
    setting(observed, 'version') ??
    observed.hostNamespace.memory.chartVersion ??
    observed.settings.chart.version
  );
}

function setting(observed: Observed, field: string): string | undefined {
  return (
    stringAt(observed.input, 'chart', field) ??
    stringAt(observed.release?.resource, 'spec', 'forProvider', 'chart', field)
  );
}

function pullSecret(observed: Observed): JsonObject {
  const explicit = observed.settings.chart.pullSecretName;
  const inUse = stringAt(observed.release?.resource, 'spec', 'forProvider', 'chart', 'pullSecretRef', 'name');
  // The provider writes an empty name where none was set.
  const name = explicit ?? inUse ?? '';
  return name === '' ? {} : { pullSecretRef: { name } };
}

function isWaitWritten(observed: Observed): boolean {
  return at(observed.release?.resource, 'spec', 'forProvider', 'wait') !== undefined;
}

function annotations(observed: Observed, plan: Plan): JsonObject {
  const { restart, release } = plan.target;
  const record = (name: string, value: object | undefined): { [name: string]: Json } =>
    value === undefined ? {} : { [name]: writeRecord(value) };
  return {
    [Annotation.ExternalName]:
      stringAt(observed.release?.resource, 'metadata', 'annotations', Annotation.ExternalName) ?? HELM_RELEASE,
    [Annotation.PollInterval]: formatDuration(observed.settings.intervals.probe),
    [Annotation.ValuesSettings]: valuesSettings(observed),
    ...optional(Annotation.ValuesSpec, valuesSpec(observed)),
    ...record(Annotation.RestartRecord, restart.record),
    ...record(Annotation.Suspect, restart.suspect),
    ...record(Annotation.Retry, release.retry),
    ...record(
      Annotation.FailingSince,
      release.failingSince === undefined ? undefined : { since: release.failingSince },
    ),
  };
}
