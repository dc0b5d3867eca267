import type { JsonObject } from '../../json.ts';
import { type Condition, ConditionStatus, type Result, Severity, Target } from '../../wire/messages.ts';
import { condition } from '../observe/conditions.ts';
import type { Verdict } from './verdict.ts';

/** Our condition types, in the order they are reported. Crossplane drops Ready, Synced, Healthy, UpToDate, Responsive. */
export const CONDITION_TYPES = [
  'TargetReady',
  'Installed',
  'ConfigApplied',
  'OwnerServiceProtected',
  'InstanceReady',
  'SettingsApplied',
] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

export type Verdicts = { readonly [type in ConditionType]: Verdict };

const STATUS = {
  True: ConditionStatus.True,
  False: ConditionStatus.False,
  Unknown: ConditionStatus.Unknown,
} as const;

export function conditions(verdicts: Verdicts): readonly Condition[] {
  return CONDITION_TYPES.map((type) => {
    const { status, reason, message } = verdicts[type];
    return { type, status: STATUS[status], reason, message, target: Target.CompositeAndClaim };
  });
}

/** Reasons that deserve an Event when they are new. */
const WARNINGS: { readonly [type in ConditionType]?: ReadonlySet<string> } = {
  OwnerServiceProtected: new Set(['AdmissionPolicyUnavailable']),
  InstanceReady: new Set([
    'TargetError',
    'InstallFailed',
    'TenantAuthSecretUnavailable',
    'TenantHostImageUnsupported',
    'InvalidStorageRoot',
    'StateVolumeChanged',
  ]),
  SettingsApplied: new Set(['ImmutableSettingKept']),
};

/** Warnings become Events, so one is given only when the condition on the XR does not say the same already. */
export function warnings(verdicts: Verdicts, composite: JsonObject): readonly Result[] {
  const results: Result[] = [];
  for (const type of CONDITION_TYPES) {
    const { reason, message } = verdicts[type];
    if (WARNINGS[type]?.has(reason) !== true) continue;
    const before = condition(composite, type);
    if (before?.reason === reason && before.message === message) continue;
    results.push({ severity: Severity.Warning, reason, message, target: Target.CompositeAndClaim });
  }
  return results;
}
