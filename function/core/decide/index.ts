import { KEYS, Key } from '../keys.ts';
import type { Observed } from '../observe/index.ts';
import type { Runs } from '../observe/memory.ts';
import { isObjectReady } from '../observe/object.ts';
import { isPolicyUnavailable } from '../observe/policy.ts';
import { decideInstall } from './install.ts';
import type { Plan } from './plan.ts';
import { learnRuns } from './runs.ts';
import { decideStorageRoot } from './storage-root.ts';
import { decideTarget } from './target.ts';

export function decide(observed: Observed): Plan {
  const runs = learnRuns(observed);
  const target = decideTarget(observed, runs.applied);
  const storageRoot = decideStorageRoot(observed);
  const install = decideInstall(observed, target, storageRoot, runs);
  const held = heldCreation(observed, storageRoot.problem);
  return {
    target,
    storageRoot,
    install,
    open: openKeys(observed, held, install.runs),
    held,
    deadlines: [...target.deadlines, ...install.deadlines],
  };
}

/** Nothing at all may be created yet. Once anything of ours exists this no longer applies. */
function heldCreation(observed: Observed, storageRootProblem: string | undefined): string | undefined {
  const { identity, settings, preview, resources, hostNamespace } = observed;
  if (identity.deleting) return 'The instance is being deleted';
  if (observed.spec === undefined) return 'The spec cannot be read';
  if (storageRootProblem !== undefined && !resources.has(Key.VCluster)) return storageRootProblem;
  if (preview || resources.size > 0) return undefined;
  if (settings.holdForFinalizer && !identity.hasFinalizer) {
    return 'Waiting for the teardown controller to add its finalizer platform.di-framework.dev/instance';
  }
  if (hostNamespace.terminating) return `Waiting for host namespace ${hostNamespace.name} to be gone`;
  if (hostNamespace.foreign) return `Host namespace ${hostNamespace.name} belongs to something else`;
  if (hostNamespace.live.kind === 'pending') return 'Waiting for Crossplane to look up the host namespace';
  return undefined;
}

/** First creation waits for what a key builds on; a preview shows everything. */
function openKeys(observed: Observed, held: string | undefined, runs: Runs): ReadonlySet<Key> {
  if (held !== undefined) return new Set();
  const isOpen = (key: Key): boolean => observed.preview || GATES[key](observed, runs);
  const absent = new Set([...observed.schemas.absent, ...observed.schemas.pending].flatMap((kind) => kind.keys));
  return new Set(KEYS.filter((key) => isOpen(key) && (observed.preview || !absent.has(key))));
}

const always = (): boolean => true;
const inHostNamespace = ({ hostNamespace }: Observed): boolean =>
  isObjectReady(hostNamespace.object) && !hostNamespace.terminating;
/**
 * Together with the vCluster that they protect, not before: where nobody watched Objects yet, Crossplane would start a watch
 * for each one of its first answer, and its circuit breaker would count every event of an Object as often, for all instances,
 * until Crossplane restarts (internal/engine/engine.go, StartWatches).
 */
const withPolicies = (observed: Observed): boolean =>
  !isPolicyUnavailable(observed) && (inHostNamespace(observed) || observed.resources.has(Key.VCluster));
const withKubeconfig = (observed: Observed): boolean => observed.release?.kubeconfig === true;
const withRun = (_: Observed, runs: Runs): boolean => runs.current !== undefined;
/** What a run needs is there before it starts: which volume it gets is known then, and less happens at once. */
const beforeRun = (observed: Observed, runs: Runs): boolean => withKubeconfig(observed) || withRun(observed, runs);
/** After a lost Stack or a re-creation, which volume it is has to be known before anything runs on it. */
const beforeRunOrRemembered = (observed: Observed, runs: Runs): boolean =>
  beforeRun(observed, runs) || runs.applied !== undefined;

const GATES: { readonly [key in Key]: (observed: Observed, runs: Runs) => boolean } = {
  [Key.HostNamespace]: always,
  [Key.OwnerServicePolicy]: withPolicies,
  [Key.OwnerServicePolicyBinding]: withPolicies,
  [Key.VCluster]: inHostNamespace,
  [Key.TargetProviderConfig]: withKubeconfig,
  [Key.TargetProbe]: withKubeconfig,
  [Key.StackProgram]: withRun,
  [Key.StackServiceAccount]: beforeRun,
  [Key.StackAuthDelegator]: beforeRun,
  [Key.StackState]: beforeRunOrRemembered,
  [Key.PlatformStack]: withRun,
};
