import { isObject, type Json, type JsonObject } from '../../../function/json.ts';

/** RFC 7386, as the API server merges. */
export function merge(target: JsonObject, change: JsonObject): void {
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete target[name];
    else if (isObject(value)) {
      const below: Json | undefined = target[name];
      const next = isObject(below) ? below : {};
      target[name] = next;
      merge(next, value);
    } else target[name] = structuredClone(value);
  }
}
