import type { JsonObject } from '../../json.ts';
import { Ready } from '../../wire/messages.ts';
import type { Plan } from '../decide/plan.ts';
import { Key } from '../keys.ts';
import type { Observed } from '../observe/index.ts';
import { isObjectReady, objectFacts } from '../observe/object.ts';

/** Every key is TRUE or FALSE: Crossplane takes an unspecified one as not ready, and sees no Ready on most kinds. */
export function readiness(observed: Observed, plan: Plan, key: Key): Ready {
  const resource = observed.resources.get(key);
  if (resource === undefined) return Ready.False;
  return RULES[key](observed, plan, resource) ? Ready.True : Ready.False;
}

type Rule = (observed: Observed, plan: Plan, resource: JsonObject) => boolean;

const exists: Rule = () => true;
const isReadyObject: Rule = (_observed, _plan, resource) => {
  return isObjectReady(objectFacts({ resource, connectionDetails: new Map() }));
};

const RULES: { readonly [key in Key]: Rule } = {
  [Key.HostNamespace]: isReadyObject,
  [Key.OwnerServicePolicy]: isReadyObject,
  [Key.OwnerServicePolicyBinding]: isReadyObject,
  [Key.VCluster]: (observed) => observed.release?.managed.kind === 'synced' && observed.release.managed.ready,
  [Key.TargetProviderConfig]: exists,
  [Key.TargetProbe]: isReadyObject,
  [Key.StackProgram]: exists,
  [Key.StackServiceAccount]: exists,
  [Key.StackAuthDelegator]: isReadyObject,
  [Key.StackState]: isReadyObject,
  [Key.PlatformStack]: (_observed, plan) => {
    const { runs, problem } = plan.install;
    return problem === undefined && runs.applied !== undefined && runs.applied.token === runs.current?.token;
  },
};
