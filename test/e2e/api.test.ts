import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { isObject, type JsonObject, listAt, objectAt, stringAt } from '../../function/json.ts';
import { type ApiCase, CASES } from '../api/cases.ts';
import { ensureNamespace } from './instance.ts';
import { eventually } from './plane/eventually.ts';
import type { Answer } from './plane/kube.ts';
import { manifestsOf, root } from './plane/manifests.ts';
import { admin } from './plane/plane.ts';

const plane = inject('plane');
const kube = admin(plane);
const DEFINITION = 'platforminstances.platform.di-framework.dev';
const COPY_GROUP = 'copy.di-framework.dev';

// Nothing reconciles what is only asked as a dry run, except for updates, which need a live object: those are paused.
const PAUSED = { 'crossplane.io/paused': 'true' };

beforeAll(async () => {
  await ensureNamespace(kube, 'team-a');
  await installCopies();
});

/** Copies of the derived definition, in a group that nobody reconciles: updates are asked there. */
async function installCopies(): Promise<void> {
  const live = await kube.get({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    name: DEFINITION,
  });
  const types = CASES.flatMap(({ secondTargetType }) => (secondTargetType === undefined ? [] : [secondTargetType]));
  await installCopy(live, COPY_GROUP, []);
  await installCopy(live, `second.${COPY_GROUP}`, [...new Set(types)]);
}

async function installCopy(live: JsonObject, group: string, types: readonly string[]): Promise<void> {
  const text = JSON.stringify(live['spec'])
    .replaceAll('"platform.di-framework.dev"', JSON.stringify(group))
    .replaceAll('"enum":["vcluster"]', `"enum":${JSON.stringify(['vcluster', ...types])}`);
  const copied = JSON.parse(text) as JsonObject;
  // The short name stays with the real one: kubectl takes whichever group comes first.
  const spec = { ...copied, names: { ...objectAt(copied, 'names'), shortNames: [] } };
  const name = `platforminstances.${group}`;
  await kube.apply({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec,
  });
  await eventually(async () => {
    const { status } = await kube.request('GET', `/apis/${group}/v1alpha1/platforminstances`);
    return status === 200;
  }, 30_000);
}

interface Verdict {
  readonly status: number;
  readonly causes: readonly { readonly field: string; readonly message: string }[];
  readonly object: JsonObject;
}

/** What the API server says to the case: a dry run of a creation, or an update of a live object. */
async function ask(entry: ApiCase): Promise<Verdict> {
  const group = entry.secondTargetType === undefined ? COPY_GROUP : `second.${COPY_GROUP}`;
  if (entry.old === undefined && entry.object['status'] === undefined) {
    return verdict(await kube.request('POST', `${collection('platform.di-framework.dev')}?dryRun=All`, entry.object));
  }
  const object = (from: JsonObject): JsonObject => ({
    ...from,
    apiVersion: `${group}/v1alpha1`,
    metadata: { ...objectAt(from, 'metadata'), annotations: PAUSED },
  });
  const { status: wantedStatus, ...bare } = entry.object;
  const created = await kube.request('POST', collection(group), object(entry.old ?? bare));
  const name = stringAt(entry.object, 'metadata', 'name') ?? '';
  try {
    if (created.status >= 300) return verdict(created);
    const version = stringAt(created.body, 'metadata', 'resourceVersion') ?? '';
    const path = `${collection(group)}/${name}${wantedStatus === undefined ? '' : '/status'}`;
    const next = object(entry.object);
    const metadata = { ...objectAt(next, 'metadata'), resourceVersion: version };
    return verdict(await kube.request('PUT', path, { ...next, metadata }));
  } finally {
    await kube.request('DELETE', `${collection(group)}/${name}`);
  }
}

function collection(group: string): string {
  return `/apis/${group}/v1alpha1/namespaces/team-a/platforminstances`;
}

function verdict({ status, body }: Answer): Verdict {
  const causes = listAt(body, 'details', 'causes')
    .filter(isObject)
    .map((cause) => ({ field: stringAt(cause, 'field') ?? '', message: stringAt(cause, 'message') ?? '' }))
    // Beside a fractional number it complains once more, of no field.
    .filter(({ field }) => field !== '<nil>');
  return { status, causes, object: body };
}

describe('the real API server', () => {
  it.each(CASES.map((entry) => [`[${entry.id}] ${entry.verdict}s ${entry.name}`, entry] as const))(
    '%s',
    async (_, entry) => {
      const said = await ask(entry);
      if (entry.verdict === 'accept') {
        expect(said.causes).toEqual([]);
        expect(said.status).toBeLessThan(300);
        if (entry.stored?.spec !== undefined) expect(said.object['spec']).toMatchObject(entry.stored.spec);
        if (entry.stored?.status !== undefined) expect(said.object['status']).toEqual(entry.stored.status);
        return;
      }
      expect(said.status).toBeGreaterThanOrEqual(400);
      expect([...new Set(said.causes.map(({ field }) => field))]).toContain(entry.path);
      if (entry.message !== undefined) {
        expect(said.causes.map(({ message }) => message).join('\n')).toContain(entry.message);
      }
    },
  );
});

describe('the definition that Crossplane derives from our XRD', () => {
  it('equals the one in crds/', async () => {
    const live = await kube.get({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name: DEFINITION,
    });
    const [ours = {}] = manifestsOf(join(root, 'crds'));
    expect(normalised(live)).toEqual(normalised(ours));
  });

  it('[A01] [A02] names kind, list, plural, singular and short name, and is namespaced with a status', async () => {
    const { body } = await kube.request('GET', '/apis/platform.di-framework.dev/v1alpha1');
    const resources = listAt(body, 'resources').filter(isObject);
    const main = resources.find((resource) => resource['name'] === 'platforminstances') ?? {};
    expect([main['kind'], main['singularName'], main['shortNames'], main['namespaced']]).toEqual([
      'PlatformInstance',
      'platforminstance',
      ['pi'],
      true,
    ]);
    expect(resources.map((resource) => resource['name'])).toContain('platforminstances/status');
    const list = await kube.request('GET', '/apis/platform.di-framework.dev/v1alpha1/platforminstances');
    expect(list.body['kind']).toBe('PlatformInstanceList');
  });

  it('[A04] prints version, installed version, phase and age', async () => {
    const live = await kube.get({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name: DEFINITION,
    });
    const [version] = listAt(live, 'spec', 'versions');
    const columns = listAt(version, 'additionalPrinterColumns')
      .filter(isObject)
      .map((column) => `${String(column['name'])} ${String(column['jsonPath'])}`);
    expect(columns).toEqual(
      expect.arrayContaining([
        'Version .spec.version',
        'Installed .status.installedVersion',
        'Phase .status.phase',
        'AGE .metadata.creationTimestamp',
      ]),
    );
  });
});

/** Without what the API server adds to any definition. */
function normalised(definition: JsonObject): JsonObject {
  const { conversion: _, ...spec } = objectAt(definition, 'spec') ?? {};
  return JSON.parse(JSON.stringify(spec)) as JsonObject;
}
