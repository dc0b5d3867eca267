import { evaluate } from '@marcbachmann/cel-js';
import { Ajv, type ErrorObject } from 'ajv';
import type { Issue } from '../../function/api/issues.ts';
import { at, isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../function/json.ts';

/** What the API server does with an object of a CustomResourceDefinition, as far as schemas say it. */
export interface Judgement {
  readonly issues: readonly Issue[];
  /** pruned and with its defaults */
  readonly stored: JsonObject;
  /** the rules in CEL were asked */
  readonly rulesAsked: boolean;
}

export type Judge = (object: JsonObject, old?: JsonObject) => Judgement;

/** After such a violation the API server asks no rules. */
const BLOCKING = new Set(['required', 'type', 'enum', 'maxLength', 'maxItems']);

export function judgeOf(definition: JsonObject): Judge {
  const schema = objectAt(listAt(definition, 'spec', 'versions')[0], 'schema', 'openAPIV3Schema') ?? {};
  const ajv = new Ajv({
    allErrors: true,
    strict: false,
    verbose: true,
    // Go's \s is ASCII.
    code: {
      regExp: Object.assign((source: string, flags: string) => new RegExp(asciiSpaces(source), flags), { code: '' }),
    },
    formats: {
      int32: { type: 'number', validate: (value) => Math.abs(value) <= 2 ** 31 },
      int64: { type: 'number', validate: (value) => Math.abs(value) <= 2 ** 63 },
      'date-time': /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/,
    },
  });
  const validate = ajv.compile(schema);
  return (object, old) => {
    const stored = settled(schema, structuredClone(object));
    const errors = validate(stored) ? [] : (validate.errors ?? []);
    const rulesAsked = !errors.some(({ keyword }) => BLOCKING.has(keyword));
    const before = old === undefined ? undefined : settled(schema, structuredClone(old));
    const issues = [
      ...errors.map(issueOf),
      ...duplicates(schema, stored, ''),
      ...(rulesAsked ? broken(schema, stored, before, '') : []),
    ];
    return { stored: isObject(stored) ? stored : {}, issues, rulesAsked };
  };
}

function asciiSpaces(source: string): string {
  return source.replaceAll('\\s', '\\t\\n\\f\\r ');
}

function issueOf({ instancePath, keyword, message = '', params }: ErrorObject): Issue {
  const missing = keyword === 'required' ? `/${params['missingProperty']}` : '';
  const steps = `${instancePath}${missing}`.split('/').slice(1);
  const path = steps.reduce((text, step) => child(text, /^\d+$/.test(step) ? Number(step) : step), '');
  return { path, message };
}

function child(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`;
  return path === '' ? step : `${path}.${step}`;
}

function properties(schema: JsonObject): [string, JsonObject][] {
  return Object.entries(objectAt(schema, 'properties') ?? {}).filter((entry): entry is [string, JsonObject] =>
    isObject(entry[1]),
  );
}

/** Metadata is not pruned by the schema. */
function isOpen(schema: JsonObject): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true || schema['properties'] === undefined;
}

/** Without nulls and unknown fields, with defaults. */
function settled(schema: JsonObject, value: Json): Json {
  const items = objectAt(schema, 'items');
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => settled(items, item));
  if (!isObject(value) || isOpen(schema)) return value;
  const known = properties(schema);
  const kept = known.flatMap(([name, property]) => {
    const present = at(value, name) ?? property['default'];
    if (present === undefined) return [];
    return [[name, name === 'metadata' ? present : settled(property, present)] as const];
  });
  return Object.fromEntries(kept);
}

function* duplicates(schema: JsonObject, value: Json | undefined, path: string): Generator<Issue> {
  const keys = listAt(schema, 'x-kubernetes-list-map-keys').map(String);
  const items = objectAt(schema, 'items');
  if (Array.isArray(value) && items !== undefined) {
    const seen = new Set<string>();
    for (const [index, item] of value.entries()) {
      const values = keys.map((name) => at(item, name));
      const key = JSON.stringify(values);
      const keyed = values.length > 0 && !values.includes(undefined);
      if (keyed && seen.has(key)) yield { path: `${path}[${index}]`, message: 'Duplicate value' };
      seen.add(key);
      yield* duplicates(items, item, `${path}[${index}]`);
    }
  }
  if (!isObject(value)) return;
  for (const [name, property] of properties(schema)) yield* duplicates(property, at(value, name), child(path, name));
}

/** CEL rules. One that speaks of oldSelf is asked only where the old object has the same field. */
function* broken(schema: JsonObject, self: Json | undefined, old: Json | undefined, path: string): Generator<Issue> {
  if (self === undefined) return;
  for (const validation of listAt(schema, 'x-kubernetes-validations')) {
    const rule = stringAt(validation, 'rule') ?? '';
    const transition = /\boldSelf\b/.test(rule);
    if (transition && old === undefined) continue;
    if (evaluate(rule, { self, ...(old !== undefined && { oldSelf: old }) }) === true) continue;
    yield { path: `${path}${stringAt(validation, 'fieldPath') ?? ''}`, message: stringAt(validation, 'message') ?? '' };
  }
  for (const [name, property] of properties(schema)) {
    yield* broken(property, at(self, name), at(old, name), child(path, name));
  }
  const items = objectAt(schema, 'items');
  if (items === undefined || !Array.isArray(self)) return;
  for (const [index, item] of self.entries()) yield* broken(items, item, undefined, `${path}[${index}]`);
}
