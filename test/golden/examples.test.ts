import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { isObject, type JsonObject, listAt, stringAt } from '../../function/json.ts';
import { judgeOf } from '../api/judge.ts';
import { type Previewed, preview } from '../preview/preview.ts';
import { exampleNames, examplePath, golden, isUpdate, readFiles, writeFiles } from './files.ts';
import { STAGES, series } from './series.ts';

/** Examples that come with what is observed of them. */
const WITH_SERIES = ['minimal', 'tenants'] as const;
const SERIES_FOLDERS = ['observed', 'required'] as const;

const crd = new URL('../../crds/platforminstances.platform.di-framework.dev.yaml', import.meta.url);
const judge = judgeOf(parse(readFileSync(crd, 'utf8')));
const load = (name: string): JsonObject => parse(readFileSync(examplePath(name, 'xr.yaml'), 'utf8'));

function previewExample(name: string, ...args: readonly string[]): Promise<Previewed> {
  return preview({}, examplePath(name, 'xr.yaml'), ...args);
}

function ownRequired(name: string): readonly string[] {
  const folder = examplePath(name, 'required');
  return existsSync(folder) && !WITH_SERIES.some((each) => each === name) ? ['--required', folder] : [];
}

function conditionsOf(document: JsonObject | undefined): readonly string[] {
  return listAt(document, 'status', 'conditions').map((each) => {
    return `${stringAt(each, 'type')} ${stringAt(each, 'status')} ${stringAt(each, 'reason')}`;
  });
}

describe('the preview of an example', () => {
  test.each(exampleNames())('%s is the file that is kept of it, whole', async (name) => {
    const { code, said, stdout } = await previewExample(name, ...ownRequired(name));
    expect({ code, said }).toEqual({ code: 0, said: [] });
    expect(stdout).toBe(golden(name, 'expected.yaml', stdout));
  });

  test.each(exampleNames())('%s is the same with all defaults of the schema written out', async (name) => {
    const { stored } = judge(load(name));
    const full = await preview({ 'xr.yaml': stringify(stored) }, '{xr.yaml}', ...ownRequired(name));
    const bare = await previewExample(name, ...ownRequired(name));
    expect(full.stdout).toBe(bare.stdout);
  });

  test.each(exampleNames())('%s fed back as what is observed gives the same once more', async (name) => {
    const first = await previewExample(name, ...ownRequired(name));
    const args = ['--observed', '{observed.yaml}', ...ownRequired(name)];
    const second = await preview({ 'observed.yaml': first.stdout }, examplePath(name, 'xr.yaml'), ...args);
    expect(second.said).toEqual([]);
    expect(second.stdout).toBe(first.stdout);
  });
});

describe.each(WITH_SERIES)('the life of example %s', (name) => {
  test('is observed as the files say that are kept of it', () => {
    const files = series(load(name));
    if (isUpdate) writeFiles(name, SERIES_FOLDERS, files);
    expect(Object.fromEntries(readFiles(name, SERIES_FOLDERS))).toEqual(Object.fromEntries(files));
  });

  test.each(STAGES)('gives, while %s, the preview that is kept of it, whole', async (stage) => {
    const { code, said, stdout } = await previewExample(name, ...seriesArgs(name, stage));
    expect({ code, said }).toEqual({ code: 0, said: [] });
    expect(stdout).toBe(golden(name, `expected-${stage}.yaml`, stdout));
  });

  test('goes through the phases', async () => {
    const phases: unknown[] = [];
    for (const stage of STAGES) {
      const { documents } = await previewExample(name, ...seriesArgs(name, stage));
      const [instance] = documents;
      const status = instance?.['status'];
      phases.push(isObject(status) ? status['phase'] : undefined);
    }
    expect(phases).toEqual(['Provisioning', 'Installing', 'Ready']);
  });

  test('[R05] ends with every condition True and every composed resource as it is observed', async () => {
    const { documents } = await previewExample(name, ...seriesArgs(name, 'ready'));
    const [instance, ...composed] = documents as unknown as readonly JsonObject[];
    expect(conditionsOf(instance).filter((each) => !each.includes(' True '))).toEqual([]);
    const observed = new Map(
      [...readFiles(name, ['observed/ready']).values()].flatMap((text) =>
        [...parseAllDocuments(text)].map((document) => {
          const object: JsonObject = document.toJS();
          return [stringAt(object, 'metadata', 'name') ?? '', object] as const;
        }),
      ),
    );
    expect(composed.length).toBe(observed.size);
    for (const resource of composed) {
      const before = observed.get(stringAt(resource, 'metadata', 'name') ?? '');
      expect([resource['spec'], resource['data']]).toEqual([before?.['spec'], before?.['data']]);
    }
  });
});

function seriesArgs(name: string, stage: string): readonly string[] {
  return ['--observed', examplePath(name, 'observed', stage), '--required', examplePath(name, 'required', stage)];
}
