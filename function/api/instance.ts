import { isObject, type Json, type JsonObject, numberAt, objectAt, stringAt } from '../json.ts';
import { type PlatformInstanceSpec, spec } from './instance.spec.ts';
import type { Issue, Parsed } from './issues.ts';
import { codePoints, NAMESPACE, RESOURCE_NAME } from './patterns.ts';
import { read, withoutNulls } from './read.ts';

export type { Platform, PlatformInstanceSpec } from './instance.spec.ts';
export type { Phase, PlatformInstanceStatus } from './instance.status.ts';
export type { Tenant, User } from './tenancy.ts';
export type { TenantAuth } from './tenant.auth.ts';

export interface PlatformInstance {
  readonly metadata: InstanceMetadata;
  readonly spec: PlatformInstanceSpec;
}

export interface InstanceMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly creationTimestamp: string | undefined;
  readonly deletionTimestamp: string | undefined;
  readonly annotations: { readonly [key: string]: string };
  readonly labels: { readonly [key: string]: string };
  readonly finalizers: readonly string[];
}

const MAX_NAME = 63;

/** Crossplane sets a length of its own on metadata.name, so the API server answers with that one before it asks this. */
export const NAME_RULE = {
  rule: `self.metadata.name.size() <= ${MAX_NAME}`,
  message: `name must be at most ${MAX_NAME} characters`,
};

/**
 * An instance with the defaults of its schema, or all that is wrong with it. Fields that the schema does not have, such
 * as spec.crossplane, and status are not looked at.
 */
export function readInstance(resource: JsonObject): Parsed<PlatformInstance> {
  const metadata = readMetadata(resource);
  const parsed = read(spec, withoutNulls(resource['spec'] ?? null) ?? undefined, ['spec']);
  const issues = [...metadataIssues(metadata), ...('issues' in parsed ? parsed.issues : [])];
  if (issues.length > 0 || !('value' in parsed)) return { issues };
  return { value: { metadata, spec: parsed.value } };
}

function readMetadata(resource: JsonObject): InstanceMetadata {
  const metadata = objectAt(resource, 'metadata');
  return {
    name: stringAt(metadata, 'name') ?? '',
    namespace: stringAt(metadata, 'namespace') ?? '',
    uid: stringAt(metadata, 'uid'),
    generation: numberAt(metadata, 'generation'),
    creationTimestamp: stringAt(metadata, 'creationTimestamp'),
    deletionTimestamp: stringAt(metadata, 'deletionTimestamp'),
    annotations: strings(metadata?.['annotations']),
    labels: strings(metadata?.['labels']),
    finalizers: listOf(metadata?.['finalizers']),
  };
}

function strings(value: Json | undefined): { [key: string]: string } {
  const entries = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function listOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function metadataIssues({ name, namespace }: InstanceMetadata): Issue[] {
  return [...nameIssues(name), ...namespaceIssues(namespace)];
}

function nameIssues(name: string): Issue[] {
  const path = 'metadata.name';
  if (name === '') return [{ path, message: 'is required' }];
  if (codePoints(name) > MAX_NAME) return [{ path, message: NAME_RULE.message }];
  if (RESOURCE_NAME.test(name)) return [];
  return [
    { path, message: 'must be lower-case letters, digits, hyphens and dots, with a letter or digit at both ends' },
  ];
}

function namespaceIssues(namespace: string): Issue[] {
  const path = 'metadata.namespace';
  if (namespace === '') return [{ path, message: 'is required' }];
  if (namespace.length <= 63 && NAMESPACE.test(namespace)) return [];
  return [
    { path, message: 'must be at most 63 lower-case letters, digits and hyphens, with a letter or digit at both ends' },
  ];
}
