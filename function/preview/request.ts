import { isObject, type JsonObject, objectAt, stringAt } from '../json.ts';
import {
  Capability,
  type ObservedResource,
  type Requirements,
  type ResourceSelector,
  type RunFunctionRequest,
  type SecretKeys,
} from '../wire/messages.ts';
import { identityOf, sameIdentity } from './identity.ts';
import type { Inputs } from './inputs.ts';
import { findSchema } from './schemas.ts';

const NO_KEYS: SecretKeys = new Map();

/** The first call that Crossplane would make: nothing required is there yet. */
export function firstRequest(inputs: Inputs): RunFunctionRequest {
  const observed = [...inputs.observed].map(([name, resource]) => {
    const connectionDetails = connectionDetailsOf(resource, inputs.required);
    return [name, { resource, connectionDetails }] as const;
  });
  return {
    tag: 'preview',
    capabilities: capabilitiesFor(inputs),
    composite: { resource: inputs.composite, connectionDetails: NO_KEYS },
    resources: new Map(observed),
    desired: { composite: undefined, compositeRest: new Uint8Array(), names: [], entries: [] },
    input: inputs.settings,
    context: undefined,
    requiredResources: new Map(),
    requiredSchemas: new Map(),
    credentials: new Map(),
  };
}

/** Without schema files nothing can be said of what the API server serves, so the function is not to ask. */
function capabilitiesFor(inputs: Inputs): ReadonlySet<number> {
  const { RequiredSchemas, ...others } = Capability;
  return new Set([...Object.values(others), ...(inputs.schemas === undefined ? [] : [RequiredSchemas])]);
}

/** The call that follows an answer: with all that it asked for, and its context. */
export function nextRequest(
  request: RunFunctionRequest,
  requirements: Requirements,
  context: Uint8Array | undefined,
  inputs: Inputs,
): RunFunctionRequest {
  return {
    ...request,
    context,
    requiredResources: new Map(
      [...requirements.resources].map(([name, selector]) => [name, matching(inputs.required, selector)] as const),
    ),
    requiredSchemas: new Map(
      [...requirements.schemas].map(([name, selector]) => [name, findSchema(inputs.schemas ?? [], selector)] as const),
    ),
  };
}

function matching(required: readonly JsonObject[], selector: ResourceSelector): ObservedResource[] {
  const wanted = {
    apiVersion: selector.apiVersion,
    kind: selector.kind,
    namespace: selector.namespace ?? '',
    name: selector.matchName,
  };
  return required
    .filter((resource) => sameIdentity(identityOf(resource), wanted))
    .map((resource) => ({ resource, connectionDetails: NO_KEYS }));
}

/**
 * The keys of the Secret that a resource writes its connection details to, when that Secret is among the required resources.
 * Namespaced resources write to their own namespace. Source: crossplane internal/controller/apiextensions/composite/connection.go.
 */
function connectionDetailsOf(resource: JsonObject, required: readonly JsonObject[]): SecretKeys {
  const name = stringAt(resource, 'spec', 'writeConnectionSecretToRef', 'name');
  if (name === undefined) return NO_KEYS;
  const namespace =
    stringAt(resource, 'metadata', 'namespace') ??
    stringAt(resource, 'spec', 'writeConnectionSecretToRef', 'namespace') ??
    '';
  const wanted = { apiVersion: 'v1', kind: 'Secret', namespace, name };
  const secret = required.find((candidate) => sameIdentity(identityOf(candidate), wanted));
  const data = { ...objectAt(secret, 'data'), ...objectAt(secret, 'stringData') };
  return new Map(Object.entries(data).map(([key, value]) => [key, isObject(value) || value !== '']));
}
