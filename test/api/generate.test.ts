import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { derivedDefinition } from '../../function/api/derived.ts';
import { generatedFiles } from '../../function/api/generate.ts';
import { at, type JsonObject, listAt, objectAt } from '../../function/json.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const DEFINITION = 'package/configuration/definition.yaml';
const CRD = 'crds/platforminstances.platform.di-framework.dev.yaml';
const SETTINGS = 'package/function/input/settings.platform.di-framework.dev.yaml';

const load = (path: string): JsonObject => parse(readFileSync(join(repository, path), 'utf8'));
const versionOf = (path: string) => listAt(load(path), 'spec', 'versions')[0];

function generate(...args: string[]) {
  const { status, stdout, stderr } = spawnSync('node', ['package/generate.mjs', ...args], {
    cwd: repository,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('the generated files', () => {
  test('are what the schemas say now', () => {
    const committed = generatedFiles().map(({ path }) => ({
      path,
      content: readFileSync(join(repository, path), 'utf8'),
    }));
    expect(committed).toEqual(generatedFiles());
    expect(committed.map(({ path }) => path)).toEqual([DEFINITION, CRD, SETTINGS]);
  });
});

describe('generate --check', () => {
  const folder = mkdtempSync(join(tmpdir(), 'generated-'));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('is silent while all files are fresh, names those that are not, and writes nothing', () => {
    for (const { path } of generatedFiles()) cpSync(join(repository, path), join(folder, path));
    expect(generate('--check', '--root', folder)).toEqual({ status: 0, stdout: '', stderr: '' });

    appendFileSync(join(folder, CRD), '# changed by hand\n');
    rmSync(join(folder, SETTINGS));
    const stale = [CRD, SETTINGS].map((path) => `${path} is stale: run npm run generate\n`).join('');
    expect(generate('--check', '--root', folder)).toEqual({ status: 1, stdout: '', stderr: stale });
    expect(generate('--check', '--root', folder).status).toBe(1);

    expect(generate('--root', folder).status).toBe(0);
    expect(generate('--check', '--root', folder).status).toBe(0);
  });
});

describe.each([DEFINITION, CRD])('%s', (path) => {
  const definition = load(path);

  test('[A01] names group, version, kind, list, plural, singular and short name', () => {
    expect(at(definition, 'metadata', 'name')).toBe('platforminstances.platform.di-framework.dev');
    expect(at(definition, 'spec', 'group')).toBe('platform.di-framework.dev');
    expect(objectAt(definition, 'spec', 'names')).toMatchObject({
      kind: 'PlatformInstance',
      listKind: 'PlatformInstanceList',
      plural: 'platforminstances',
      singular: 'platforminstance',
      shortNames: ['pi'],
    });
    expect(listAt(definition, 'spec', 'versions').map((version) => at(version, 'name'))).toEqual(['v1alpha1']);
  });

  test('[A02] is namespaced, and serves and stores its version', () => {
    expect(at(definition, 'spec', 'scope')).toBe('Namespaced');
    const stored = path === CRD ? 'storage' : 'referenceable';
    expect(versionOf(path)).toMatchObject({ served: true, [stored]: true });
  });
});

describe('the definition that Crossplane derives', () => {
  test('[A02] has the status subresource', () => {
    expect(at(versionOf(CRD), 'subresources')).toEqual({ status: {} });
  });

  test('[A04] prints version, installed version, phase and age', () => {
    const columns = listAt(versionOf(CRD), 'additionalPrinterColumns');
    const ours = columns.filter((column) =>
      ['Version', 'Installed', 'Phase', 'AGE'].includes(String(at(column, 'name'))),
    );
    expect(ours).toEqual([
      { name: 'Version', type: 'string', jsonPath: '.spec.version' },
      { name: 'Installed', type: 'string', jsonPath: '.status.installedVersion' },
      { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
      { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ]);
    expect(columns.map((column) => at(column, 'name')).slice(0, 3)).toEqual(['Version', 'Installed', 'Phase']);
  });

  test('gets only the labels and annotations that Crossplane hands on', () => {
    const definition = {
      metadata: { name: 'x.example', labels: { a: '1', b: '1' }, annotations: { only: 'here' } },
      spec: { metadata: { labels: { b: '2' }, annotations: { c: '3' } } },
    };
    expect(derivedDefinition(definition)['metadata']).toEqual({
      name: 'x.example',
      labels: { a: '1', b: '2' },
      annotations: { c: '3' },
    });
  });

  test('loses what Crossplane does not keep', () => {
    const schema = {
      'x-kubernetes-validations': [{ rule: 'true' }],
      anyOf: [{}],
      properties: {
        metadata: { properties: { name: { maxLength: 20, pattern: '^x' } } },
        spec: { type: 'object', default: {}, not: {}, oneOf: [{}], required: ['a'], properties: { a: { not: {} } } },
        status: { 'x-kubernetes-preserve-unknown-fields': true },
      },
    };
    const derived = derivedDefinition({ spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: schema } }] } });
    const kept = at(listAt(derived, 'spec', 'versions')[0], 'schema', 'openAPIV3Schema');
    expect(kept).toMatchObject({
      required: ['spec'],
      'x-kubernetes-validations': [{ rule: 'true' }],
      properties: { metadata: { properties: { name: { type: 'string', maxLength: 20 } } } },
    });
    expect(Object.keys(objectAt(kept) ?? {}).sort()).toEqual([
      'properties',
      'required',
      'type',
      'x-kubernetes-validations',
    ]);
    expect(Object.keys(objectAt(kept, 'properties', 'spec') ?? {}).sort()).toEqual([
      'oneOf',
      'properties',
      'required',
      'type',
    ]);
    expect(at(kept, 'properties', 'spec', 'properties', 'a')).toEqual({ not: {} });
    expect(Object.keys(objectAt(kept, 'properties', 'status') ?? {}).sort()).toEqual(['properties', 'type']);
  });
});

describe('the package', () => {
  test('has the definition, the Composition that it names as default, and the settings that the function reads', () => {
    const composition = load('package/configuration/composition.yaml');
    const settings = load(SETTINGS);
    expect(at(load(DEFINITION), 'spec', 'defaultCompositionRef', 'name')).toBe(at(composition, 'metadata', 'name'));
    expect(at(settings, 'metadata', 'name')).toBe('settings.settings.platform.di-framework.dev');
    expect(at(settings, 'spec', 'names', 'kind')).toBe('Settings');
  });

  test.each([DEFINITION, CRD])('keeps Argo CD from deleting %s', (path) => {
    const guard = at(load(path), 'metadata', 'annotations', 'argocd.argoproj.io/sync-options');
    expect(guard).toBe('Prune=false,Delete=false');
  });
});
