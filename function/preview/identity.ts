import { createHash } from 'node:crypto';
import { type JsonObject, stringAt } from '../json.ts';

export const API_VERSION = 'platform.di-framework.dev/v1alpha1';
export const KIND = 'PlatformInstance';

export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export function identityOf(object: JsonObject): Identity {
  return {
    apiVersion: stringAt(object, 'apiVersion') ?? '',
    kind: stringAt(object, 'kind') ?? '',
    namespace: stringAt(object, 'metadata', 'namespace') ?? '',
    name: stringAt(object, 'metadata', 'name') ?? '',
  };
}

export function sameIdentity(a: Identity, b: Identity): boolean {
  return a.apiVersion === b.apiVersion && a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}

/** `Secret team-a/blue-kubeconfig` */
export function describe({ kind, namespace, name }: Identity): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

/**
 * The UID that `crossplane composition render` gives an object that has none, so that both print the same owner references:
 * a version 5 UUID in the nil name space. Source: crossplane internal/render/composite/render.go.
 */
export function previewUid({ apiVersion, kind, namespace, name }: Identity): string {
  const digest = createHash('sha1')
    .update(Buffer.alloc(16))
    .update(`${apiVersion}, Kind=${kind}\0${namespace}\0${name}`)
    .digest()
    .subarray(0, 16);
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
