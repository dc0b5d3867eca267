import type * as z from 'zod/mini';
import { isObject, type Json, type JsonObject } from '../json.ts';
import type { FieldPath } from './fields.ts';
import { spec } from './instance.spec.ts';
import type { Issue } from './issues.ts';
import { formatPath } from './read.ts';

const ROOT = new Set(['apiVersion', 'kind', 'metadata', 'spec', 'status']);
/** Crossplane's own part of a spec. */
const CROSSPLANE = 'crossplane';

/**
 * Fields that an instance does not have. The API server drops them without a word where nobody asks it to validate them,
 * and a misspelled deletionPolicy is then the default one.
 */
export function unknownFields(instance: JsonObject): readonly Issue[] {
  const strangers = Object.keys(instance).filter((key) => !ROOT.has(key));
  const { [CROSSPLANE]: _, ...own } = isObject(instance['spec']) ? instance['spec'] : {};
  const paths = [...strangers.map((key) => [key]), ...unknownIn(spec, own, ['spec'])];
  return paths.map((path) => ({ path: formatPath(path), message: 'is no field of a PlatformInstance' }));
}

function unknownIn(schema: z.core.$ZodType, value: Json, at: FieldPath): readonly FieldPath[] {
  const { def } = schema._zod;
  if ('innerType' in def) return unknownIn(def.innerType as z.core.$ZodType, value, at);
  if ('element' in def && Array.isArray(value)) {
    return value.flatMap((item, index) => unknownIn(def.element as z.core.$ZodType, item, [...at, index]));
  }
  if (!('shape' in def) || !isObject(value)) return [];
  const shape = def.shape as Readonly<Record<string, z.core.$ZodType>>;
  return Object.entries(value).flatMap(([key, below]) => {
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
    return field === undefined ? [[...at, key]] : unknownIn(field, below, [...at, key]);
  });
}
