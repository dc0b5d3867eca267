import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { at, type Json, listAt, objectAt, stringAt } from '../../function/json.ts';
import { type Manifest, manifestsOf, PACKAGE, yamlFiles } from './manifests.ts';

const kind = ({ content }: Manifest) => stringAt(content, 'kind');
const name = ({ content }: Manifest) => stringAt(content, 'metadata', 'name');
const kustomize = (file: string) => file.endsWith('kustomization.yaml');

const INSTALL = manifestsOf(...yamlFiles('install').filter((file) => !kustomize(file)));
const TEARDOWN = manifestsOf(...yamlFiles('teardown').filter((file) => !kustomize(file)));
const FUNCTION = manifestsOf('function/crossplane.yaml');
const CONFIGURATION = manifestsOf('configuration/crossplane.yaml');
const [COMPOSITION] = manifestsOf('configuration/composition.yaml');
const VERSION: string = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8')).version;

function ofKind(...kinds: readonly string[]): Manifest[] {
  return INSTALL.filter((manifest) => kinds.includes(kind(manifest) ?? ''));
}

function dependencies(): Map<string | undefined, string | undefined> {
  const found = listAt(CONFIGURATION[0]?.content, 'spec', 'dependsOn');
  return new Map(found.map((dependency) => [stringAt(dependency, 'package'), stringAt(dependency, 'version')]));
}

/** The name that Crossplane gives a package which it installs as a dependency: its repository as a DNS label. */
function installedName(image: string): string {
  return image.split('/').slice(1).join('-').replaceAll('.', '-');
}

describe('every manifest', () => {
  test('parses strictly, has a kind and an apiVersion, and a name unless kustomize reads it', () => {
    for (const folder of ['function', 'configuration', 'install', 'teardown']) {
      const manifests = manifestsOf(...yamlFiles(folder));
      expect(manifests.length).toBeGreaterThan(0);
      for (const manifest of manifests) {
        expect(kind(manifest), manifest.file).toMatch(/^[A-Z]\w+$/);
        expect(stringAt(manifest.content, 'apiVersion'), manifest.file).toMatch(/^[a-z0-9./]+$/);
        if (!kustomize(manifest.file)) expect(name(manifest), manifest.file).toMatch(/^[a-z0-9][a-z0-9.:-]*$/);
      }
    }
  });

  test('stands for one object', () => {
    const identities = [...INSTALL, ...TEARDOWN].map(
      (manifest) => `${stringAt(manifest.content, 'apiVersion')} ${kind(manifest)} ${name(manifest)}`,
    );
    expect(identities).toEqual([...new Set(identities)]);
  });

  test.each([
    ['install', ['../teardown']],
    ['teardown', []],
  ])('of %s is named by the kustomization beside it, with %j', (folder, others) => {
    const beside = readdirSync(join(PACKAGE, folder)).filter((file) => file.endsWith('.yaml') && !kustomize(file));
    const [kustomization] = manifestsOf(`${folder}/kustomization.yaml`);
    expect([...listAt(kustomization?.content, 'resources')].sort()).toEqual([...others, ...beside].sort());
  });
});

describe('the packages', () => {
  test('hold only kinds that a package of their type may hold', () => {
    const kinds = (folder: string) => new Set(manifestsOf(...yamlFiles(folder)).map(kind));
    expect([...kinds('function')].filter((found) => found !== 'CustomResourceDefinition')).toEqual(['Function']);
    expect([...kinds('configuration')].filter((found) => found !== 'CompositeResourceDefinition').sort()).toEqual([
      'Composition',
      'Configuration',
    ]);
  });

  test('ask for the lowest versions that work', () => {
    for (const manifest of [...FUNCTION, ...CONFIGURATION]) {
      expect(stringAt(manifest.content, 'spec', 'crossplane', 'version')).toBe('>=v2.3.2');
    }
    expect(dependencies()).toEqual(
      new Map([
        ['xpkg.crossplane.io/crossplane-contrib/provider-helm', '>=v1.4.0'],
        ['xpkg.crossplane.io/crossplane-contrib/provider-kubernetes', '>=v1.3.0'],
        ['ghcr.io/di-framework/function-platform-instance', `>=v${VERSION}`],
      ]),
    );
  });

  test('the Function declares that it composes', () => {
    expect(listAt(FUNCTION[0]?.content, 'spec', 'capabilities')).toEqual(['composition']);
    expect(FUNCTION.map(name)).toEqual(['function-platform-instance']);
  });

  test('the Composition is one step of our function, without input, under the name that Crossplane gives it', () => {
    const image = [...dependencies().keys()].find((found) => found?.includes('/function-')) ?? '';
    expect(installedName(image)).toBe('di-framework-function-platform-instance');
    expect(COMPOSITION?.content['spec']).toEqual({
      compositeTypeRef: { apiVersion: 'platform.di-framework.dev/v1alpha1', kind: 'PlatformInstance' },
      mode: 'Pipeline',
      pipeline: [{ step: 'platform-instance', functionRef: { name: installedName(image) } }],
    });
  });
});

