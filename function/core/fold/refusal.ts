import { Ready, type RunFunctionRequest, type RunFunctionResponse, Severity, Target } from '../../wire/messages.ts';
import type { Identity } from '../observe/index.ts';
import { oneLine } from '../text.ts';
import { conditions, type Verdicts } from './conditions.ts';
import { requirements } from './requirements.ts';
import type { Verdict } from './verdict.ts';

/** Room for ten violations. Results become Events, which hold 1 KiB (kubernetes events.k8s.io/v1, NoteLengthLimit). */
const LIMIT = 1000;

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
  // The names in it are somebody else's words.
  const sentence = oneLine(message.charAt(0).toUpperCase() + message.slice(1), LIMIT);
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
