import type { Platform, PlatformInstanceSpec } from '../../api/instance.ts';
import { shortHash } from '../../hash.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import { canonicalJson } from '../canonical.ts';

/** What the user's spec asks to be installed. */
export interface Wanted {
  readonly version: string;
  /** hash of the platform settings: equal settings, equal hash, whatever the function renders from them */
  readonly hash: string;
  readonly tenants: number;
  readonly users: number;
  readonly issuer: string | undefined;
}

export function wanted(spec: PlatformInstanceSpec): Wanted {
  const platform = spec.platform;
  return {
    version: spec.version,
    hash: settingsHash(platform),
    tenants: platform?.tenants?.length ?? 0,
    users: platform?.users?.length ?? 0,
    issuer: platform?.tenantAuth?.issuer,
  };
}

/** Whether a change of a field of the platform starts a run. A field has its place here before it compiles. */
const STARTS_RUN: { readonly [field in keyof Required<Platform>]: boolean } = {
  networkPolicyEngine: true,
  // fixed at creation
  storageRoot: false,
  gateway: true,
  tenants: true,
  users: true,
  tenantAuth: true,
  tenantHostImage: true,
  tenantHostImagePullPolicy: true,
};

/** Settings that mean the same hash the same: a default written out or left out, map lists in any order. */
export function settingsHash(platform: Platform | undefined): string {
  const settings: JsonObject = JSON.parse(JSON.stringify(platform ?? {})) as JsonObject;
  for (const [field, starts] of Object.entries(STARTS_RUN)) if (!starts) delete settings[field];
  settings['networkPolicyEngine'] ??= 'existing';
  const gateway = isObject(settings['gateway']) ? settings['gateway'] : {};
  settings['gateway'] = { httpNodePort: 0, ...gateway };
  return shortHash(canonicalJson(withoutEmpties(settings)), 16);
}

/** Lists whose entries have a key of their own are maps to the API server: their order says nothing. */
const LIST_KEYS = ['name', 'tenant'] as const;

function withoutEmpties(value: Json): Json {
  if (Array.isArray(value)) return byKey(value.map(withoutEmpties));
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, entry] of Object.entries(value)) {
    const kept = withoutEmpties(entry);
    if (Array.isArray(kept) && kept.length === 0) continue;
    result[key] = kept;
  }
  return result;
}

function byKey(list: Json[]): Json[] {
  const key = LIST_KEYS.find((name) => list.every((entry) => isObject(entry) && typeof entry[name] === 'string'));
  if (key === undefined) return list;
  const keyOf = (entry: Json): string => (isObject(entry) ? String(entry[key]) : '');
  return list.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
