import type { JsonObject } from '../../json.ts';
import type { Plan } from '../decide/plan.ts';
import { KEYS, Key } from '../keys.ts';
import type { Observed } from '../observe/index.ts';
import { carry } from './carry.ts';
import { hostNamespace } from './namespace.ts';
import { ownerServicePolicy, ownerServicePolicyBinding } from './policy.ts';
import { stackAuthDelegator, stackProgram, stackServiceAccount } from './program.ts';
import { vcluster } from './release.ts';
import { platformStack } from './stack.ts';
import { stackState } from './state.ts';
import { targetProbe, targetProviderConfig } from './target.ts';

/** undefined when the resource cannot be rendered now */
type Builder = (observed: Observed, plan: Plan, built: ReadonlyMap<Key, JsonObject>) => JsonObject | undefined;

/** In the order of KEYS: a builder sees what was built before it. */
const BUILDERS: { readonly [key in Key]: Builder } = {
  [Key.HostNamespace]: hostNamespace,
  [Key.OwnerServicePolicy]: ownerServicePolicy,
  [Key.OwnerServicePolicyBinding]: ownerServicePolicyBinding,
  [Key.VCluster]: vcluster,
  [Key.TargetProviderConfig]: targetProviderConfig,
  [Key.TargetProbe]: targetProbe,
  [Key.StackProgram]: stackProgram,
  [Key.StackServiceAccount]: stackServiceAccount,
  [Key.StackAuthDelegator]: stackAuthDelegator,
  [Key.StackState]: stackState,
  [Key.PlatformStack]: (observed, plan, built) => platformStack(observed, plan, built.get(Key.StackProgram)),
};

/**
 * The desired composed resources. Crossplane deletes what is observed and not desired, so an observed key is always here:
 * rendered, or carried as observed when it cannot be rendered now.
 */
export function compose(observed: Observed, plan: Plan): ReadonlyMap<Key, JsonObject> {
  const built = new Map<Key, JsonObject>();
  const isFrozen = observed.spec === undefined || observed.identity.deleting;
  for (const key of KEYS) {
    const existing = observed.resources.get(key);
    if (existing === undefined && !plan.open.has(key)) continue;
    const rendered = isFrozen ? undefined : BUILDERS[key](observed, plan, built);
    const resource = rendered ?? (existing === undefined ? undefined : carry(key, existing));
    if (resource !== undefined) built.set(key, resource);
  }
  return built;
}
