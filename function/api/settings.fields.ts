import * as z from 'zod/mini';
import { isObject, type JsonObject } from '../json.ts';
import { DURATION, parseDuration } from './durations.ts';
import { keywords, text } from './fields.ts';

/** An object that refuses fields it does not know. */
export function group<T extends z.core.$ZodShape>(description: string, shape: T) {
  const schema = z.strictObject(shape);
  keywords.add(schema, { description });
  return schema;
}

/** A field without default: undefined in the settings when it is not given. */
export function maybe<T extends z.ZodMiniType>(schema: T) {
  return z.pipe(
    z.optional(schema),
    z.transform((value) => value),
  );
}

const YEAR = '8760h';

/** A Go duration of whole seconds, read as their number. */
export function duration(description: string, standard: string, least: string) {
  const given = text(description, { pattern: DURATION, valid: (value) => durationTrouble(value, least) });
  return z.prefault(
    z.pipe(
      given,
      z.transform((value) => parseDuration(value) ?? 0),
    ),
    standard,
  );
}

function durationTrouble(value: string, least: string): string | undefined {
  const seconds = parseDuration(value);
  if (seconds === undefined) return 'must be a duration such as 90s or 1h30m';
  if (seconds < (parseDuration(least) ?? 0)) return `must be at least ${least}`;
  // Far beyond that, the times that follow from it are no dates any more.
  if (seconds > (parseDuration(YEAR) ?? 0)) return `must be at most ${YEAR}`;
  return Number.isInteger(seconds) ? undefined : 'must be whole seconds';
}

/** Part of somebody else's API, kept as it is. */
export function freeForm(description: string) {
  const schema = z.custom<JsonObject>(isObject, 'must be an object');
  keywords.add(schema, { type: 'object', description, 'x-kubernetes-preserve-unknown-fields': true });
  return schema;
}

export function list<T extends z.ZodMiniType>(description: string, item: T) {
  const schema = z.array(item);
  keywords.add(schema, { description });
  return schema;
}

export function textMap(description: string) {
  const schema = z.record(z.string(), z.string());
  keywords.add(schema, { description });
  return schema;
}

const QUANTITY = /^\d+(\.\d*)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE]\d+)?$/;
const NOT_A_QUANTITY = 'must be a quantity such as 500m or 1Gi';

/** The size of a volume. */
export function size(description: string) {
  return text(description, {
    valid: (value) => (QUANTITY.test(value) && /[1-9]/.test(value) ? undefined : 'must be a size such as 5Gi'),
  });
}

function quantities(description: string) {
  const quantity = z.custom<string | number>(isQuantity, NOT_A_QUANTITY);
  keywords.add(quantity, { 'x-kubernetes-int-or-string': true });
  const schema = z.record(
    z.string(),
    z.pipe(
      quantity,
      z.transform((value) => String(value)),
    ),
  );
  keywords.add(schema, { description });
  return schema;
}

function isQuantity(value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  return QUANTITY.test(String(value));
}

/** Requests and limits of a container. */
export function containerResources(description: string) {
  const schema = group(description, {
    requests: z.optional(quantities('What the container is given at least, by resource name.')),
    limits: z.optional(quantities('What the container may use at most, by resource name.')),
  });
  return z.pipe(
    schema,
    z.transform(({ requests, limits }): JsonObject => ({ ...(requests && { requests }), ...(limits && { limits }) })),
  );
}
