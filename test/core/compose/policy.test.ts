import { evaluate } from '@marcbachmann/cel-js';
import { describe, expect, it } from 'vitest';
import { at, type JsonObject, stringAt } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';
import { desired } from './fixtures.ts';

const HELM = 'system:serviceaccount:crossplane-system:provider-helm';

function policy(input?: JsonObject): JsonObject {
  const world = new World(MINIMAL, input === undefined ? {} : { input });
  world.step();
  world.syncObjects().step();
  const found = at(desired(world)['owner-service-policy'], 'spec', 'forProvider', 'manifest', 'spec');
  if (found === undefined) throw new Error('no policy is composed');
  return found as JsonObject;
}

interface Deletion {
  readonly service?: string;
  readonly username?: string;
  readonly groups?: string[];
  readonly terminating?: boolean;
}

/** Whether the API server would let the deletion through; a collection delete has no name in its request either. */
function isAllowed(deletion: Deletion, input?: JsonObject): boolean {
  const [validation] = policy(input)['validations'] as JsonObject[];
  const { service = 'vcluster', username = 'kim', groups = ['system:authenticated'], terminating = false } = deletion;
  return (
    evaluate(stringAt(validation, 'expression') ?? '', {
      oldObject: { metadata: { name: service } },
      request: { userInfo: { username, groups } },
      namespaceObject: { metadata: terminating ? { deletionTimestamp: '2026-06-01T12:00:00Z' } : {} },
    }) === true
  );
}

describe('[O03] the expression of the policy', () => {
  it.each<[string, Deletion, boolean]>([
    ['an ordinary user', {}, false],
    ['cluster-admin', { username: 'admin', groups: ['system:masters', 'system:authenticated'] }, false],
    ['the garbage collector', { username: 'system:serviceaccount:kube-system:generic-garbage-collector' }, false],
    ['a user whose name only begins like an exempt one', { username: `${HELM}-2` }, false],
    ['the Helm provider', { username: HELM }, true],
    ['anybody, once the namespace is being deleted', { terminating: true }, true],
    ['anybody, when it is another Service', { service: 'vcluster-headless' }, true],
  ])('answers %s', (_, deletion, allowed) => {
    expect(isAllowed(deletion)).toBe(allowed);
  });

  it('lets through the users and groups of the settings, and nobody else', () => {
    const input = { admission: { exemptUsers: ['kim'], exemptGroups: ['ops', 'sre'] } };
    expect(isAllowed({}, input)).toBe(true);
    expect(isAllowed({ username: 'lee' }, input)).toBe(false);
    expect(isAllowed({ username: 'lee', groups: ['sre'] }, input)).toBe(true);
    expect(isAllowed({ username: HELM }, input)).toBe(false);
  });

  it('lets nobody through when nobody is exempt', () => {
    const input = { admission: { exemptUsers: [], exemptGroups: [] } };
    expect(isAllowed({ username: HELM }, input)).toBe(false);
    expect(isAllowed({ terminating: true }, input)).toBe(true);
  });

  it.each(["a'b", 'a"b', 'a\\b', '"] || true || "" in ["', 'ü', 'a b'])('takes the user name %s as it is', (name) => {
    const input = { admission: { exemptUsers: [name], exemptGroups: [name] } };
    expect(isAllowed({ username: name }, input)).toBe(true);
    expect(isAllowed({ groups: [name] }, input)).toBe(true);
    expect(isAllowed({}, input)).toBe(false);
  });
});

describe('[O03] the policy', () => {
  it('looks at deletions of Services in the host namespace, with every default of the API server written out', () => {
    const world = new World(MINIMAL);
    world.step();
    const { validations: _, ...spec } = policy();
    expect(spec).toEqual({
      failurePolicy: 'Fail',
      matchConstraints: {
        matchPolicy: 'Equivalent',
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': world.hostNamespace } },
        objectSelector: {},
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['services'], scope: '*' },
        ],
      },
    });
  });

  it('is bound to deny', () => {
    const world = new World(MINIMAL);
    world.step();
    world.syncObjects().step();
    const all = desired(world);
    expect(at(all['owner-service-policy-binding'], 'spec', 'forProvider', 'manifest', 'spec')).toEqual({
      policyName: stringAt(all['owner-service-policy'], 'spec', 'forProvider', 'manifest', 'metadata', 'name'),
      validationActions: ['Deny'],
    });
  });
});
