import * as z from 'zod/mini';
import { isObject, type Json } from '../json.ts';
import type { FieldPath } from './fields.ts';
import type { Issue, Parsed } from './issues.ts';

/** Reads a value by a schema: the typed value with its defaults, or every violation at once. */
export function read<T extends z.ZodMiniType>(schema: T, value: unknown, at: FieldPath = []): Parsed<z.output<T>> {
  const result = z.safeParse(schema, value, { error: message });
  if (result.success) return { value: result.data };
  return { issues: result.error.issues.flatMap((issue) => issuesOf(issue, at)) };
}

function issuesOf(issue: z.core.$ZodIssue, at: FieldPath): Issue[] {
  const path = [...at, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))];
  if (issue.code !== 'unrecognized_keys') return [{ path: formatPath(path), message: issue.message }];
  return issue.keys.map((key) => ({ path: formatPath([...path, key]), message: issue.message }));
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'must be a string',
  number: 'must be an integer',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  record: 'must be an object',
};

function message(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') return 'is no field of these settings';
  if (issue.code === 'custom') return undefined;
  if (issue.input === undefined) return 'is required';
  if (issue.code === 'invalid_type') return EXPECTED[issue.expected];
  return issue.code === 'invalid_value' ? mustBe(issue.values.map(String)) : undefined;
}

function mustBe(values: readonly string[]): string {
  return values.length === 1 ? `must be ${values.join()}` : `must be one of ${values.join(', ')}`;
}

/** `spec.platform.tenants[2].name`, with keys that are no field names in brackets, as the API server writes paths. */
export function formatPath(path: FieldPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number' || !/^[A-Za-z_]\w*$/.test(step)) return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

/** Deeper than any field of ours. */
const DEPTH = 12;

/**
 * The API server drops a field that is null before it sets defaults and validates. Entries of lists stay.
 * Source: apiextensions-apiserver, structural defaulting of non-nullable fields.
 */
export function withoutNulls(value: Json): Json {
  return hasNulls(value, DEPTH) ? dropped(value, DEPTH) : value;
}

function hasNulls(value: Json, depth: number): boolean {
  if (depth === 0 || typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => hasNulls(item, depth - 1));
  return Object.values(value).some((item) => item === null || hasNulls(item, depth - 1));
}

function dropped(value: Json, depth: number): Json {
  if (depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => dropped(item, depth - 1));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(kept.map(([key, item]) => [key, dropped(item, depth - 1)]));
}
