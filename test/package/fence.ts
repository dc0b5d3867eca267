import { evaluate } from '@marcbachmann/cel-js';
import { at, isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../function/json.ts';
import { manifestsOf } from './manifests.ts';

const [POLICY, BINDING] = manifestsOf('teardown/fence.yaml').map(({ content }) => content);
const [PROTECTION_POLICY, PROTECTION_BINDING] = manifestsOf('install/protection.yaml').map(({ content }) => content);
const [NOTE_POLICY] = manifestsOf('teardown/note.yaml').map(({ content }) => content);

export const FENCE = POLICY ?? {};
export const NOTE = NOTE_POLICY ?? {};
export const PROTECTION = { policy: PROTECTION_POLICY ?? {}, binding: PROTECTION_BINDING ?? {} };
export const FENCE_BINDING = BINDING ?? {};
export const TEARDOWN_USER = 'system:serviceaccount:crossplane-system:platform-instance-teardown';

export interface Attempt {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  /** `group/plural`, the core group without a name */
  readonly resource: string;
  readonly kind?: string;
  readonly object?: JsonObject;
  readonly oldObject?: JsonObject;
  readonly username?: string;
}

/** What the API server answers: the messages of the validations that fail, none when the policy lets it through. */
export function refusals(attempt: Attempt, policy: JsonObject = FENCE): string[] {
  const { operation, resource, kind = '', object = null, oldObject = null, username = TEARDOWN_USER } = attempt;
  const [group = '', plural = ''] = resource.split('/');
  const asks = listAt(policy, 'spec', 'matchConstraints', 'resourceRules').some(
    (rule) =>
      listAt(rule, 'apiGroups').includes(group) &&
      listAt(rule, 'resources').includes(plural) &&
      listAt(rule, 'operations').includes(operation),
  );
  if (!asks) return [];
  // A collection delete has no name in its request.
  const request = {
    operation,
    name: '',
    kind: { kind },
    resource: { group, resource: plural },
    userInfo: { username },
  };
  const known = { request, object, oldObject };
  const conditions = listAt(policy, 'spec', 'matchConditions').map((each) => stringAt(each, 'expression') ?? '');
  if (!conditions.every((expression) => evaluate(expression, known) === true)) return [];
  const variables: Record<string, unknown> = {};
  for (const each of listAt(policy, 'spec', 'variables').filter(isObject)) {
    variables[stringAt(each, 'name') ?? ''] = evaluate(stringAt(each, 'expression') ?? '', { ...known, variables });
  }
  return listAt(policy, 'spec', 'validations').flatMap((each) =>
    evaluate(stringAt(each, 'expression') ?? '', { ...known, variables }) === true
      ? []
      : [messageOf(each, { ...known, variables })],
  );
}

function messageOf(validation: Json, known: Record<string, unknown>): string {
  const expression = stringAt(validation, 'messageExpression');
  return expression === undefined ? (stringAt(validation, 'message') ?? '') : String(evaluate(expression, known));
}

/** The object with one part of its metadata taken away. */
export function bare(object: JsonObject, part: 'labels' | 'annotations'): JsonObject {
  const { [part]: _, ...metadata } = objectAt(object, 'metadata') ?? {};
  return { ...object, metadata };
}

export function manifestIn(composed: JsonObject): JsonObject | undefined {
  const manifest = at(composed, 'spec', 'forProvider', 'manifest');
  return isObject(manifest) ? manifest : undefined;
}
