import { isObject, type JsonObject } from '../../json.ts';
import type { Found } from './requests.ts';

/** The ids of what is looked up for every deleted instance; composed resources have one each. */
export const Id = {
  Definition: 'definition',
  CustomResourceDefinition: 'custom-resource-definition',
  Revision: 'revision',
  Namespaces: 'namespaces',
  Policies: 'policies',
  PolicyBindings: 'policy-bindings',
  RoleBindings: 'role-bindings',
  Claims: 'claims',
  Jobs: 'jobs',
  Pods: 'pods',
  ChartRole: 'chart-role',
  ChartRoleBinding: 'chart-role-binding',
  Volumes: 'volumes',
} as const;

/** Starts the id of every composed resource. */
export const COMPOSED = 'composed ';

export function one(found: Found, id: string): JsonObject | undefined {
  const value = found.get(id);
  return isObject(value) ? value : undefined;
}

export function many(found: Found, id: string): readonly JsonObject[] {
  const value = found.get(id);
  return Array.isArray(value) ? value : [];
}

export function composedIn(found: Found): readonly JsonObject[] {
  return [...found].flatMap(([id, value]) => (id.startsWith(COMPOSED) && isObject(value) ? [value] : []));
}
