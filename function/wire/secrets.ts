import { isObject, type Json, type JsonObject } from '../json.ts';

/** Keys of a Struct at which the decoder stops to look, as bits. */
export const Mark = {
  None: 0,
  Prototype: 1,
  Kind: 2,
  SecretData: 4,
  Metadata: 8,
  ManagedFields: 16,
  LastApplied: 32,
} as const;

const MARKS: ReadonlyMap<string, number> = new Map([
  ['__proto__', Mark.Prototype],
  ['kind', Mark.Kind],
  ['data', Mark.SecretData],
  ['stringData', Mark.SecretData],
  ['metadata', Mark.Metadata],
  ['managedFields', Mark.ManagedFields],
  // kubectl apply keeps the whole object here, values of a Secret included.
  ['kubectl.kubernetes.io/last-applied-configuration', Mark.LastApplied],
]);

export function markOf(key: string): number {
  return MARKS.get(key) ?? Mark.None;
}

/** Key -> whether its value is non-empty, in place of the values of a Secret or of each item of a SecretList. */
export function dropSecretValues(object: JsonObject): void {
  if (object['kind'] === 'Secret') dropValues(object);
  // The API server leaves kind out of the items of a typed list.
  else if (object['kind'] === 'SecretList' && Array.isArray(object['items'])) {
    for (const item of object['items']) if (isObject(item)) dropValues(item);
  }
}

function dropValues(secret: JsonObject): void {
  for (const field of ['data', 'stringData']) {
    const values = secret[field];
    if (values !== undefined) secret[field] = isObject(values) ? presence(values) : isNonEmpty(values);
  }
}

function presence(values: JsonObject): JsonObject {
  const present: JsonObject = {};
  for (const [key, value] of Object.entries(values)) assign(present, key, isNonEmpty(value));
  return present;
}

function isNonEmpty(value: Json): boolean {
  if (typeof value === 'boolean') return value;
  return value !== null && value !== '';
}

/** Assignment that treats `__proto__` as a key like any other. */
export function assign(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else object[key] = value;
}
