import { describe, expect, test } from 'vitest';
import { type Json, listAt, stringAt } from '../../function/json.ts';
import { CHART_GRANTS, CHART_KINDS } from './chart-grants.ts';
import { manifestsOf, textOf } from './manifests.ts';

const FILES = ['install/crossplane.yaml', 'install/provider-helm.yaml', 'install/provider-kubernetes.yaml'];
const ROLES = new Map(
  manifestsOf(...FILES)
    .filter(({ content }) => stringAt(content, 'kind') === 'ClusterRole')
    .map(({ content }) => [stringAt(content, 'metadata', 'name'), content]),
);

const READ = 'get list watch';
/** Server-side apply: read what is there, patch it, create it when it is not. */
const APPLY = 'get create patch';

/** Each right of a ClusterRole once, as `group/resource verb`, with the object's name when the rule names one. */
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

  test('no role uses a wildcard, escalate or impersonate', () => {
    const all = [...ROLES.keys()].flatMap((role) => rights(role ?? ''));
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
