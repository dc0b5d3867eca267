import { isWaiting } from '../observe/conditions.ts';
import type { Observed } from '../observe/index.ts';
import { parseTime } from '../time.ts';

/** What the probe says of the vCluster API. */
export type ProbeVerdict =
  | { readonly kind: 'awaiting' }
  | { readonly kind: 'good' }
  | {
      readonly kind: 'failing';
      readonly since: number | undefined;
      readonly unreachable: boolean;
      readonly cause: string;
    };

/**
 * Three consecutive checks are counted by time: how often the function is called says nothing of how often the provider
 * looked. The third check is two intervals after the first failing one.
 */
export function decideProbe(observed: Observed): ProbeVerdict {
  const { probe, now, settings } = observed;
  const window = 2 * settings.intervals.probe;
  if (probe === undefined) return { kind: 'awaiting' };
  const { managed } = probe;
  if (managed.kind === 'failing' && !isWaiting(managed.message)) {
    const since = probe.failingSince ?? now;
    return { kind: 'failing', since, unreachable: now >= since + window, cause: apiCause(managed.message) };
  }
  if (managed.kind === 'synced' && managed.ready) return { kind: 'good' };
  const created = parseTime(probe.createdAt);
  if (managed.kind === 'unseen' && !observed.preview && created !== undefined && now >= created + window) {
    return { kind: 'failing', since: undefined, unreachable: true, cause: 'the probe has no answer yet' };
  }
  return { kind: 'awaiting' };
}

/** Causes by what the client library writes; the full text changes from call to call (ports, request URLs). */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/connection refused/, 'connection refused'],
  [/i\/o timeout|context deadline exceeded|Client\.Timeout|TLS handshake timeout/, 'timeout'],
  [/no such host/, 'its name does not resolve'],
  [/x509|certificate/, 'its certificate is not trusted'],
  [/Unauthorized|provide credentials/, 'the kubeconfig is not accepted'],
  [/forbidden/, 'the kubeconfig lacks rights'],
  [/no route to host|network is unreachable/, 'no route to host'],
  [/\bEOF\b|connection reset/, 'connection closed'],
  [/cannot get provider config/, 'the provider config is missing'],
  [/kubeconfig/, 'the kubeconfig cannot be read'],
];

function apiCause(message: string): string {
  return CAUSES.find(([pattern]) => pattern.test(message))?.[1] ?? 'the request fails';
}
