import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { JsonObject } from '../../function/json.ts';
import { CASES } from '../api/cases.ts';
import { toolFolder } from '../tools/build.mjs';
import { manifestsOf, parseManifests, root } from './plane/manifests.ts';

const examples = readdirSync(join(root, 'examples')).filter((name) =>
  existsSync(join(root, 'examples', name, 'xr.yaml')),
);

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'validate-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Outcome {
  readonly status: number | null;
  readonly output: string;
}

/** `crossplane resource validate`, offline, with our XRD and the providers' definitions; a kind without schema is an error. */
function validate(resources: readonly JsonObject[]): Outcome {
  const file = join(mkdtempSync(join(folder, 'run-')), 'resources.yaml');
  writeFileSync(file, resources.map((resource) => `---\n${stringify(resource)}`).join(''));
  const definitions = [
    join(root, 'package/configuration/definition.yaml'),
    join(toolFolder('provider-helm'), 'crds'),
    join(toolFolder('provider-kubernetes'), 'crds'),
    join(root, 'test/e2e/crds'),
  ].join(',');
  const flags = ['--crossplane-image=', `--cache-dir=${join(folder, 'cache')}`, '--error-on-missing-schemas'];
  const cli = join(toolFolder('crossplane-cli'), 'bin/crossplane');
  const { status, stdout, stderr } = spawnSync(cli, ['resource', 'validate', definitions, file, ...flags], {
    encoding: 'utf8',
  });
  return { status, output: `${stdout}${stderr}` };
}

function preview(xr: string): JsonObject[] {
  const required = join(xr, '../required');
  const hasFiles = existsSync(required) && readdirSync(required).some((name) => name.endsWith('.yaml'));
  const flags = hasFiles ? ['--required', required] : [];
  const { stdout } = spawnSync(process.execPath, [join(root, 'dist/main.js'), 'preview', xr, ...flags], {
    encoding: 'utf8',
  });
  return parseManifests(stdout).filter(({ kind }) => kind !== 'Result');
}

describe.each(examples)('crossplane resource validate of example %s', (name) => {
  it('accepts the instance and everything that it composes', () => {
    const xr = join(root, 'examples', name, 'xr.yaml');
    const [instance = {}] = manifestsOf(xr);
    const [shown = {}, ...composed] = preview(xr);
    expect(composed.length).toBe(11);
    const { status, output } = validate([instance, { ...instance, status: shown['status'] ?? {} }, ...composed]);
    expect(output).toContain('0 missing schemas, 13 success cases, 0 failure cases');
    expect(status).toBe(0);
  });
});

describe('crossplane resource validate', () => {
  // It applies no transition rules, does not look at the keys of list maps, and knows the definition as it is.
  const created = CASES.filter(
    (entry) => entry.old === undefined && entry.secondTargetType === undefined && !entry.name.includes('twice'),
  );

  it.each(
    created
      .filter((entry) => entry.verdict === 'refuse' && !entry.object['status'])
      .filter((_, index) => index % 12 === 0),
  )('refuses $name', ({ object }) => {
    const { status, output } = validate([object]);
    expect(output).toContain('1 failure cases');
    expect(status).not.toBe(0);
  });

  it('[A03] says that a name must be at most 63 characters', () => {
    const object = created.find(({ id, verdict }) => id === 'A03' && verdict === 'refuse')?.object ?? {};
    expect(validate([object]).output).toContain('name must be at most 63 characters');
  });

  it('[A31] accepts the largest object', () => {
    const largest = created.filter(({ id, verdict }) => id === 'A31' && verdict === 'accept');
    expect(largest.length).toBeGreaterThan(0);
    for (const { object } of largest) expect(validate([object]).output).toContain('1 success cases, 0 failure cases');
  });
});
