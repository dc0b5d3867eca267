import * as z from 'zod/mini';
import type { JsonObject } from '../json.ts';
import { codePoints, goExpression } from './patterns.ts';

/** Schema keywords that go into the generated files beside what zod writes by itself. */
export const keywords = z.registry<JsonObject>();

function withKeywords<T extends z.ZodMiniType>(schema: T, added: JsonObject): T {
  keywords.add(schema, added);
  return schema;
}

export interface TextBounds {
  readonly min?: number;
  readonly max?: number;
  /** in Go's syntax, as it stands in the generated schema */
  readonly pattern?: string;
  /** what no schema can say: a complaint about the value, or undefined */
  readonly valid?: (value: string) => string | undefined;
}

/** A string whose length counts characters as the API server does, not UTF-16 units. */
export function text(description: string, bounds: TextBounds = {}) {
  const { min, max, pattern, valid } = bounds;
  const expression = pattern === undefined ? undefined : goExpression(pattern);
  const schema = z.string().check(({ value, issues }) => {
    // There are never more characters than units, so counting is rarely needed.
    const isLonger = max !== undefined && value.length > max && codePoints(value) > max;
    const complain = (message: string) => issues.push({ code: 'custom', input: value, message });
    // A pattern may take long over a long text.
    if (isLonger) return void complain(`must be at most ${max} characters`);
    if (min !== undefined && codePoints(value) < min)
      complain(`must be at least ${min} character${min === 1 ? '' : 's'}`);
    const trouble = valid?.(value) ?? (expression?.test(value) === false ? `must match ${pattern}` : undefined);
    if (trouble !== undefined) complain(trouble);
  });
  return withKeywords(schema, {
    description,
    ...(min !== undefined && { minLength: min }),
    ...(max !== undefined && { maxLength: max }),
    ...(pattern !== undefined && { pattern }),
  });
}

export interface IntegerBounds {
  readonly min?: number;
  readonly max?: number;
}

const INT32 = 2 ** 31;

export function int32(description: string, bounds: IntegerBounds = {}) {
  const { min = -INT32, max = INT32 - 1 } = bounds;
  return withKeywords(integer(min, max, ''), {
    type: 'integer',
    format: 'int32',
    description,
    minimum: min,
    maximum: max,
  });
}

/**
 * The API server keeps 64 bits, but a number travels to functions as a double (google.protobuf.Value): beyond 2^53-1 it
 * is another number when it arrives, so those are refused here although the generated schema lets them pass.
 */
export function int64(description: string, bounds: { readonly min?: number } = {}) {
  const { min = Number.MIN_SAFE_INTEGER } = bounds;
  const schema = integer(min, Number.MAX_SAFE_INTEGER, ': larger numbers are rounded on their way here');
  const minimum = bounds.min === undefined ? {} : { minimum: bounds.min };
  return withKeywords(schema, { type: 'integer', format: 'int64', description, ...minimum });
}

function integer(min: number, max: number, why: string) {
  return z.number().check(({ value, issues }) => {
    const complain = (message: string) => issues.push({ code: 'custom', input: value, message });
    if (!Number.isInteger(value)) complain('must be an integer');
    else if (value < min) complain(`must be at least ${min}`);
    else if (value > max) complain(`must be at most ${max}${why}`);
  });
}

export function flag(description: string) {
  return withKeywords(z.boolean(), { description });
}

/** A time as RFC 3339 writes it. */
export function time(description: string) {
  return withKeywords(z.string(), { format: 'date-time', description });
}

export function choice<const T extends readonly string[]>(description: string, values: T) {
  return withKeywords(z.enum(values), { description });
}

export function object<T extends z.core.$ZodShape>(description: string, shape: T, rules: readonly Rule[] = []) {
  const schema = z.object(shape).check(...rules.map(ruleCheck));
  const validations = rules.map(({ rule, message, fieldPath }) => ({ rule, message, ...(fieldPath && { fieldPath }) }));
  return withKeywords(schema, {
    description,
    ...(validations.length > 0 && { 'x-kubernetes-validations': validations }),
  });
}

/** A rule over several fields: for the API server in CEL, and the same in TypeScript where one object shows it. */
export interface Rule {
  /** in CEL; one that names oldSelf holds for updates only and has no twin */
  readonly rule: string;
  readonly message: string;
  /** the field that the API server names; without it, the object that carries the rule */
  readonly fieldPath?: string;
  /** where the rule is broken, relative to the object that carries it */
  readonly broken?: (self: JsonObject) => readonly FieldPath[];
}

export type FieldPath = readonly (string | number)[];

function ruleCheck({ message, broken }: Rule) {
  return z.check<object>(
    ({ value, issues }) => {
      for (const path of broken?.(value as JsonObject) ?? []) {
        issues.push({ code: 'custom', input: value, message, path: [...path] });
      }
    },
    // Also when a field is bad: all violations are told at once.
    { when: ({ value }) => typeof value === 'object' && value !== null },
  );
}

/** A list whose entries are told apart by one of their fields, as server-side apply merges them. */
export function listMap<T extends z.ZodMiniType>(description: string, key: string, max: number, item: T) {
  const schema = z.array(item).check(
    z.check<unknown[]>(
      ({ value, issues }) => {
        const complain = (message: string, path: FieldPath) =>
          issues.push({ code: 'custom', input: value, message, path: [...path] });
        if (value.length > max) complain(`must have at most ${max} items`, []);
        for (const index of repeated(value, key)) complain(`${key} must be unique in this list`, [index]);
      },
      { when: ({ value }) => Array.isArray(value) },
    ),
  );
  return withKeywords(schema, {
    description,
    maxItems: max,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [key],
  });
}

function* repeated(items: readonly unknown[], key: string): Generator<number> {
  const seen = new Set<unknown>();
  for (const [index, item] of items.entries()) {
    const name = (item as JsonObject | null)?.[key];
    if (name === undefined) continue;
    if (seen.has(name)) yield index;
    seen.add(name);
  }
}