describe('the providers', () => {
  const providers = ['provider-helm', 'provider-kubernetes'];

  test('run under ServiceAccounts whose names the role bindings use', () => {
    const accounts = ofKind('DeploymentRuntimeConfig').map(({ content }) =>
      stringAt(content, 'spec', 'serviceAccountTemplate', 'metadata', 'name'),
    );
    expect(accounts).toEqual(providers);
    const bindings = ofKind('ClusterRoleBinding');
    expect(bindings.map(({ content }) => listAt(content, 'subjects'))).toEqual(
      providers.map((account) => [{ kind: 'ServiceAccount', name: account, namespace: 'crossplane-system' }]),
    );
    expect(bindings.map(({ content }) => stringAt(content, 'roleRef', 'name'))).toEqual(bindings.map(name));
  });

  test('get their runtime config by the image that the Configuration depends on', () => {
    const images = ofKind('ImageConfig').map(({ content }) => ({
      match: listAt(content, 'spec', 'matchImages'),
      runtime: stringAt(content, 'spec', 'runtime', 'configRef', 'name'),
    }));
    const runtimes = ofKind('DeploymentRuntimeConfig').map(name);
    const packages = [...dependencies().keys()].filter((image) => image?.includes('/provider-'));
    expect(images).toEqual(
      packages.map((image, index) => ({ match: [{ type: 'Prefix', prefix: image }], runtime: runtimes[index] })),
    );
  });

  test('have a default ClusterProviderConfig each, which is the host cluster itself', () => {
    const configs = ofKind('ClusterProviderConfig');
    expect(configs.map(({ content }) => stringAt(content, 'apiVersion'))).toEqual([
      'helm.m.crossplane.io/v1beta1',
      'kubernetes.m.crossplane.io/v1alpha1',
    ]);
    for (const config of configs) {
      expect(name(config)).toBe('default');
      expect(config.content['spec']).toEqual({ credentials: { source: 'InjectedIdentity' } });
    }
  });
});

describe('the teardown controller', () => {
  const [deployment] = TEARDOWN.filter((manifest) => kind(manifest) === 'Deployment').map(({ content }) => content);
  const pod = objectAt(deployment, 'spec', 'template', 'spec');
  const [container] = listAt(pod, 'containers');

  test('is the image of this release, told to tear down', () => {
    const image = `ghcr.io/di-framework/function-platform-instance:v${VERSION}`;
    expect([stringAt(container, 'image'), at(container, 'args')]).toEqual([image, ['teardown']]);
    expect(listAt(pod, 'containers')).toHaveLength(1);
  });

  test('runs as nobody, on a file system that it cannot change, without capabilities', () => {
    expect(at(pod, 'securityContext')).toEqual({
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(at(container, 'securityContext')).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(at(pod, 'volumes')).toBeUndefined();
  });

  test('is asked how it is on its HTTP port, and bounded in what it uses', () => {
    expect(listAt(container, 'ports')).toEqual([{ name: 'http', containerPort: 8080 }]);
    expect(at(container, 'livenessProbe', 'httpGet')).toEqual({ path: '/healthz', port: 'http' });
    expect(at(container, 'readinessProbe', 'httpGet')).toEqual({ path: '/readyz', port: 'http' });
    expect(at(container, 'resources')).toEqual({
      requests: { cpu: '10m', memory: '128Mi' },
      limits: { memory: '512Mi' },
    });
  });

  test('is replaced without a gap, and selects its own pods', () => {
    expect(at(deployment, 'spec', 'strategy')).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
    });
    expect(at(deployment, 'spec', 'selector', 'matchLabels')).toEqual(
      at(deployment, 'spec', 'template', 'metadata', 'labels'),
    );
  });

  test('comes up after its rights and its fence, and goes before them, in the waves of Argo CD', () => {
    const waves = TEARDOWN.map((manifest) => [
      kind(manifest),
      at(manifest.content, 'metadata', 'annotations', 'argocd.argoproj.io/sync-wave'),
    ]);
    expect(new Map(waves.map(([of, wave]) => [of, wave]))).toEqual(
      new Map([
        ['Deployment', '1'],
        ...['Role', 'RoleBinding', 'ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'].map(
          (of) => [of, '-2'] as const,
        ),
        ...['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding'].map((of) => [of, '-2'] as const),
      ]),
    );
    expect(waves.filter(([of, wave]) => (of === 'Deployment') !== (wave === '1'))).toEqual([]);
  });
});

test('the guard keeps Argo CD from deleting the XRD and the Configuration that brings it', () => {
  const [guard] = manifestsOf('install/guard/kustomization.yaml');
  const patches = listAt(guard?.content, 'patches').map((patch) => [
    stringAt(patch, 'target', 'kind'),
    stringAt(patch, 'target', 'name'),
    annotationsIn(stringAt(patch, 'patch') ?? ''),
  ]);
  const annotation = 'argocd.argoproj.io/sync-options: Prune=false,Delete=false';
  expect(patches).toEqual([
    ['CompositeResourceDefinition', 'platforminstances.platform.di-framework.dev', [annotation]],
    ['Configuration', `.*${CONFIGURATION.map(name)}`, [annotation]],
  ]);
});

function annotationsIn(patch: string): Json[] {
  return patch
    .split('\n')
    .filter((line) => line.includes('argocd.argoproj.io/'))
    .map((line) => line.trim());
}
