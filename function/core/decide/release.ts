import { isWaiting } from '../observe/conditions.ts';
import type { Observed } from '../observe/index.ts';
import type { ReleaseRetry } from '../observe/memory.ts';
import type { ReleaseFacts } from '../observe/release.ts';
import { oneLine } from '../text.ts';
import { backoff } from '../time.ts';

/** What keeps the target from being installed, and what is done about it. */
export interface ReleaseDecision {
  /** the message of TargetError; undefined while nothing failed for good */
  readonly error: string | undefined;
  /** the last good revision serves again after a failed or interrupted upgrade */
  readonly rolledBack: boolean;
  /** spec.rollbackLimit; undefined leaves it out */
  readonly rollbackLimit: number | undefined;
  readonly retry: ReleaseRetry | undefined;
  readonly failingSince: number | undefined;
  readonly deadlines: readonly number[];
}

/** A vCluster that was up once holds data: from then on nothing may uninstall it. */
export function wasEverUp(observed: Observed): boolean {
  return (
    observed.release?.kubeconfig === true ||
    hasStack(observed) ||
    observed.workloads.kubeconfigSecret !== undefined ||
    observed.hostNamespace.memory.applied !== undefined ||
    (observed.hostNamespace.memory.restart ?? 0) > 0
  );
}

/** A Stack is composed once the target was ready; a preview composes it from the start. */
function hasStack({ stack, preview }: Observed): boolean {
  return stack !== undefined && (!preview || stack.lastUpdate !== undefined);
}

/**
 * With a rollbackLimit provider-helm uninstalls a failed or interrupted revision 1 and rolls later ones back
 * (pkg/controller/namespaced/release/release.go).
 */
export function mayRollBack(observed: Observed): boolean {
  return !wasEverUp(observed) || (observed.release?.revision ?? 0) > 1;
}

export function decideRelease(observed: Observed): ReleaseDecision {
  const { release, now, settings } = observed;
  const trouble = hostNamespaceTrouble(observed) ?? (release === undefined ? undefined : releaseTrouble(release));
  const since = trouble?.lasting === undefined ? undefined : (trouble.failingSince ?? now);
  const due = since === undefined ? undefined : since + settings.intervals[trouble?.lasting ?? 'grace'];
  const retried = rollback(observed);
  return {
    error: trouble !== undefined && (due === undefined || now >= due) ? trouble.message : undefined,
    rolledBack: release?.state === 'deployed' && !release.recordSynced && /^Rollback to \d+/.test(release.description),
    rollbackLimit: retried.rollbackLimit,
    retry: retried.retry,
    failingSince: since,
    deadlines: [due, retried.retry?.at].filter((deadline) => deadline !== undefined),
  };
}

interface Trouble {
  readonly message: string;
  /** the trouble may pass by itself: it counts once it has lasted this interval */
  readonly lasting?: 'startDeadline' | 'grace';
  readonly failingSince?: number | undefined;
}

function hostNamespaceTrouble(observed: Observed): Trouble | undefined {
  const { hostNamespace } = observed;
  if (hostNamespace.foreign && !hostNamespace.terminating) {
    return { message: `Cannot use host namespace ${hostNamespace.name}: it exists and belongs to something else` };
  }
  const managed = hostNamespace.object?.managed;
  if (managed?.kind !== 'failing' || !/^create failed/.test(managed.message)) return undefined;
  return { message: `Cannot create host namespace ${hostNamespace.name}: ${cause(managed.message)}` };
}

