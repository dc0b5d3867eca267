import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { at, isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../../function/json.ts';
import { Ready, type RunFunctionRequest, type RunFunctionResponse, Severity } from '../../../function/wire/messages.ts';
import { encodeResponse } from '../../../function/wire/response.ts';
import { judgeOf } from '../../api/judge.ts';

/** What every answer keeps to. Each rule yields what is wrong with an answer, nothing when all is well. */

export const CONDITIONS = [
  'TargetReady',
  'Installed',
  'ConfigApplied',
  'OwnerServiceProtected',
  'InstanceReady',
  'SettingsApplied',
] as const;

type Rule = (request: RunFunctionRequest, response: RunFunctionResponse) => Iterable<string>;

export function isFatal(response: RunFunctionResponse): boolean {
  return response.results.some((result) => result.severity === Severity.Fatal);
}

const observedKeysStay: Rule = function* (request, response) {
  if (isFatal(response)) return;
  for (const key of request.resources.keys()) {
    const isOurs = !key.startsWith('other');
    if (isOurs && !response.desired.resources.has(key)) yield `observed key ${key} is not desired`;
  }
};

const earlierStepsStay: Rule = function* (request, response) {
  if (response.tag !== request.tag) yield 'the tag is another';
  if (response.context !== request.context) yield 'the context is another';
  if (response.desired.earlier !== request.desired) yield 'the desired resources of earlier steps are others';
  const before = request.desired.composite;
  const after = response.desired.composite ?? before;
  for (const [key, value] of Object.entries(objectAt(before, 'status') ?? {})) {
    if (JSON.stringify(at(after, 'status', key)) !== JSON.stringify(value)) yield `status.${key} of an earlier step`;
  }
};

const ttlIsWhole: Rule = function* (_, { ttlSeconds }) {
  if (!Number.isSafeInteger(ttlSeconds) || ttlSeconds < 1) yield `ttl ${ttlSeconds}`;
};

const readinessIsExplicit: Rule = function* (_, response) {
  if (isFatal(response)) return;
  const { compositeReady, resources } = response.desired;
  if (compositeReady === Ready.Unspecified) yield 'the composite has no readiness';
  for (const [key, { ready }] of resources) if (ready === Ready.Unspecified) yield `${key} has no readiness`;
};

const conditionsAreWhole: Rule = function* (_, { conditions }) {
  const types = conditions.map(({ type }) => type);
  if (types.join() !== CONDITIONS.join()) yield `conditions ${types}`;
  for (const { type, reason, status, message = '' } of conditions) {
    if (!/^[A-Z][A-Za-z]+$/.test(reason)) yield `reason ${JSON.stringify(reason)} of ${type}`;
    if (status === 0) yield `${type} has no status`;
    yield* sentence(message, type);
  }
};

const resultsAreSentences: Rule = function* (_, { results }) {
  for (const { message, reason = '' } of results) yield* sentence(message, `result ${reason}`);
};

function* sentence(text: string, where: string): Generator<string> {
  const wrong = (what: string): string => `message of ${where} ${what}: ${JSON.stringify(text)}`;
  if (!/^[A-Z]/.test(text)) yield wrong('does not begin with a capital');
  if (/[\n\r\u2028\u2029]/.test(text)) yield wrong('is more than one line');
  if (/\.$/.test(text)) yield wrong('ends in a full stop');
  if (text.length > 1024) yield wrong('is long');
  if (/\d\d:\d\d:\d\d/.test(text)) yield wrong('has a time');
}

const KINDS: ReadonlySet<string> = new Set([
  'helm.m.crossplane.io/v1beta1 Release',
  'kubernetes.m.crossplane.io/v1alpha1 Object',
  'kubernetes.m.crossplane.io/v1alpha1 ProviderConfig',
  'pulumi.com/v1 Stack',
  'v1 ConfigMap',
  'v1 ServiceAccount',
]);

const resourcesAreOurs: Rule = function* ({ composite }, { desired }) {
  const namespace = stringAt(composite?.resource, 'metadata', 'namespace');
  for (const [key, { resource }] of desired.resources) {
    const kind = `${stringAt(resource, 'apiVersion')} ${stringAt(resource, 'kind')}`;
    if (!KINDS.has(kind)) yield `${key} is of kind ${kind}`;
    if (stringAt(resource, 'metadata', 'namespace') !== namespace) yield `${key} is in another namespace`;
    const fields = Object.keys(objectAt(resource, 'metadata') ?? {}).filter(
      (field) => !['name', 'namespace', 'labels', 'annotations'].includes(field),
    );
    if (fields.length > 0) yield `${key} sets metadata ${fields}`;
    if (resource['status'] !== undefined) yield `${key} has a status`;
    for (const metadata of metadataWithin(resource)) {
      const labels = Object.keys(objectAt(metadata, 'labels') ?? {});
      yield* labels.filter((name) => /crossplane\.io\//.test(name)).map((name) => `${key} has label ${name}`);
    }
  }
};

function* metadataWithin(value: Json): Generator<JsonObject> {
  if (Array.isArray(value)) for (const item of value) yield* metadataWithin(item);
  if (!isObject(value)) return;
  const metadata = objectAt(value, 'metadata');
  if (metadata !== undefined) yield metadata;
  for (const item of Object.values(value)) yield* metadataWithin(item);
}

/** What tools leave on an instance or on composed resources: none of it goes anywhere, Helm values included. */
const nothingOfTools: Rule = function* (_, { desired }) {
  for (const [key, { resource }] of desired.resources) {
    const text = JSON.stringify(resource);
    for (const word of [
      'argocd.argoproj.io',
      'kubectl.kubernetes.io',
      'app.kubernetes.io',
      'crossplane.io/composite',
    ]) {
      if (text.includes(word)) yield `${key} carries ${word}`;
    }
  }
};

const readyMeansReady: Rule = function* ({ composite }, response) {
  const isTrue = (type: string): boolean => response.conditions.some((each) => each.type === type && each.status === 2);
  if (isFatal(response)) return;
  const isReady = isTrue('InstanceReady');
  if (isReady !== (response.desired.compositeReady === Ready.True)) yield 'Ready and InstanceReady differ';
  if (!isReady) return;
  if (!isTrue('TargetReady')) yield 'it is ready though its target is not';
  const installed = stringAt(response.desired.composite, 'status', 'installedVersion');
  const wanted = stringAt(composite?.resource, 'spec', 'version');
  if (installed !== wanted) yield `it is ready with ${installed} installed and ${wanted} wanted`;
};

const nothingIsDeleted: Rule = function* (_, { desired }) {
  for (const [key, { resource }] of desired.resources) {
    if (!['Release', 'Object'].includes(stringAt(resource, 'kind') ?? '')) continue;
    const policies = listAt(resource, 'spec', 'managementPolicies').join();
    const wanted = key === 'target-probe' ? 'Observe' : 'Observe,Create,Update';
    if (policies !== wanted) yield `${key} has management policies ${policies || 'of the default'}`;
  }
};

const bytesCanBeWritten: Rule = function* (_, response) {
  if (encodeResponse(response).length > 1024 * 1024) yield 'the answer is large';
};

const crd = new URL('../../../crds/platforminstances.platform.di-framework.dev.yaml', import.meta.url);
const judge = judgeOf(parse(readFileSync(crd, 'utf8')));
const VALID_SPEC: JsonObject = { version: '6.0.22', target: { type: 'vcluster' } };

const statusFitsTheSchema: Rule = function* (_, { desired }) {
  const status = objectAt(desired.composite, 'status');
  if (status === undefined) return;
  const { other: _other, ...ours } = status;
  const { issues, stored } = judge({
    apiVersion: 'platform.di-framework.dev/v1alpha1',
    kind: 'PlatformInstance',
    metadata: { name: 'blue', namespace: 'team-a' },
    spec: structuredClone(VALID_SPEC),
    status: structuredClone(ours),
  });
  yield* issues.map(({ path, message }) => `${path} ${message}`);
  if (sortedJson(stored['status'] ?? {}) !== sortedJson(ours)) yield `the schema drops a part of ${sortedJson(ours)}`;
};

function sortedJson(value: Json): string {
  return JSON.stringify(value, (_, item) =>
    isObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
  );
}

const ALWAYS: readonly Rule[] = [
  observedKeysStay,
  earlierStepsStay,
  ttlIsWhole,
  readinessIsExplicit,
  conditionsAreWhole,
  resultsAreSentences,
  resourcesAreOurs,
  nothingOfTools,
  readyMeansReady,
  nothingIsDeleted,
  bytesCanBeWritten,
  statusFitsTheSchema,
];

/** Fields that the user's own words fill: Helm values may hold anything. */
const OPEN = new Set(['values']);

/** What holds unless something malformed was observed, which is then given back as it is. */
const isClean: Rule = function* (_, { desired }) {
  for (const [key, { resource }] of desired.resources) {
    for (const found of blemishes(resource, key)) yield found;
  }
};

/** Others write these back empty: the Pulumi operator resources of a container, the API server selectors of a policy. */
const EMPTY_ALLOWED = /^platform-stack\..*\.resources$|^owner-service-policy\..*\.(namespace|object)Selector$/;

function* blemishes(value: Json | undefined, path: string): Generator<string> {
  if (value === null || value === undefined) yield `${path} is ${value}`;
  else if (typeof value === 'number' && !Number.isFinite(value)) yield `${path} is ${value}`;
  else if (typeof value === 'string' && /undefined|\[object|NaN/.test(value) && !path.includes('index')) {
    yield `${path} reads ${value}`;
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* blemishes(item, `${path}[${index}]`);
  } else if (isObject(value)) {
    if (Object.keys(value).length === 0 && !EMPTY_ALLOWED.test(path)) yield `${path} is empty`;
    for (const [name, item] of Object.entries(value)) {
      if (!OPEN.has(name)) yield* blemishes(item, `${path}.${name}`);
    }
  }
}

function broken(rules: readonly Rule[], request: RunFunctionRequest, response: RunFunctionResponse): string[] {
  return rules.flatMap((rule) => [...rule(request, response)]);
}

export function brokenPromises(request: RunFunctionRequest, response: RunFunctionResponse): readonly string[] {
  return broken(ALWAYS, request, response);
}

export function brokenCleanPromises(request: RunFunctionRequest, response: RunFunctionResponse): readonly string[] {
  return broken([...ALWAYS, isClean], request, response);
}
