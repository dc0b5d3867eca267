import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type JsonObject, objectAt } from '../../function/json.ts';
import { exampleNames, examplePath, golden } from '../golden/files.ts';
import { preview, XR } from './preview.ts';

const ROOT = '/var/lib/di-framework/instances/team-a/blue';
const API = 'platforminstances.platform.di-framework.dev';
const PREFIX = 'platform.di-framework.dev';
const MARK = "deletionTimestamp: '2026-06-01T12:00:00Z'";

const withMetadata = (...lines: readonly string[]): string =>
  XR.replace(
    '  namespace: team-a\n',
    ['  namespace: team-a', ...lines, ''].map((line) => line && `${line}`).join('\n'),
  );

const annotated = (name: string, value: string): string =>
  withMetadata('  annotations:', `    ${name}: ${JSON.stringify(value)}`);

interface Told {
  readonly heading: string;
  readonly verdict: readonly string[];
  readonly sections: ReadonlyMap<string, readonly string[]>;
}

/** What is printed, by its parts. */
function partsOf(stdout: string): Told {
  const [first = '', second = '', ...rest] = stdout.trimEnd().split('\n\n');
  const sections = rest.map((part) => part.split('\n').map((line) => line.replace(/^ {2}/, '')));
  return {
    heading: first.split('\n')[0] ?? '',
    verdict: second.split('\n'),
    sections: new Map(sections.map(([title = '', ...lines]) => [title, lines])),
  };
}

