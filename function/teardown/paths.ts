import type { Kind, Reference, Selection } from '../core/teardown/requests.ts';

/** Where a kind is served: in one namespace, or with none in all of them. */
export function collectionPath({ apiVersion, resource }: Kind, namespace?: string): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${group}${namespace === undefined ? '' : `/namespaces/${segment(namespace)}`}/${resource}`;
}

export function objectPath(reference: Reference, subresource?: 'status'): string {
  const path = `${collectionPath(reference, reference.namespace)}/${segment(reference.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

export function selectorOf({ labels }: Selection): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

/** Without a name the path would mean the whole collection, and with dots another one. */
function segment(name: string): string {
  if (name === '' || name === '.' || name === '..') throw new Error('an object without a name cannot be reached');
  return encodeURIComponent(name);
}
