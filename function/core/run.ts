import { formatIssue, type Issue } from '../api/issues.ts';
import { readSettings } from '../api/settings.ts';
import type { Settings } from '../api/settings.types.ts';
import type { JsonObject } from '../json.ts';
import { Ready, type RunFunctionRequest, type RunFunctionResponse } from '../wire/messages.ts';
import { compose } from './compose/index.ts';
import { overlayIssues } from './compose/overlay.ts';
import { decide } from './decide/index.ts';
import { fold, mergedStatus } from './fold/index.ts';
import { refuse } from './fold/refusal.ts';
import { requirements } from './fold/requirements.ts';
import { KEYS } from './keys.ts';
import { identify, observe } from './observe/index.ts';
import { someOf } from './text.ts';
import { seconds } from './time.ts';

/** A preview has no clock of its own: the same file always shows the same. It is also the time that render prints. */
const PREVIEW_TIME = seconds(Date.UTC(2024, 0, 1));

/**
 * The whole function: a pure one of the request and the clock.
 * @param now milliseconds since 1970; has no say in a preview
 */
export function runFunction(request: RunFunctionRequest, now: number): RunFunctionResponse {
  const composite = request.composite?.resource;
  const identity = composite === undefined ? undefined : identify(composite);
  if (composite === undefined || identity === undefined) {
    return refuse(request, undefined, 'cannot compose the instance: the composite has no name or namespace');
  }
  const preview = !isLive(composite);
  const settings = settingsOf(request);
  if ('issues' in settings) {
    return refuse(request, identity, `cannot read the function's input: ${listed(settings.issues)}`, 'SettingsInvalid');
  }
  const twice = request.desired.names.filter((name) => (KEYS as readonly string[]).includes(name));
  if (twice.length > 0) {
    return refuse(request, identity, `cannot compose the instance: an earlier step already composes ${someOf(twice)}`);
  }
  const options = { settings: settings.value, preview, now: preview ? PREVIEW_TIME : seconds(now) };
  const observed = observe(request, composite, identity, options);
  if (preview && observed.spec === undefined) {
    return refuse(request, identity, `cannot compose the instance: ${listed(observed.specIssues)}`);
  }
  const plan = decide(observed);
  const composed = compose(observed, plan);
  const folded = fold(observed, plan, composed);
  return {
    tag: request.tag,
    ttlSeconds: folded.ttlSeconds,
    desired: {
      composite: withStatus(request.desired.composite, composite, folded.status),
      compositeReady: folded.ready,
      resources: new Map(
        [...composed].map(([key, resource]) => [key, { resource, ready: folded.readiness.get(key) ?? Ready.False }]),
      ),
      earlier: request.desired,
    },
    results: folded.results,
    context: request.context,
    requirements: requirements(request, identity),
    conditions: folded.conditions,
  };
}

function isLive(composite: JsonObject): boolean {
  const metadata = composite['metadata'];
  return (
    typeof metadata === 'object' &&
    metadata !== null &&
    'creationTimestamp' in metadata &&
    !!metadata['creationTimestamp']
  );
}

function settingsOf(request: RunFunctionRequest): { readonly value: Settings } | { readonly issues: readonly Issue[] } {
  const settings = readSettings(request.input);
  if ('issues' in settings) return settings;
  const issues = overlayIssues(settings.value.chart.values, settings.value.vcluster);
  return issues.length > 0 ? { issues } : settings;
}

/** An XR in desired carries its identity and status alone: spec and the rest of metadata are not a function's to set. */
function withStatus(earlier: JsonObject | undefined, composite: JsonObject, status: JsonObject): JsonObject {
  return {
    ...(earlier ?? {}),
    apiVersion: composite['apiVersion'] ?? '',
    kind: composite['kind'] ?? '',
    status: mergedStatus(earlier, status),
  };
}

/** All violations, at most ten of them spelled out. */
function listed(issues: readonly Issue[]): string {
  return someOf(issues.map(formatIssue), 10);
}
