import { sha256 } from '../hash.ts';
import { type JsonObject, stringAt } from '../json.ts';
import { Key } from './keys.ts';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const LABEL_LIMIT = 63;
/** The Pulumi operator refuses Stack names over 42 characters (CEL rule of its CRD). */
const STACK_LIMIT = 42;
/** The chart's ClusterRole is `vc-vcluster-v-<namespace>` cut to 63 characters: 49 of the namespace survive. */
const HOST_NAMESPACE_LIMIT = 49;

export const HELM_RELEASE = 'vcluster';

export interface Names {
  readonly id: string;
  /** metadata.name of each composed resource, also used for the object inside its manifest */
  readonly composed: { readonly [key in Key]: string };
  readonly hostNamespace: string;
  /** Secret in the instance's namespace with the admin kubeconfig */
  readonly kubeconfigSecret: string;
}

export function instanceId(namespace: string, name: string): string {
  return base32(sha256(`${namespace}/${name}`).subarray(0, 5));
}

export function instanceNames(namespace: string, name: string): Names {
  const id = instanceId(namespace, name);
  const base = name.replaceAll('.', '-');
  const composed = Object.fromEntries(
    Object.values(Key).map((key) => [
      key,
      key === Key.PlatformStack
        ? joined('pi-', base, `-${id}`, STACK_LIMIT)
        : joined('pi-', base, `-${id}-${key}`, LABEL_LIMIT),
    ]),
  ) as { [key in Key]: string };
  return {
    id,
    composed,
    hostNamespace: joined('pi-', `${namespace}-${base}`, `-${id}`, HOST_NAMESPACE_LIMIT),
    kubeconfigSecret: `${name}-kubeconfig`,
  };
}

/**
 * The names as they are in use. Crossplane never renames a composed resource, so after a change of the rule above what
 * refers to an existing one must say its old name.
 */
export function namesInUse(rule: Names, observed: (key: Key) => JsonObject | undefined): Names {
  const inUse = Object.values(Key).map((key) => [
    key,
    stringAt(observed(key), 'metadata', 'name') ?? rule.composed[key],
  ]);
  return { ...rule, composed: Object.fromEntries(inUse) as { [key in Key]: string } };
}

/** The middle is cut to fit, and never ends in a dash. */
function joined(prefix: string, middle: string, suffix: string, limit: number): string {
  const cut = middle.slice(0, limit - prefix.length - suffix.length).replace(/-+$/, '');
  return `${prefix}${cut}${suffix}`;
}

/** RFC 4648 base32 in lower case; the input is a multiple of five bytes, so there is no padding. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(held >> bits) & 31];
      held &= (1 << bits) - 1;
    }
  }
  return text;
}
