import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readInstance } from '../../function/api/instance.ts';
import type { Issue } from '../../function/api/issues.ts';
import type { JsonObject } from '../../function/json.ts';
import { type ApiCase, CASES } from './cases.ts';
import { type Judge, judgeOf } from './judge.ts';

const CRD = new URL('../../crds/platforminstances.platform.di-framework.dev.yaml', import.meta.url);
const definition = (): JsonObject => parse(readFileSync(CRD, 'utf8'));
const judge = judgeOf(definition());

function judgeFor({ secondTargetType }: ApiCase): Judge {
  if (secondTargetType === undefined) return judge;
  const copy = definition();
  const text = JSON.stringify(copy).replace('["vcluster"]', JSON.stringify(['vcluster', secondTargetType]));
  return judgeOf(JSON.parse(text));
}

/** Rows whose whole promise only a real API server shows do not carry their id in brackets here. */
const SHOWN_ELSEWHERE = new Set(['A03', 'A31']);
const title = ({ id, name, verdict }: ApiCase) => `${SHOWN_ELSEWHERE.has(id) ? id : `[${id}]`} ${verdict}s ${name}`;
const titled = (cases: readonly ApiCase[]) => cases.map((item) => [title(item), item] as const);

function paths(issues: readonly Issue[]): string[] {
  return [...new Set(issues.map((issue) => issue.path))];
}

const creations = CASES.filter((item) => item.old === undefined && item.id !== 'A29');

describe('the generated definition', () => {
  test.each(titled(CASES))('%s', (_, item) => {
    const { issues, stored } = judgeFor(item)(item.object, item.old);
    expect(paths(issues)).toEqual(item.verdict === 'accept' ? [] : [item.path]);
    if (item.message !== undefined) expect(issues.map((issue) => issue.message)).toEqual([item.message]);
    if (item.stored !== undefined) expect(stored).toMatchObject(item.stored);
    if (item.stored?.spec !== undefined) expect(stored['spec']).toEqual(item.stored.spec);
    if (item.stored?.status !== undefined) expect(stored['status']).toEqual(item.stored.status);
  });
});

describe('the function', () => {
  test.each(titled(creations))('%s', (_, item) => {
    const parsed = readInstance(item.object);
    const issues = 'issues' in parsed ? parsed.issues : [];
    const { verdict = item.verdict, path = item.path, message = item.message } = item.function ?? {};
    expect(paths(issues)).toEqual(verdict === 'accept' ? [] : [path]);
    expect(issues.every((issue) => /^[^\n]{1,200}$/.test(issue.message))).toBe(true);
    if (message !== undefined) expect(issues.map((issue) => issue.message)).toEqual([message]);
    if (item.stored?.spec !== undefined) expect('value' in parsed && parsed.value.spec).toEqual(item.stored.spec);
  });
});

describe('the cases', () => {
  const ROWS = Array.from({ length: 31 }, (_, index) => `A${String(index + 3).padStart(2, '0')}`);
  const OTHERS = new Set(['A04', 'A32']);

  test('are there for every row', () => {
    const asked = new Set(CASES.map((item) => item.id));
    expect(ROWS.filter((row) => !OTHERS.has(row) && !asked.has(row))).toEqual([]);
  });
});
