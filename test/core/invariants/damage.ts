import fc from 'fast-check';
import { isObject, type Json, type JsonObject, objectAt } from '../../../function/json.ts';
import type { ObservedResource, RunFunctionRequest } from '../../../function/wire/messages.ts';

/** What may happen to a request on its way: each changes one thing. The request is the caller's own copy. */
export interface Damage {
  readonly what: string;
  readonly apply: (request: RunFunctionRequest) => RunFunctionRequest;
}

/** Values of any shape; the words that a test looks for never come from here. */
const anything = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;

/** One of the entries, chosen by a number; undefined when there are none. */
function pick<T>(list: readonly T[], choice: number): T | undefined {
  return list[choice % Math.max(1, list.length)];
}

function replaceSomewhere(object: JsonObject, choices: readonly number[], value: Json, keep: (key: string) => boolean) {
  let current = object;
  for (const [depth, choice] of choices.entries()) {
    const key = pick(
      Object.keys(current).filter((name) => name === 'metadata' || !keep(name)),
      choice,
    );
    if (key === undefined) return;
    const below = current[key];
    if (depth === choices.length - 1 || !isObject(below)) {
      if (!keep(key)) current[key] = value;
      return;
    }
    current = below;
  }
}

const choices = fc.array(fc.nat(1000), { minLength: 1, maxLength: 8 });

/** The API server keeps what a resource is and is called. Within metadata other fields may be odd. */
const IDENTITY = new Set(['apiVersion', 'kind', 'metadata', 'name', 'namespace']);

const observedKeyLost = fc.nat(100).map((choice): Damage => {
  const apply = (request: RunFunctionRequest) => {
    const lost = pick([...request.resources.keys()], choice);
    return { ...request, resources: new Map([...request.resources].filter(([key]) => key !== lost)) };
  };
  return { what: `observed key ${choice} is lost`, apply };
});

const observedDamaged = fc.tuple(fc.nat(100), choices, anything).map(([choice, steps, value]): Damage => {
  const apply = (request: RunFunctionRequest) => {
    const found = pick([...request.resources.values()], choice)?.resource;
    if (found !== undefined) replaceSomewhere(found, steps, value, (key) => IDENTITY.has(key));
    return request;
  };
  return { what: `observed resource ${choice} holds ${JSON.stringify(value)} at ${steps}`, apply };
});

const statusReplaced = fc.tuple(fc.nat(100), anything).map(([choice, status]): Damage => {
  const apply = (request: RunFunctionRequest) => {
    const found = pick([...request.resources.values()], choice)?.resource;
    if (found !== undefined) found['status'] = status;
    return request;
  };
  return { what: `status of observed resource ${choice} is ${JSON.stringify(status)}`, apply };
});

const policiesOpened = fc
  .tuple(fc.nat(100), fc.constantFrom<Json>(['*'], ['Observe', 'Delete'], null, []))
  .map(([choice, policies]): Damage => {
    const apply = (request: RunFunctionRequest) => {
      const spec = objectAt(pick([...request.resources.values()], choice)?.resource, 'spec');
      if (spec?.['managementPolicies'] !== undefined) spec['managementPolicies'] = policies;
      return request;
    };
    return { what: `somebody gives observed resource ${choice} policies ${JSON.stringify(policies)}`, apply };
  });

const detailsLost = fc.constant<Damage>({
  what: 'connection details are lost',
  apply: (request) => ({
    ...request,
    resources: new Map(
      [...request.resources].map(([key, { resource }]) => [key, { resource, connectionDetails: new Map() }]),
    ),
  }),
});

const requiredLost = fc.tuple(fc.nat(100), fc.boolean()).map(([choice, isFetched]): Damage => {
  const apply = (request: RunFunctionRequest) => {
    const map = new Map<string, readonly ObservedResource[]>(request.requiredResources);
    const key = pick([...map.keys()], choice);
    if (key !== undefined && isFetched) map.set(key, []);
    else if (key !== undefined) map.delete(key);
    return { ...request, requiredResources: map };
  };
  return { what: `required resource ${choice} is ${isFetched ? 'absent' : 'not fetched'}`, apply };
});

const requiredDamaged = fc.tuple(fc.nat(100), choices, anything).map(([choice, steps, value]): Damage => {
  const apply = (request: RunFunctionRequest) => {
    const found = pick([...request.requiredResources.values()].flat(), choice)?.resource;
    if (found !== undefined) replaceSomewhere(found, steps, value, () => false);
    return request;
  };
  return { what: `required resource ${choice} holds ${JSON.stringify(value)} at ${steps}`, apply };
});

const schemasAbsent = fc
  .array(fc.constantFrom('admission-policy', 'release', 'object', 'provider-config', 'stack'))
  .map(
    (absent): Damage => ({
      what: `no kinds ${absent}`,
      apply: (request) => ({
        ...request,
        capabilities: new Set([...request.capabilities, 5]),
        requiredSchemas: new Map(absent.map((name) => [name, undefined])),
      }),
    }),
  );

function onComposite(what: string, change: (composite: JsonObject, metadata: JsonObject) => void): Damage {
  return {
    what,
    apply: (request) => {
      const composite = request.composite?.resource;
      if (composite !== undefined) change(composite, objectAt(composite, 'metadata') ?? {});
      return request;
    },
  };
}

const deleted = fc.constant(
  onComposite('the instance is being deleted', (_, metadata) => {
    metadata['deletionTimestamp'] = '2026-06-02T00:00:00Z';
  }),
);

const unheld = fc.constant(onComposite('the finalizer is gone', (_, metadata) => delete metadata['finalizers']));

const metadataOdd = fc.tuple(fc.constantFrom('annotations', 'labels', 'finalizers'), anything).map(([field, value]) =>
  onComposite(`metadata.${field} is ${JSON.stringify(value)}`, (_, metadata) => {
    metadata[field] = value;
  }),
);

const statusOdd = anything.map((value) =>
  onComposite(`status of the instance is ${JSON.stringify(value)}`, (composite) => {
    composite['status'] = value;
  }),
);

const specDamaged = fc.tuple(choices, anything).map(([steps, value]) =>
  onComposite(`spec holds ${JSON.stringify(value)} at ${steps}`, (composite) => {
    const spec = objectAt(composite, 'spec');
    if (spec !== undefined) replaceSomewhere(spec, steps, value, () => false);
  }),
);

const specReplaced = anything.map((value) =>
  onComposite(`spec is ${JSON.stringify(value)}`, (composite) => {
    composite['spec'] = value;
  }),
);

export const damages: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.oneof(
    observedKeyLost,
    observedDamaged,
    statusReplaced,
    policiesOpened,
    detailsLost,
    requiredLost,
    requiredDamaged,
    schemasAbsent,
    deleted,
    unheld,
    metadataOdd,
    statusOdd,
    specDamaged,
    specReplaced,
  ),
  { maxLength: 5 },
);

/** Only what a cluster itself can do: nothing is malformed. */
export const losses: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.oneof(observedKeyLost, detailsLost, requiredLost, schemasAbsent, deleted, unheld),
  { maxLength: 4 },
);

export function damaged(request: RunFunctionRequest, list: readonly Damage[]): RunFunctionRequest {
  return list.reduce((current, damage) => damage.apply(current), request);
}
