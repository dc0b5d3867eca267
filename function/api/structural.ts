import * as z from 'zod/mini';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { keywords } from './fields.ts';

/** A schema in the form that CustomResourceDefinitions take: OpenAPI v3, structural, with Kubernetes' own keywords. */
export function structural(schema: z.ZodMiniType): JsonObject {
  const written = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    reused: 'inline',
    unrepresentable: 'any',
    metadata: keywords,
  });
  return cleaned(JSON.parse(JSON.stringify(written)));
}

/** Keywords that structural schemas do not allow or that say nothing there. */
const FOREIGN = new Set(['$schema', 'propertyNames']);

function cleaned(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(
    ([keyword, value]) => !FOREIGN.has(keyword) && !saysNothing(keyword, value),
  );
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, cleanedKeyword(keyword, value)]));
}

/** Unknown fields are pruned anyway, and an empty default fills in nothing. */
function saysNothing(keyword: string, value: Json): boolean {
  if (keyword === 'additionalProperties') return value === false;
  return keyword === 'default' && (Array.isArray(value) || isObject(value)) && Object.keys(value).length === 0;
}

function cleanedKeyword(keyword: string, value: Json): Json {
  if (!isObject(value) || keyword === 'default') return value;
  if (keyword !== 'properties') return cleaned(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, schema]) => [name, isObject(schema) ? cleaned(schema) : schema]),
  );
}
