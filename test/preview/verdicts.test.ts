import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { readInputs } from '../../function/preview/inputs.ts';
import { CASES } from '../api/cases.ts';
import { preview } from './preview.ts';

const folder = mkdtempSync(join(tmpdir(), 'verdicts-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What preview reads of a file, without the start of a process for each of hundreds. */
function problemsOf(content: string): readonly { readonly path: string; readonly document?: number }[] {
  const instance = join(folder, 'xr.yaml');
  writeFileSync(instance, content);
  const inputs = readInputs({ instance, observed: [], required: [], settings: undefined, schemas: undefined });
  return 'problems' in inputs ? inputs.problems : [];
}

const cases = CASES.filter((item) => item.old === undefined && item.id !== 'A29');

describe('[A32] an instance in a preview', () => {
  test.each(cases.map((item) => [`${item.id} ${item.verdict}s ${item.name}`, item] as const))('%s', (_, item) => {
    const { verdict = item.verdict, path = item.path } = item.function ?? {};
    const told = problemsOf(stringify(item.object)).map((problem) => [problem.document, problem.path]);
    const distinct = [...new Set(told.map((each) => JSON.stringify(each)))].map((each) => JSON.parse(each));
    expect(distinct).toEqual(verdict === 'accept' ? [] : [[1, path]]);
  });

  test('every tenth refusal is that of the program too', async () => {
    const refused = cases.filter((item) => item.verdict === 'refuse').filter((_, index) => index % 10 === 0);
    for (const item of refused) {
      const { code, said } = await preview({ 'xr.yaml': JSON.stringify(item.object) }, '{xr.yaml}');
      const path = item.function?.path ?? item.path ?? '';
      expect(said.join('\n')).toContain(`xr.yaml: document 1: ${path}: `);
      expect(code).toBe(1);
    }
  });
});
