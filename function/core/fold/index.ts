import type { JsonObject } from '../../json.ts';
import { isObject } from '../../json.ts';
import { type Condition, Ready, type Result } from '../../wire/messages.ts';
import type { Plan } from '../decide/plan.ts';
import type { Key } from '../keys.ts';
import type { Observed } from '../observe/index.ts';
import { conditions, type Verdicts, warnings } from './conditions.ts';
import { readiness } from './readiness.ts';
import { settingsApplied } from './settings.ts';
import { phase, statusFields } from './status.ts';
import { configApplied, installed, instanceReady, ownerServiceProtected, targetReady } from './verdicts.ts';

/** What the instance's user is told. */
export interface Folded {
  readonly status: JsonObject;
  readonly ready: Ready;
  readonly readiness: ReadonlyMap<Key, Ready>;
  readonly conditions: readonly Condition[];
  readonly results: readonly Result[];
  readonly ttlSeconds: number;
}

export function fold(observed: Observed, plan: Plan, composed: ReadonlyMap<Key, JsonObject>): Folded {
  const target = targetReady(observed, plan);
  const verdicts: Verdicts = {
    TargetReady: target,
    Installed: installed(observed, plan),
    ConfigApplied: configApplied(observed, plan),
    OwnerServiceProtected: ownerServiceProtected(observed),
    InstanceReady: instanceReady(observed, plan, target),
    SettingsApplied: settingsApplied(observed),
  };
  const currentPhase = phase(observed, plan, verdicts.InstanceReady, target, composed.size > 0);
  return {
    status: statusFields(observed, plan, currentPhase),
    ready: verdicts.InstanceReady.status === 'True' ? Ready.True : Ready.False,
    readiness: new Map([...composed.keys()].map((key) => [key, readiness(observed, plan, key)])),
    conditions: conditions(verdicts),
    results: warnings(verdicts, observed.composite),
    ttlSeconds: ttl(observed, plan, currentPhase === 'Ready' && plan.install.active === undefined),
  };
}

/** Crossplane 2.3 does not watch required resources, so the ttl is what brings the next look. */
function ttl(observed: Observed, plan: Plan, isSteady: boolean): number {
  const { steady, pending } = observed.settings.ttl;
  const usual = isSteady ? steady : pending;
  const next = plan.deadlines.map((deadline) => deadline - observed.now).filter((left) => left > 0);
  return Math.max(1, Math.min(usual, ...next));
}

/** The earlier steps' status fields stay; ours are laid over them. */
export function mergedStatus(earlier: JsonObject | undefined, ours: JsonObject): JsonObject {
  const before = earlier === undefined ? undefined : earlier['status'];
  return { ...(isObject(before) ? before : {}), ...ours };
}
