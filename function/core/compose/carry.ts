import { at, isObject, type Json, type JsonObject } from '../../json.ts';
import { Annotation, Key, Label } from '../keys.ts';
import { OBSERVE_POLICIES, ORPHAN_POLICIES } from './object.ts';

/** What the function sets on each kind; the same paths are repeated when a resource is carried as observed. */
const SPEC_PATHS: { readonly [kind: string]: readonly (readonly string[])[] } = {
  Release: [
    ['spec', 'forProvider', 'chart'],
    ['spec', 'forProvider', 'namespace'],
    ['spec', 'forProvider', 'skipCreateNamespace'],
    ['spec', 'forProvider', 'wait'],
    ['spec', 'forProvider', 'values'],
    ['spec', 'connectionDetails'],
    ['spec', 'writeConnectionSecretToRef'],
    ['spec', 'providerConfigRef'],
    ['spec', 'rollbackLimit'],
  ],
  Object: [
    ['spec', 'forProvider', 'manifest'],
    ['spec', 'readiness'],
    ['spec', 'providerConfigRef'],
  ],
  ProviderConfig: [['spec', 'credentials']],
  ConfigMap: [['data']],
  ServiceAccount: [],
  Stack: [['spec']],
};

/** Kinds that delete the real thing with them unless their management policies say otherwise. */
const MANAGED: ReadonlySet<unknown> = new Set(['Release', 'Object']);

const ANNOTATIONS = new Set<string>(Object.values(Annotation));
const LABELS = new Set<string>(Object.values(Label));

/** An observed resource as the function desires it: what it sets itself, and nothing that others write. */
export function carry(key: Key, observed: JsonObject): JsonObject {
  const result: JsonObject = {
    apiVersion: observed['apiVersion'] ?? '',
    kind: observed['kind'] ?? '',
    metadata: carriedMetadata(observed),
  };
  for (const path of SPEC_PATHS[String(observed['kind'])] ?? [['spec']]) {
    const value = at(observed, ...path);
    if (value !== undefined && value !== null) put(result, path, structuredClone(value));
  }
  if (MANAGED.has(observed['kind'])) {
    // Never as observed: somebody may have opened them by hand.
    const policies = key === Key.TargetProbe ? OBSERVE_POLICIES : ORPHAN_POLICIES;
    put(result, ['spec', 'managementPolicies'], [...policies]);
  }
  return result;
}

function carriedMetadata(observed: JsonObject): JsonObject {
  const metadata: JsonObject = {};
  for (const field of ['name', 'namespace']) {
    const value = at(observed, 'metadata', field);
    if (value !== undefined) metadata[field] = value;
  }
  const labels = picked(at(observed, 'metadata', 'labels'), LABELS);
  const annotations = picked(at(observed, 'metadata', 'annotations'), ANNOTATIONS);
  if (labels !== undefined) metadata['labels'] = labels;
  if (annotations !== undefined) metadata['annotations'] = annotations;
  return metadata;
}

function picked(map: Json | undefined, names: ReadonlySet<string>): JsonObject | undefined {
  if (!isObject(map)) return undefined;
  const entries = Object.entries(map).filter(([name]) => names.has(name));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function put(target: JsonObject, path: readonly string[], value: Json): void {
  const [first, ...rest] = path;
  if (first === undefined) return;
  if (rest.length === 0) {
    target[first] = value;
    return;
  }
  const next = target[first];
  const below = isObject(next) ? next : {};
  target[first] = below;
  put(below, rest, value);
}
