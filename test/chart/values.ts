import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv } from 'ajv';
import type { JsonObject } from '../../function/json.ts';

const SCHEMA = resolve(import.meta.dirname, '../fixtures/chart-values.schema.json');

/** allErrors is for tests: schema and values are ours, so a long list costs nothing. */
const validate = new Ajv({ allErrors: true, strictTypes: false }).compile(JSON.parse(readFileSync(SCHEMA, 'utf8')));

/** What the chart's closed schema, or a control plane at its start, would refuse; empty for good values. */
export function chartValueProblems(values: JsonObject): string[] {
  if (validate(values)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    `${instancePath} ${message} ${JSON.stringify(params)}`.trim(),
  );
}
