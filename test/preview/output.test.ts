import { describe, expect, test } from 'vitest';
import { type Document, preview, XR } from './preview.ts';

const NAME = 'crossplane.io/composition-resource-name';

function keys(documents: readonly Document[]): (string | undefined)[] {
  return documents.slice(1).map((document) => document.metadata?.annotations?.[NAME]);
}

describe('the output of a preview', () => {
  test('is the instance with its status, then what it composes by name, owned by the instance', async () => {
    const { code, said, documents } = await preview({ 'xr.yaml': XR }, '{xr.yaml}');
    expect({ code, said }).toEqual({ code: 0, said: [] });
    const [instance, ...composed] = documents;
    expect(instance?.metadata).toEqual({ name: 'blue', namespace: 'team-a' });
    expect(keys(documents)).toContain('vcluster');
    expect(keys(documents)).toEqual([...keys(documents)].sort());
    for (const { metadata } of composed) {
      expect(metadata).toMatchObject({
        namespace: 'team-a',
        labels: { 'crossplane.io/composite': 'blue' },
        ownerReferences: [
          {
            apiVersion: 'platform.di-framework.dev/v1alpha1',
            kind: 'PlatformInstance',
            name: 'blue',
            uid: '059c6983-e3da-573c-a104-aba2e8808acc',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      });
    }
  });

  test('shows conditions once each and all at one fixed time, Crossplane\u2019s own among them', async () => {
    const { documents } = await preview({ 'xr.yaml': XR }, '{xr.yaml}');
    const status = documents[0]?.['status'] as { conditions?: Record<string, string>[] } | undefined;
    const conditions = status?.conditions ?? [];
    const types = conditions.map((condition) => condition['type']);
    expect(new Set(types).size).toBe(types.length);
    expect(types).toEqual(expect.arrayContaining(['InstanceReady', 'Synced', 'Ready', 'Responsive']));
    expect(new Set(conditions.map((condition) => condition['lastTransitionTime']))).toEqual(
      new Set(['2024-01-01T00:00:00Z']),
    );
    expect(conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'False', reason: 'Creating' }));
  });

  test('is the same text at every run', async () => {
    const [one, two] = [await preview({ 'xr.yaml': XR }, '{xr.yaml}'), await preview({ 'xr.yaml': XR }, '{xr.yaml}')];
    expect(one.stdout).toBe(two.stdout);
    // The program's own source may say undefined.
    const rendered = one.stdout.replace(/^ {2}index\.js: \|[\s\S]*?\n(?= {2}\S)/m, '');
    expect(rendered).not.toMatch(/undefined|\[object|NaN/);
  });

  test('is the same with the defaults of the schema left out and written out', async () => {
    const platform = (more: string) => `${XR}  platform:\n    gateway: {${more}}\n`;
    const bare = await preview({ 'xr.yaml': platform('') }, '{xr.yaml}');
    const full = await preview(
      { 'xr.yaml': `${platform(' httpNodePort: 0 ')}    networkPolicyEngine: existing\n  deletionPolicy: Delete\n` },
      '{xr.yaml}',
    );
    expect(bare.code).toBe(0);
    expect(full.stdout).toBe(bare.stdout);
  });

  test('is the same with what Crossplane writes into a spec', async () => {
    const bare = await preview({ 'xr.yaml': XR }, '{xr.yaml}');
    const more = await preview(
      { 'xr.yaml': `${XR}  crossplane: { resourceRefs: [{ name: x, namespace: y }] }\n` },
      '{xr.yaml}',
    );
    expect(more.stdout).toBe(bare.stdout);
  });

  test('fed back as what is observed gives the same resources', async () => {
    const first = await preview({ 'xr.yaml': XR }, '{xr.yaml}');
    const second = await preview(
      { 'xr.yaml': XR, 'observed.yaml': first.stdout },
      '{xr.yaml}',
      '--observed={observed.yaml}',
    );
    expect({ code: second.code, said: second.said }).toEqual({ code: 0, said: [] });
    expect(second.documents.slice(1)).toEqual(first.documents.slice(1));
  });

  test('does not depend on whether files are streams, folders or lists', async () => {
    const { documents } = await preview({ 'xr.yaml': XR }, '{xr.yaml}');
    const composed = documents.slice(1);
    const json = (value: unknown) => JSON.stringify(value);
    const files = {
      'xr.yaml': XR,
      'stream.yaml': composed.map(json).join('\n---\n'),
      'list.yaml': json({ apiVersion: 'v1', kind: 'List', items: composed }),
      ...Object.fromEntries(composed.map((document, index) => [`folder/${index}.yml`, json(document)])),
      'folder/note.txt': 'not read',
    };
    const outputs = [];
    for (const path of ['{stream.yaml}', '{list.yaml}', '{folder}']) {
      outputs.push((await preview(files, '{xr.yaml}', '--observed', path)).stdout);
    }
    expect(outputs[0]).toMatch(/^---\n/);
    expect(outputs).toEqual([outputs[0], outputs[0], outputs[0]]);
  });

  test('keeps the observed name of a resource', async () => {
    const { documents } = await preview({ 'xr.yaml': XR }, '{xr.yaml}');
    const [, first] = documents;
    const renamed = { ...first, metadata: { ...first?.metadata, name: 'other-name' } };
    const again = await preview({ 'xr.yaml': XR, 'o.yaml': JSON.stringify(renamed) }, '{xr.yaml}', '-o', '{o.yaml}');
    expect(again.documents[1]?.metadata.name).toBe('other-name');
  });

  test('without FILE is that of the minimal example, and says so', async () => {
    const { code, said, documents } = await preview({});
    expect({ code, said }).toEqual({
      code: 0,
      said: ['no FILE is given, so this is a preview of examples/minimal/xr.yaml'],
    });
    expect(documents[0]?.kind).toBe('PlatformInstance');
    expect(keys(documents)).toEqual(expect.arrayContaining(['host-namespace', 'vcluster', 'platform-stack']));
  });

  test('takes less than half a second, at best of five', async () => {
    const times: number[] = [];
    for (let runs = 0; runs < 5; runs++) {
      const started = performance.now();
      await preview({ 'xr.yaml': XR }, '{xr.yaml}');
      times.push(performance.now() - started);
    }
    expect(Math.min(...times)).toBeLessThan(500);
  });
});
