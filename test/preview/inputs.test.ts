import { describe, expect, test } from 'vitest';
import { preview, XR } from './preview.ts';

const NAME = 'crossplane.io/composition-resource-name';

function configMap(name: string, metadata = ''): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: team-a\n${metadata}`;
}

const observed = (name: string, more = '') => configMap(name, `  annotations: { ${NAME}: ${name} }\n${more}`);

interface Row {
  readonly title: string;
  readonly files: Record<string, string | Buffer>;
  readonly args?: string[];
  readonly says: string[];
}

const INSTANCE_ROWS: Row[] = [
  { title: 'a file that does not exist', files: {}, says: ['xr.yaml: does not exist'] },
  { title: 'an empty file', files: { 'xr.yaml': '# nothing\n' }, says: ['xr.yaml: holds no PlatformInstance'] },
  {
    title: 'a file that is not UTF-8',
    files: { 'xr.yaml': Buffer.from([0x61, 0x3a, 0xff]) },
    says: ['xr.yaml: is not UTF-8 text'],
  },
  {
    title: 'YAML that does not parse',
    files: { 'xr.yaml': `${XR}  platform: [\n` },
    says: [expect.stringMatching(/^xr\.yaml: document 1: Flow sequence .* at line 11, column 1$/)],
  },
  {
    title: 'a key that is there twice',
    files: { 'xr.yaml': `${XR}  version: 6.0.18\n` },
    says: ['xr.yaml: document 1: Map keys must be unique at line 10, column 3'],
  },
  { title: 'a list', files: { 'xr.yaml': '- a\n' }, says: ['xr.yaml: document 1: must be an object'] },
  {
    title: 'a number that JSON cannot write',
    files: { 'xr.yaml': `${XR}  platform: { gateway: { httpNodePort: .nan } }\n` },
    says: ['xr.yaml: document 1: spec.platform.gateway.httpNodePort: must be a finite number'],
  },
  {
    title: 'two instances',
    files: { 'xr.yaml': `${XR}---\n${XR}` },
    says: ['xr.yaml: document 2: is one too many: one PlatformInstance is previewed at a time'],
  },
  {
    title: 'another kind',
    files: { 'xr.yaml': XR.replace('PlatformInstance', 'Platform').replace('v1alpha1', 'v1') },
    says: [
      'xr.yaml: document 1: apiVersion: must be platform.di-framework.dev/v1alpha1',
      'xr.yaml: document 1: kind: must be PlatformInstance',
    ],
  },
  {
    title: 'a misspelled field, which the API server would drop',
    files: { 'xr.yaml': `${XR}  deletionpolicy: Retain\n  platform: { storageroot: /srv }\n` },
    says: [
      'xr.yaml: document 1: spec.deletionpolicy: is no field of a PlatformInstance',
      'xr.yaml: document 1: spec.platform.storageroot: is no field of a PlatformInstance',
    ],
  },
  {
    title: 'no namespace',
    files: { 'xr.yaml': XR.replace('  namespace: team-a\n', '') },
    says: ['xr.yaml: document 1: metadata.namespace: is required'],
  },
  {
    title: 'no spec',
    files: { 'xr.yaml': XR.slice(0, XR.indexOf('spec:')) },
    says: ['xr.yaml: document 1: spec: is required'],
  },
  {
    title: 'values of the wrong type, all at once',
    files: { 'xr.yaml': XR.replace('6.0.17', '6.0').replace('    type: vcluster', '    type: 5') },
    says: [
      'xr.yaml: document 1: spec.target.type: must be vcluster',
      'xr.yaml: document 1: spec.version: must be a string',
    ],
  },
];

const OTHER_ROWS: Row[] = [
  {
    title: 'observed without its composition resource name',
    files: { 'observed.yaml': `${observed('a')}---\n${configMap('b')}` },
    args: ['--observed={observed.yaml}'],
    says: [`observed.yaml: document 2: metadata.annotations[${NAME}]: is required`],
  },
  {
    title: 'observed with a name that is taken, in another namespace and of another controller',
    files: {
      'observed/a.yaml': observed('a'),
      'observed/b.yml': observed('a', '  ownerReferences: [{ uid: x, controller: true }]\n').replace(
        'team-a',
        'team-b',
      ),
    },
    args: ['--observed={observed}'],
    says: [
      'observed/b.yml: document 1: metadata.namespace: must be team-a, the namespace of the instance',
      'observed/b.yml: document 1: metadata.ownerReferences: names a controller other than the instance',
      `observed/b.yml: document 1: metadata.annotations[${NAME}]: a is there already`,
    ],
  },
  {
    title: 'a folder without YAML',
    files: { 'observed/readme.txt': '' },
    args: ['--observed={observed}'],
    says: ['observed: holds no .yaml or .yml file'],
  },
  {
    title: 'required without identity, and twice',
    files: { 'a.yaml': 'kind: Secret\n', 'b.yaml': `${configMap('b')}---\n---\n${configMap('b')}` },
    args: ['--required={a.yaml}', '--required', '{b.yaml}'],
    says: [
      'a.yaml: document 1: apiVersion: is required',
      'a.yaml: document 1: metadata.name: is required',
      'b.yaml: document 3: metadata.name: ConfigMap team-a/b is there already',
    ],
  },
  {
    title: 'settings with unknown fields',
    files: { 'settings.yaml': 'colour: blue\nchart: { flavour: mild }\n' },
    args: ['--settings={settings.yaml}'],
    says: [
      'settings.yaml: document 1: chart.flavour: is no field of these settings',
      'settings.yaml: document 1: colour: is no field of these settings',
    ],
  },
  {
    title: 'schemas that are no JSON, and a folder without any',
    files: { 'schemas/deep/a.json': '{', 'schemas/b.json': '[]' },
    args: ['--schemas={schemas}'],
    says: [
      'schemas/b.json: must be an OpenAPI document in JSON',
      'schemas/deep/a.json: must be an OpenAPI document in JSON',
    ],
  },
];

describe('bad input of a preview', () => {
  test.each(INSTANCE_ROWS)('$title is told with its place', async ({ files, says }) => {
    const { code, stdout, said } = await preview(files, '{xr.yaml}');
    expect([...said].sort()).toEqual(says);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  test.each(OTHER_ROWS)('$title is told with its place', async ({ files, args = [], says }) => {
    const { code, stdout, said } = await preview({ 'xr.yaml': XR, ...files }, '{xr.yaml}', ...args);
    expect([...said].sort()).toEqual([...says].sort());
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  test('problems of all files are told at once', async () => {
    const files = { 'xr.yaml': XR.replace('6.0.17', 'latest'), 'settings.yaml': 'a: 1\n', 'observed.yaml': '- 1\n' };
    const { said } = await preview(
      files,
      '{xr.yaml}',
      '-o',
      '{observed.yaml}',
      '--settings',
      '{settings.yaml}',
      '-e',
      '{none}',
    );
    expect(said.map((line) => line.split(':')[0])).toEqual(['xr.yaml', 'observed.yaml', 'none', 'settings.yaml']);
  });

  test.each([
    { args: ['a.yaml', 'b.yaml'], says: 'cannot preview: one FILE is previewed at a time, not 2' },
    { args: ['--now=later'], says: 'cannot preview: --now must be a time, not "later"' },
    { args: ['--watch'], says: "cannot preview: unknown option '--watch'; --help lists the flags" },
  ])('$args is misuse, with exit code 2', async ({ args, says }) => {
    const { code, stdout, said } = await preview({}, ...args);
    expect({ code, stdout, said }).toEqual({ code: 2, stdout: '', said: [says] });
  });
});