const STATES: { readonly [state: string]: (release: ReleaseFacts) => Trouble } = {
  failed: (release) => ({ message: `Cannot ${step(release)} the vCluster release: ${oneLine(release.description)}` }),
  'pending-install': (release) => stuck(release),
  'pending-upgrade': (release) => stuck(release),
  'pending-rollback': (release) => stuck(release),
  uninstalling: (release) => ({
    message:
      'Cannot upgrade the vCluster release: it was uninstalled outside of Crossplane and is stuck in state uninstalling; ' +
      'delete the newest Helm release Secret sh.helm.release.v1.vcluster in the host namespace to have it adopted again',
    lasting: 'grace',
    failingSince: release.failingSince,
  }),
  uninstalled: (release) => ({
    message:
      'Cannot upgrade the vCluster release: it was uninstalled outside of Crossplane with its history kept; ' +
      'delete the Helm release Secrets sh.helm.release.v1.vcluster in the host namespace to have it installed again',
    lasting: 'grace',
    failingSince: release.failingSince,
  }),
};

function releaseTrouble(release: ReleaseFacts): Trouble | undefined {
  const { managed } = release;
  if (managed.kind === 'stale' || managed.kind === 'paused' || managed.kind === 'unseen') return undefined;
  const byState = release.state === undefined ? undefined : STATES[release.state]?.(release);
  if (byState !== undefined && release.state !== 'failed') return byState;
  if (managed.kind === 'failing' && !isWaiting(managed.message)) return failure(release, managed.message);
  return byState;
}

function failure(release: ReleaseFacts, message: string): Trouble {
  const phase = /^(create|update) failed: /.exec(message)?.[1];
  if (phase !== undefined) {
    const verb = phase === 'create' ? 'install' : 'upgrade';
    return { message: `Cannot ${verb} the vCluster release: ${cause(message)}` };
  }
  if (/connection secret|uncontrolled secret|not controlled by UID/.test(message)) {
    return { message: `Cannot write the kubeconfig Secret: ${cause(message)}` };
  }
  const verb = /^connect failed: /.test(message) ? 'connect to' : 'observe';
  return {
    message: `Cannot ${verb} the vCluster release: ${cause(message)}`,
    lasting: 'startDeadline',
    failingSince: release.failingSince,
  };
}

function stuck(release: ReleaseFacts): Trouble {
  return {
    message: `Cannot ${step(release)} the vCluster release: an earlier attempt was interrupted in state ${release.state}`,
  };
}

function step(release: ReleaseFacts): string {
  return release.revision > 1 ? 'upgrade' : 'install';
}

const PREFIXES =
  /^(?:(?:create|update|observe|connect|delete) failed: |failed to (?:install|upgrade) release: |cannot create object: )+/;

/** The provider's message without the prefixes that only name its own steps. */
function cause(message: string): string {
  return oneLine(message.replace(PREFIXES, ''));
}

/** States of a Helm release that the provider does something about only with a limit. */
const UNFINISHED: ReadonlySet<string | undefined> = new Set([
  'failed',
  'pending-install',
  'pending-upgrade',
  'pending-rollback',
]);

/**
 * The provider stops once `status.failed` reaches the limit, so the limit is what drives retries: it stays at what has
 * failed until the backoff has passed, then lets one more attempt through.
 */
function rollback(observed: Observed): { rollbackLimit: number | undefined; retry: ReleaseRetry | undefined } {
  const { release, now, settings } = observed;
  if (!mayRollBack(observed)) return { rollbackLimit: undefined, retry: undefined };
  const limit = release?.rollbackLimit ?? 0;
  if (release === undefined || release.failed === 0) {
    // A first install that goes well never has a limit, so that none is in force when the vCluster comes up.
    const isWanted = limit > 0 || (release?.revision ?? 0) > 1 || UNFINISHED.has(release?.state);
    return { rollbackLimit: isWanted ? Math.max(limit, 1) : undefined, retry: undefined };
  }
  if (limit > release.failed) return { rollbackLimit: limit, retry: undefined };
  const remembered = release.retry?.failed === release.failed ? release.retry : undefined;
  const retry = remembered ?? { failed: release.failed, at: now + backoff(release.failed - 1, settings.retry) };
  if (now < retry.at) return { rollbackLimit: release.failed, retry };
  return { rollbackLimit: release.failed + 1, retry: undefined };
}