async function told(files: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Told> {
  const { code, said, stdout } = await preview(files, '{xr.yaml}', '--deleting', ...args);
  expect({ code, said }).toEqual({ code: 0, said: [] });
  return partsOf(stdout);
}

const DESTROYS = 'destroys, in this order:';
const KEEPS = 'keeps:';
const GOES = 'is being deleted already, and goes in any case:';
const COLLECTED = 'goes with the instance (nothing real goes with it):';
const BOTH = "DATA IS LOST: the vCluster with all that runs in it and the tenants' data on the node.";
const TARGET = 'DATA IS LOST: the vCluster with all that runs in it.';

/** The kinds that are destroyed, without managed resources. */
const kinds = ({ sections }: Told, title = DESTROYS): string[] =>
  (sections.get(title) ?? []).filter((line) => !/^ |^managed/.test(line)).map((line) => line.split(' ')[0] ?? '');

describe('what deleting an example destroys and keeps', () => {
  test.each(exampleNames())('%s is the file that is kept of it, whole', async (name) => {
    const { code, said, stdout } = await preview({}, examplePath(name, 'xr.yaml'), '--deleting');
    expect({ code, said }).toEqual({ code: 0, said: [] });
    expect(stdout).toBe(golden(name, 'expected-deleting.txt', stdout));
  });

  const stages = exampleNames().flatMap((name) =>
    ['provisioning', 'installing', 'ready']
      .filter((stage) => existsSync(examplePath(name, 'observed', stage)))
      .map((stage) => [name, stage] as const),
  );

  test.each(stages)('%s, while %s, is about what is observed, and all of that goes', async (name, stage) => {
    const { stdout } = await preview(
      {},
      examplePath(name, 'xr.yaml'),
      '--deleting',
      ...['--observed', examplePath(name, 'observed', stage), '--required', examplePath(name, 'required', stage)],
    );
    const parts = partsOf(stdout);
    expect(stdout).toContain('This is about what the observed and required resources show, and nothing else.');
    expect(parts.verdict).toEqual([BOTH]);
    expect(kinds(parts).includes('Stack')).toBe(stage !== 'provisioning');
    expect(kinds(parts)).toEqual(expect.arrayContaining(['Namespace', 'ClusterRole']));
    expect(parts.sections.get(KEEPS)).toEqual(['nothing that is known of']);
  });
});

describe('the words', () => {
  test('are in the order of the plan, and the same at every run', async () => {
    const [one, two] = [
      await preview({ 'xr.yaml': XR }, '{xr.yaml}', '--deleting'),
      await preview({ 'xr.yaml': XR }, '{xr.yaml}', '--deleting', '--now', '2031-01-01T00:00:00Z'),
    ];
    expect(one.stdout).toBe(two.stdout);
    expect(one.stdout).not.toMatch(/undefined|\[object|NaN|\d{4}-\d\d-\d\dT/);
    const parts = partsOf(one.stdout);
    expect(parts.heading).toBe('Deleting PlatformInstance team-a/blue (deletionPolicy Delete)');
    expect(kinds(parts)).toEqual([
      'Stack',
      'Namespace',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
      'ClusterRoleBinding',
      'ClusterRole',
      'ClusterRoleBinding',
      'PersistentVolumeClaim',
      ROOT,
    ]);
    expect(one.stdout).toContain('managed resources (nothing real goes with them):\n');
    expect(one.stdout).toMatch(/Release team-a\/pi-blue-\w+-vcluster, and with it Secret team-a\/blue-kubeconfig\n/);
    expect(parts.sections.get(DESTROYS)?.at(-1)).toBe(
      `${ROOT} on its node, with the tenants' data, by Job crossplane-system/pi-cleanup-059c6983-e3da-573c-a104-aba2e8808acc-0`,
    );
  });

  test('say first that the API server refuses it while the instance is protected', async () => {
    const line = `Policy platform-instance-protection refuses it while annotation ${PREFIX}/protected is there.`;
    const second = async (file: string) =>
      (await preview({ 'xr.yaml': file }, '{xr.yaml}', '--deleting')).stdout.split('\n')[1];
    expect(await second(annotated(`${PREFIX}/protected`, 'true'))).toBe(line);
    expect(await second(annotated(`${PREFIX}/protected`, 'false'))).not.toBe(line);
    expect(await second(withMetadata(`  ${MARK}`, `  annotations: { ${PREFIX}/protected: "true" }`))).not.toBe(line);
    expect(await second(XR)).not.toBe(line);
  });

  test('follow the settings', async () => {
    const settings = 'cleanup: { namespace: janitor }\nstorageRootBase: /data\n';
    const { sections } = await told({ 'xr.yaml': XR, 's.yaml': settings }, '--settings', '{s.yaml}');
    expect(sections.get(DESTROYS)?.at(-1)).toMatch(
      /^\/data\/team-a\/blue on its node, with the tenants' data, by Job janitor\/pi-cleanup-[\da-f-]+-0$/,
    );
  });

  test('are those of a live instance too, whose times hold nothing back', async () => {
    const live = withMetadata("  creationTimestamp: '2026-05-01T12:00:00Z'");
    const [one, two] = [await told({ 'xr.yaml': live }), await told({ 'xr.yaml': XR })];
    expect(one).toEqual(two);
  });

  test('say of Retain that all of it stays, and what takes it over', async () => {
    const parts = await told({ 'xr.yaml': `${XR}  deletionPolicy: Retain\n` });
    const { verdict, sections } = parts;
    expect(verdict).toEqual(['No data is lost: everything real is kept, since deletionPolicy is Retain.']);
    expect(kinds(parts)).toEqual(['ClusterRoleBinding']);
    expect(sections.get(COLLECTED)).toContain('Secret team-a/blue-kubeconfig');
    expect(sections.get(KEEPS)?.map((line) => line.split(' ')[0])).toEqual([
      'Namespace',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
      'PersistentVolumeClaim',
      'ClusterRole',
      'ClusterRoleBinding',
      ROOT,
    ]);
    expect([...sections.keys()].at(-1)).toBe(
      'An instance that is created again under the same name takes over what is kept.',
    );
  });

  const stays: readonly (readonly [string, string, string])[] = [
    [
      'skip-storage-cleanup is set',
      annotated(`${PREFIX}/skip-storage-cleanup`, 'true'),
      `${ROOT} on its node: annotation ${PREFIX}/skip-storage-cleanup is set`,
    ],
    [
      'its user chose where it is',
      `${XR}  platform: { storageRoot: /srv/blue }\n`,
      '/srv/blue on its node: storageRoot /srv/blue was set by its user',
    ],
    [
      'it is removed already',
      annotated(`${PREFIX}/storage-cleaned`, '059c6983-e3da-573c-a104-aba2e8808acc'),
      `${ROOT} on its node: it is removed already`,
    ],
  ];

  test.each(stays)('say that the data stays when %s', async (_, file, line) => {
    const parts = await told({ 'xr.yaml': file });
    expect(parts.verdict).toEqual([TARGET]);
    expect(parts.sections.get(KEEPS)).toEqual([line]);
    expect(kinds(parts).at(-1)).toBe('PersistentVolumeClaim');
  });
});

describe('a deletion that is held', () => {
  const holds: readonly (readonly [string, string, string | undefined, string])[] = [
    [
      'by the annotation of Crossplane',
      annotated('crossplane.io/paused', 'true'),
      undefined,
      'Nothing is deleted while annotation crossplane.io/paused is set.',
    ],
    [
      'by an XRD that is being deleted',
      XR,
      `apiVersion: apiextensions.crossplane.io/v2\nkind: CompositeResourceDefinition\nmetadata: { name: ${API}, ${MARK} }\n`,
      `Nothing is deleted while CompositeResourceDefinition ${API} is being deleted: that is no wish to delete the instances.`,
    ],
    [
      'by settings that cannot be read',
      `${XR}  crossplane: { compositionRevisionRef: { name: old } }\n`,
      'apiVersion: apiextensions.crossplane.io/v1\nkind: CompositionRevision\nmetadata: { name: old }\nspec: { pipeline: [] }\n',
      'Nothing is deleted while the settings cannot be read: CompositionRevision old has no step of function-platform-instance.',
    ],
  ];

  test.each(holds)('%s says so, and destroys nothing', async (_, file, required, message) => {
    const files = { 'xr.yaml': file, 'r.yaml': required ?? '' };
    const { verdict, sections } = await told(files, ...(required === undefined ? [] : ['--required', '{r.yaml}']));
    expect(verdict).toEqual(['No data is lost.', `The instance stays: ${message}`]);
    expect([...sections.keys()]).toEqual([]);
  });
});

describe('what is shown of a cluster', () => {
  const release = `apiVersion: helm.m.crossplane.io/v1beta1
kind: Release
metadata:
  name: pi-blue-x-vcluster
  namespace: team-a
  annotations: { crossplane.io/composition-resource-name: vcluster }
spec: { managementPolicies: [Observe, Create, Update] }
`;

  test('is all that exists: a part of it gives a part of the deletion', async () => {
    const { verdict, sections } = await told({ 'xr.yaml': XR, 'o.yaml': release }, '--observed', '{o.yaml}');
    expect(verdict).toEqual(['No data is lost.']);
    expect(sections.get(DESTROYS)).toEqual([
      'managed resources (nothing real goes with them):',
      '  Release team-a/pi-blue-x-vcluster',
    ]);
  });

  test('with a composed resource that has no owner means that everything real is kept', async () => {
    const orphan = release.replace('metadata:\n', 'metadata:\n  ownerReferences: []\n');
    const { verdict, sections } = await told({ 'xr.yaml': XR, 'o.yaml': orphan }, '--observed', '{o.yaml}');
    expect(verdict).toEqual(['No data is lost: everything real is kept, since what it composes was orphaned.']);
    expect(sections.get(KEEPS)).toEqual(['Release team-a/pi-blue-x-vcluster']);
  });

  test('goes in any case when its deletion has begun, whatever the policy says', async () => {
    const first = await preview({ 'xr.yaml': XR }, '{xr.yaml}');
    const object = first.documents.find((each) => /host-namespace$/.test(each.metadata.name));
    const manifest = objectAt(object as unknown as JsonObject, 'spec', 'forProvider', 'manifest');
    const going = {
      ...manifest,
      metadata: { ...objectAt(manifest, 'metadata'), uid: 'u', deletionTimestamp: '2026-06-01T12:00:00Z' },
    };
    const { verdict, sections } = await told(
      { 'xr.yaml': `${XR}  deletionPolicy: Retain\n`, 'r.yaml': JSON.stringify(going) },
      '--required',
      '{r.yaml}',
    );
    expect(verdict).toEqual([TARGET]);
    expect(sections.get(GOES)).toEqual([
      expect.stringMatching(
        /^Namespace pi-team-a-blue-\w+ with everything in it: the vCluster and all that runs in it$/,
      ),
    ]);
  });

  test.each([
    ['a deletion that nobody tears down', `  finalizers: [mine]\n  ${MARK}`],
    ['a deletion that is held', '  annotations: { crossplane.io/paused: "true" }'],
  ])('with a provider that uninstalls is lost, also by %s', async (_, line) => {
    const going = release
      .replace('metadata:\n', `metadata:\n  ${MARK}\n`)
      .replace('[Observe, Create, Update]', '["*"]');
    const { verdict } = await told({ 'xr.yaml': withMetadata(line), 'o.yaml': going }, '--observed', '{o.yaml}');
    expect(verdict[0]).toBe(TARGET);
  });

  test('with a root that nothing safe can be said of ends with the instance still there', async () => {
    const first = await preview({ 'xr.yaml': XR }, '{xr.yaml}');
    const text = first.stdout.replaceAll(ROOT, '/data/../team-a/blue');
    const { verdict, sections } = await told({ 'xr.yaml': XR, 'o.yaml': text }, '--observed', '{o.yaml}');
    expect(verdict).toEqual([
      TARGET,
      'The instance stays: Cannot remove storage root /data/../team-a/blue: it is not <base>/team-a/blue.',
    ]);
    expect(sections.get(KEEPS)?.at(-1)).toMatch(/^\/data\/\.\.\/team-a\/blue on its node: Cannot remove/);
  });

  test('of an instance that is being deleted without its finalizer: nobody tears it down', async () => {
    const gone = withMetadata(`  ${MARK}`, '  finalizers: [mine]');
    const { verdict, sections } = await told({ 'xr.yaml': gone });
    expect(verdict).toEqual([
      `No data is lost: everything real is kept, since it carries no finalizer ${PREFIX}/instance.`,
    ]);
    expect(sections.get(DESTROYS)).toBeUndefined();
  });
});

describe('what is refused', () => {
  test('is what every preview refuses, in the same words', async () => {
    const wrong = XR.replace('6.0.17', 'latest');
    const [one, two] = [
      await preview({ 'xr.yaml': wrong }, '{xr.yaml}'),
      await preview({ 'xr.yaml': wrong }, '{xr.yaml}', '--deleting'),
    ];
    expect([two.code, two.said, two.stdout]).toEqual([one.code, one.said, one.stdout]);
    expect(two.code).toBe(1);
  });

  test('the help names the flag', async () => {
    const { stdout } = await preview({}, '--help');
    expect(stdout).toContain('--deleting');
  });
});
