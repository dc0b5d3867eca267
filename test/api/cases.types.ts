import type { JsonObject } from '../../function/json.ts';

/** One object, or one update, and what must become of it. */
export interface ApiCase {
  /** row of conformance.tsv */
  readonly id: string;
  /** what is special about it */
  readonly name: string;
  /** the whole object, as a user would apply it */
  readonly object: JsonObject;
  /** the live object that it updates; without it, the object is created */
  readonly old?: JsonObject;
  /** what the API server does */
  readonly verdict: 'accept' | 'refuse';
  /**
   * Of a refused object: the one field that the API server names, and words that its message has. For a number that is no
   * integer it adds a complaint that names no field.
   */
  readonly path?: string;
  readonly message?: string;
  /** of an accepted object: its spec or its status once it is stored */
  readonly stored?: { readonly spec?: JsonObject; readonly status?: JsonObject };
  /** where the function answers otherwise than the API server, which sees less or names less */
  readonly function?: { readonly verdict?: 'refuse'; readonly path?: string; readonly message?: string };
  /** asked of a copy of the definition whose target.type also takes this value */
  readonly secondTargetType?: string;
}

/** The smallest spec that is accepted. */
export const SPEC: JsonObject = { version: '6.0.22', target: { type: 'vcluster' } };

export function instance(spec: JsonObject, name = 'demo'): JsonObject {
  return {
    apiVersion: 'platform.di-framework.dev/v1alpha1',
    kind: 'PlatformInstance',
    metadata: { name, namespace: 'team-a' },
    spec,
  };
}

export function withPlatform(platform: JsonObject): JsonObject {
  return instance({ ...SPEC, platform });
}

type Rest = Omit<ApiCase, 'id' | 'name' | 'object' | 'verdict' | 'path'>;

export function accepted(id: string, name: string, object: JsonObject, rest: Rest = {}): ApiCase {
  return { id, name, object, verdict: 'accept', ...rest };
}

export function refused(id: string, name: string, path: string, object: JsonObject, rest: Rest = {}): ApiCase {
  return { id, name, object, verdict: 'refuse', path, ...rest };
}

/** A value as a test title shows it. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 48 ? `${text.slice(0, 32)}... (${text.length})` : text;
}

/** One case per value of a field; `object` puts the value in its place. */
export function each(
  id: string,
  path: string,
  object: (value: never) => JsonObject,
  values: { readonly accept: readonly unknown[]; readonly refuse: readonly unknown[] },
): ApiCase[] {
  const make = object as (value: unknown) => JsonObject;
  return [
    ...values.accept.map((value) => accepted(id, `${path}: ${shown(value)}`, make(value))),
    ...values.refuse.map((value) => refused(id, `${path}: ${shown(value)}`, path, make(value))),
  ];
}

/** Both ends of an integer's bounds, what lies just beyond, and what is no integer. */
export function integerBounds(
  id: string,
  path: string,
  [min, max]: readonly [number, number],
  object: (value: never) => JsonObject,
): ApiCase[] {
  return each(id, path, object, { accept: [min, max], refuse: [min - 1, max + 1, min + 0.5, String(min), true] });
}

export const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;

/** Characters that are one for the API server and two for JavaScript. */
export const WIDE = '\u{1f30d}';
