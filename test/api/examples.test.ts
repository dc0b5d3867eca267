import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readInstance } from '../../function/api/instance.ts';
import { formatIssue } from '../../function/api/issues.ts';
import type { JsonObject } from '../../function/json.ts';
import { judgeOf } from './judge.ts';

const folder = fileURLToPath(new URL('../../examples', import.meta.url));
const crd = new URL('../../crds/platforminstances.platform.di-framework.dev.yaml', import.meta.url);
const judge = judgeOf(parse(readFileSync(crd, 'utf8')));
const load = (path: string): JsonObject => parse(readFileSync(`${folder}/${path}`, 'utf8'));
const examples = readdirSync(folder).filter((name) => existsSync(`${folder}/${name}/xr.yaml`));

describe('the examples', () => {
  test('are there', () => {
    expect(examples).toEqual(expect.arrayContaining(['minimal', 'retain', 'tenant-auth', 'tenants']));
  });

  test.each(examples)('%s is an instance that the API server takes as it is written', (name) => {
    const example = load(`${name}/xr.yaml`);
    const parsed = readInstance(example);
    expect('issues' in parsed ? parsed.issues.map(formatIssue) : []).toEqual([]);
    const { issues, stored } = judge(example);
    expect(issues).toEqual([]);
    expect(stored).toMatchObject(example);
  });

  test('tenant-auth comes with a Secret that has the key it names', () => {
    const example = readInstance(load('tenant-auth/xr.yaml'));
    const reference = 'value' in example ? example.value.spec.platform?.tenantAuth?.clientSecretRef : undefined;
    expect(load('tenant-auth/required/secret.yaml')).toMatchObject({
      kind: 'Secret',
      metadata: { name: reference?.name, namespace: 'team-a' },
      data: { [reference?.key ?? '']: expect.stringMatching(/./) },
    });
  });
});
