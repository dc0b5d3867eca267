import { isObject, type Json, type JsonObject } from '../json.ts';

/** JSON text with sorted keys: the same value always gives the same text. */
export function canonicalJson(value: Json): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key] ?? null)]),
  );
}

/** An optional part of an object literal: `...optional('size', size)` adds nothing when the value is undefined. */
export function optional(key: string, value: Json | undefined): JsonObject {
  return value === undefined ? {} : { [key]: value };
}

/** A copy of a list or an object; undefined when there is nothing in it. */
export function filled(value: object): Json | undefined {
  return Object.keys(value).length === 0 ? undefined : (structuredClone(value) as Json);
}

/** `over` laid upon `under`, object by object; any other value of `over` replaces. */
export function merged(under: JsonObject, over: JsonObject): JsonObject {
  const result: JsonObject = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = Object.hasOwn(result, key) ? result[key] : undefined;
    setOwn(result, key, isObject(below) && isObject(value) ? merged(below, value) : value);
  }
  return result;
}

/** Assignment that treats `__proto__` as a key like any other. */
function setOwn(target: JsonObject, key: string, value: Json): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
