import { Ready, type RunFunctionRequest, type RunFunctionResponse, Severity, Target } from '../../wire/messages.ts';
import type { Identity } from '../observe/index.ts';
import { conditions, type Verdicts } from './conditions.ts';
import { requirements } from './requirements.ts';
import type { Verdict } from './verdicts.ts';

/**
 * A FATAL answer: Crossplane then applies and deletes nothing. What earlier steps desire goes back untouched, conditions
 * are set all the same, and the requirements are the usual ones, so that their loop ends.
 */
export function refuse(
  request: RunFunctionRequest,
  identity: Identity | undefined,
  message: string,
  reason = 'Refused',
): RunFunctionResponse {
  const sentence = message.charAt(0).toUpperCase() + message.slice(1);
  const unknown: Verdict = { status: 'Unknown', reason: 'Pending', message: sentence };
  const verdicts: Verdicts = {
    TargetReady: unknown,
    Installed: unknown,
    ConfigApplied: unknown,
    OwnerServiceProtected: { ...unknown, reason: 'PolicyPending' },
    InstanceReady: { status: 'False', reason, message: sentence },
    SettingsApplied: unknown,
  };
  return {
    tag: request.tag,
    ttlSeconds: 60,
    desired: {
      composite: undefined,
      compositeReady: Ready.Unspecified,
      resources: new Map(),
      earlier: request.desired,
    },
    results: [{ severity: Severity.Fatal, reason, message: sentence, target: Target.CompositeAndClaim }],
    context: request.context,
    requirements: requirements(request, identity),
    conditions: conditions(verdicts),
  };
}
