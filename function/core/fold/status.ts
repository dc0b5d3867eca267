import type { JsonObject } from '../../json.ts';
import { optional } from '../canonical.ts';
import type { Plan } from '../decide/plan.ts';
import type { Observed } from '../observe/index.ts';
import { formatTime } from '../time.ts';
import type { Verdict } from './verdict.ts';

export type Phase = 'Pending' | 'Provisioning' | 'Installing' | 'Ready' | 'Failed' | 'Deleting';

const FAILURES = new Set([
  'TargetError',
  'InstallFailed',
  'TenantAuthSecretUnavailable',
  'TenantHostImageUnsupported',
  'InvalidStorageRoot',
]);

/** Failing beats waiting, and waiting beats working. */
export function phase(observed: Observed, plan: Plan, ready: Verdict, target: Verdict, composes: boolean): Phase {
  if (observed.identity.deleting) return 'Deleting';
  if (FAILURES.has(ready.reason)) return 'Failed';
  if (!composes) return 'Pending';
  if (target.status !== 'True') return 'Provisioning';
  const kind = plan.install.active?.kind;
  if (kind === 'install' || kind === 'resync' || kind === 'settings') return 'Installing';
  return ready.reason === 'Installing' ? 'Installing' : 'Ready';
}

/** The status that the reference describes, without anything that is empty. */
export function statusFields(observed: Observed, plan: Plan, currentPhase: Phase): JsonObject {
  const { runs } = plan.install;
  const { applied } = runs;
  return {
    phase: currentPhase,
    ...optional('observedGeneration', observed.identity.generation),
    ...optional('installedVersion', applied?.version),
    ...filled('endpoints', {
      ...optional('kubernetes', applied?.kubernetesEndpoint),
      ...optional('http', applied?.httpEndpoint),
    }),
    ...(observed.release?.kubeconfig === true
      ? { kubeconfigSecretRef: { name: observed.names.kubeconfigSecret } }
      : {}),
    ...(applied === undefined
      ? {}
      : {
          applied: {
            generation: applied.generation,
            tenants: applied.tenants,
            users: applied.users,
            ...optional('tenantAuthIssuer', applied.issuer),
            ...optional('tenantHostImage', applied.image),
          },
        }),
    ...optional('lastRepair', applied?.repairedAt === undefined ? undefined : formatTime(applied.repairedAt)),
    ...filled('target', targetFields(plan)),
  };
}

function targetFields(plan: Plan): JsonObject {
  const { resync } = plan.target;
  const serviceUid = plan.install.runs.applied?.serviceUid;
  return {
    ...optional('serviceUID', serviceUid === '' ? undefined : serviceUid),
    ...(resync === undefined ? {} : { resyncServiceUID: resync.serviceUid, resyncStarted: formatTime(resync.started) }),
  };
}

function filled(key: string, value: JsonObject): JsonObject {
  return Object.keys(value).length === 0 ? {} : { [key]: value };
}
