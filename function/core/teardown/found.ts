import { isObject, type JsonObject } from '../../json.ts';
import type { Found } from './requests.ts';

/** The ids of what is looked up for every deleted instance; composed resources have one each. */
export const Id = {
  Definition: 'definition',
  CustomResourceDefinition: 'custom-resource-definition',
  Revision: 'revision',
  Namespaces: 'namespaces',
  Host: 'host',
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
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function composedIn(found: Found): readonly JsonObject[] {
  return [...found].flatMap(([id, value]) => (id.startsWith(COMPOSED) && isObject(value) ? [value] : []));
}

/** Whether an object can have it, and it can be asked for. Others come from fields that anybody may have written. */
export function isObjectName(name: string | undefined): name is string {
  return name !== undefined && name.length <= 253 && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name);
}
