import { describe, expect, test } from 'vitest';
import { Kinds } from '../../function/core/teardown/requests.ts';
import { type Json, listAt, stringAt } from '../../function/json.ts';
import { CHART_GRANTS, CHART_KINDS } from './chart-grants.ts';
import { manifestsOf, textOf } from './manifests.ts';

const FILES = [
  'install/crossplane.yaml',
  'install/provider-helm.yaml',
  'install/provider-kubernetes.yaml',
  'teardown/rbac.yaml',
  'teardown/cleanup.yaml',
];
const OBJECTS = manifestsOf(...FILES).map(({ content }) => content);
/** ClusterRoles by name, Roles by namespace and name. */
const ROLES = new Map(
  OBJECTS.filter((object) => /^(Cluster)?Role$/.test(stringAt(object, 'kind') ?? '')).map((object) => [
    [stringAt(object, 'metadata', 'namespace'), stringAt(object, 'metadata', 'name')].filter(Boolean).join(' '),
    object,
  ]),
);

const READ = 'get list watch';
/** Server-side apply: read what is there, patch it, create it when it is not. */
const APPLY = 'get create patch';

/** Each right of a role once, as `group/resource verb`, with the object's name when the rule names one. */
function rights(role: string): string[] {
  return listAt(ROLES.get(role), 'rules')
    .flatMap((rule) => expand(rule))
    .sort();
}

function expand(rule: Json): string[] {
  const names = listAt(rule, 'resourceNames');
  return listAt(rule, 'apiGroups').flatMap((group) =>
    listAt(rule, 'resources').flatMap((resource) =>
      listAt(rule, 'verbs').map((verb) => [`${group}/${resource}`, verb, ...names].join(' ')),
    ),
  );
}

function declared(...tables: readonly Readonly<Record<string, string>>[]): string[] {
  const all = tables.flatMap((table) =>
    Object.entries(table).flatMap(([resource, verbs]) => verbs.split(' ').map((verb) => `${resource} ${verb}`)),
  );
  return [...new Set(all)].sort();
}

function each(resources: readonly string[], verbs: string): Record<string, string> {
  return Object.fromEntries(resources.map((resource) => [resource, verbs]));
}

