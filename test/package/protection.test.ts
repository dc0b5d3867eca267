import { describe, expect, it, test } from 'vitest';
import { type JsonObject, listAt, stringAt } from '../../function/json.ts';
import { PROTECTION, refusals } from './fence.ts';

const PROTECTED = 'platform.di-framework.dev/protected';
const HOW = `is protected: to delete it, first remove its annotation ${PROTECTED}, in a change by itself`;
const { policy, binding } = PROTECTION;

const instance = (metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'platform.di-framework.dev/v1alpha1',
  kind: 'PlatformInstance',
  metadata: { name: 'blue', namespace: 'team-a', ...metadata },
  spec: { deletionPolicy: 'Retain' },
});
const namespace = (metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'team-a', ...metadata },
});
const annotated = (value: string): JsonObject => ({ annotations: { other: 'x', [PROTECTED]: value } });

const resources: Readonly<Record<string, string>> = {
  PlatformInstance: 'platform.di-framework.dev/platforminstances',
  Namespace: '/namespaces',
};
function deletion(oldObject: JsonObject, username = 'system:admin'): string[] {
  const kind = stringAt(oldObject, 'kind') ?? '';
  return refusals({ operation: 'DELETE', resource: resources[kind] ?? '', kind, oldObject, username }, policy);
}

describe('what is annotated as protected', () => {
  it('is not deleted, and the refusal names it and the way on', () => {
    expect(deletion(instance(annotated('true')))).toEqual([`PlatformInstance team-a/blue ${HOW}`]);
    expect(deletion(namespace(annotated('true')))).toEqual([`Namespace team-a ${HOW}`]);
  });

  it.each([
    'system:admin',
    'system:serviceaccount:kube-system:namespace-controller',
    'system:serviceaccount:kube-system:generic-garbage-collector',
    'system:serviceaccount:crossplane-system:crossplane',
    'system:serviceaccount:crossplane-system:platform-instance-teardown',
  ])('is not deleted by %s either', (username) => {
    expect(deletion(instance(annotated('true')), username)).toHaveLength(1);
    expect(deletion(namespace(annotated('true')), username)).toHaveLength(1);
  });

  it.each(['True', 'yes', '', '1'])('is protected by a slip of the pen too: %j', (value) => {
    expect(deletion(instance(annotated(value)))).toHaveLength(1);
  });

  it('goes on going when it is being deleted already', () => {
    const going = { ...annotated('true'), deletionTimestamp: '2026-06-01T12:00:00Z' };
    expect(deletion(instance(going))).toEqual([]);
    expect(deletion(namespace(going))).toEqual([]);
  });

  it('may be changed at any time, so that the annotation can be removed', () => {
    const rules = listAt(policy, 'spec', 'matchConstraints', 'resourceRules');
    expect(rules.map((rule) => listAt(rule, 'operations'))).toEqual([['DELETE'], ['DELETE']]);
  });
});

test('what is not annotated is nobody’s concern', () => {
  for (const metadata of [{}, { annotations: {} }, { annotations: { other: 'x' } }, annotated('false')]) {
    expect(deletion(instance(metadata))).toEqual([]);
    expect(deletion(namespace(metadata))).toEqual([]);
  }
});

test('the binding is of this policy, everywhere, and denies', () => {
  expect(binding['spec']).toEqual({ policyName: 'platform-instance-protection', validationActions: ['Deny'] });
  expect(stringAt(policy, 'metadata', 'name')).toBe('platform-instance-protection');
  expect(stringAt(policy, 'spec', 'failurePolicy')).toBe('Fail');
});