describe('rights, exactly', () => {
  test('Crossplane owns the kinds that an instance composes and reads the kinds that it requires', () => {
    const composed = [
      'helm.m.crossplane.io/releases',
      'kubernetes.m.crossplane.io/objects',
      'kubernetes.m.crossplane.io/providerconfigs',
      '/configmaps',
      '/serviceaccounts',
      'pulumi.com/stacks',
    ];
    const required = ['/services', '/secrets', '/namespaces', 'apps/statefulsets', 'auto.pulumi.com/workspaces'];
    expect(rights('platform-instance:crossplane')).toEqual(
      declared(each(composed, `${READ} create update patch delete`), each(required, READ)),
    );
    expect(ROLES.get('platform-instance:crossplane')).toMatchObject({
      metadata: { labels: { 'rbac.crossplane.io/aggregate-to-crossplane': 'true' } },
    });
  });

  test('provider-helm writes what the chart holds and holds what the chart grants', () => {
    expect(new Set(rights('platform-instance:provider-helm'))).toEqual(
      new Set(declared(CHART_GRANTS, each(CHART_KINDS, `${APPLY} delete`))),
    );
  });

  test('provider-kubernetes applies the host objects of an instance and deletes none', () => {
    const objects = [
      '/namespaces',
      '/persistentvolumeclaims',
      'admissionregistration.k8s.io/validatingadmissionpolicies',
      'admissionregistration.k8s.io/validatingadmissionpolicybindings',
      'rbac.authorization.k8s.io/clusterrolebindings',
    ];
    const bind = { 'rbac.authorization.k8s.io/clusterroles': 'bind' };
    expect(rights('platform-instance:provider-kubernetes')).toEqual(
      declared(each(objects, APPLY), bind).map((right) =>
        right.endsWith(' bind') ? `${right} system:auth-delegator` : right,
      ),
    );
  });

  test('teardown destroys what an instance is made of, changes only what it must, and creates nothing but events and Jobs', () => {
    const api = 'platforminstances.platform.di-framework.dev';
    expect(rights('platform-instance:teardown')).toEqual(
      [
        ...declared({
          'platform.di-framework.dev/platforminstances': `${READ} patch`,
          'platform.di-framework.dev/platforminstances/status': 'patch',
          'apiextensions.crossplane.io/compositionrevisions': 'get',
          'helm.m.crossplane.io/releases': 'get patch delete',
          'kubernetes.m.crossplane.io/objects': 'get patch delete',
          'kubernetes.m.crossplane.io/providerconfigs': 'get delete',
          'pulumi.com/stacks': 'get patch delete',
          '/configmaps': 'get delete',
          '/serviceaccounts': 'get delete',
          '/namespaces': 'list delete',
          '/persistentvolumeclaims': 'list delete',
          '/persistentvolumes': 'list delete',
          'admissionregistration.k8s.io/validatingadmissionpolicies': 'list delete',
          'admissionregistration.k8s.io/validatingadmissionpolicybindings': 'list delete',
          'rbac.authorization.k8s.io/clusterrolebindings': 'get list delete',
          'rbac.authorization.k8s.io/clusterroles': 'get delete',
          '/events': 'create',
        }),
        `apiextensions.crossplane.io/compositeresourcedefinitions get ${api}`,
        `apiextensions.k8s.io/customresourcedefinitions get ${api}`,
      ].sort(),
    );
    expect(rights('crossplane-system platform-instance:teardown')).toEqual(
      declared({ 'batch/jobs': 'get list create delete', '/pods': 'list' }),
    );
  });

  test('teardown can read and write every kind that its plan looks up and changes', () => {
    const all = [...rights('platform-instance:teardown'), ...rights('crossplane-system platform-instance:teardown')];
    const readable = Object.values(Kinds).filter(({ apiVersion, resource }) => {
      const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
      return all.some((right) => new RegExp(`^${group}/${resource} (get|list)`).test(right));
    });
    expect(readable).toEqual(Object.values(Kinds));
  });

  test('teardown holds its roles under the ServiceAccount that its Deployment runs as', () => {
    const bindings = OBJECTS.filter((object) => /RoleBinding$/.test(stringAt(object, 'kind') ?? '')).filter((object) =>
      stringAt(object, 'metadata', 'name')?.endsWith(':teardown'),
    );
    const [deployment] = manifestsOf('teardown/deployment.yaml');
    const name = stringAt(deployment?.content, 'spec', 'template', 'spec', 'serviceAccountName') ?? '';
    const namespace = stringAt(deployment?.content, 'metadata', 'namespace') ?? '';
    expect(bindings.map((binding) => stringAt(binding, 'kind')).sort()).toEqual(['ClusterRoleBinding', 'RoleBinding']);
    for (const binding of bindings) {
      expect(listAt(binding, 'subjects')).toEqual([{ kind: 'ServiceAccount', name, namespace }]);
      expect(stringAt(binding, 'roleRef', 'name')).toBe('platform-instance:teardown');
      expect(`${stringAt(binding, 'roleRef', 'kind')}Binding`).toBe(stringAt(binding, 'kind'));
    }
    expect(OBJECTS.filter((object) => stringAt(object, 'kind') === 'ServiceAccount')).toMatchObject([
      { metadata: { name, namespace } },
    ]);
  });

  test('no role uses a wildcard, escalate or impersonate', () => {
    const all = [...ROLES.keys()].flatMap((role) => rights(role));
    expect(all.length).toBeGreaterThan(100);
    expect(all.filter((right) => /\*|escalate|impersonate/.test(right))).toEqual([]);
  });
});

describe('reasons', () => {
  test.each(FILES)('%s says why for each verb of each rule', (file) => {
    const lines = textOf(file).split('\n');
    const rules = lines.flatMap((line, index) => (line.startsWith('  - apiGroups:') ? [index] : []));
    expect(rules.length).toBeGreaterThan(0);
    for (const index of rules) {
      const verbs = /verbs: \[(.*)\]/.exec(lines.slice(index).find((line) => line.includes('verbs:')) ?? '')?.[1];
      const reason = commentAbove(lines, index);
      for (const verb of verbs?.split(', ') ?? ['a list of verbs'])
        expect(words(reason), `${file}:${index + 1}`).toContain(verb);
    }
  });
});

function commentAbove(lines: readonly string[], index: number): string {
  const above = lines.slice(0, index);
  const start = above.findLastIndex((line) => !line.startsWith('  #')) + 1;
  return above.slice(start).join(' ');
}

function words(text: string): string[] {
  return text.split(/[^a-z]+/i);
}
