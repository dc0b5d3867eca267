import { request } from 'node:https';
import { isObject, type JsonObject, listAt, stringAt } from '../../../function/json.ts';
import { collectionOf, type Kube } from './kube.ts';

/** A write of one instance or of what it composes: what Crossplane's watch circuit breaker counts. */
export interface Change {
  /** seconds since 1970 */
  readonly at: number;
  /** ADDED, MODIFIED or DELETED */
  readonly type: string;
  /** composition resource name; empty for the instance itself */
  readonly key: string;
  /** who wrote: field managers, with the subresource */
  readonly managers: readonly string[];
}

const COMPOSED: readonly (readonly [string, string])[] = [
  ['helm.m.crossplane.io/v1beta1', 'Release'],
  ['kubernetes.m.crossplane.io/v1alpha1', 'Object'],
  ['kubernetes.m.crossplane.io/v1alpha1', 'ProviderConfig'],
  ['v1', 'ConfigMap'],
  ['v1', 'ServiceAccount'],
  ['pulumi.com/v1', 'Stack'],
];
const COMPOSITE: readonly [string, string] = ['platform.di-framework.dev/v1alpha1', 'PlatformInstance'];
const KEY = 'crossplane.io/composition-resource-name';

/** internal/circuit/token_bucket.go of Crossplane v2.3: an update is mapped twice, as it was and as it is. */
const BURST = 100;
const REFILL_PER_SECOND = 1;
const TOKENS: { readonly [type: string]: number } = { ADDED: 1, MODIFIED: 2, DELETED: 1 };

/** Watches one instance from before it is created. */
export class BreakerWatch {
  readonly changes: Change[] = [];
  readonly #last = new Map<string, JsonObject>();
  readonly #ends: (() => void)[] = [];
  readonly #kube: Kube;
  readonly #namespace: string;
  readonly #name: string;

  constructor(kube: Kube, namespace: string, name: string) {
    this.#kube = kube;
    this.#namespace = namespace;
    this.#name = name;
  }

  async start(): Promise<void> {
    await Promise.all([COMPOSITE, ...COMPOSED].map(([apiVersion, kind]) => this.#watch(apiVersion, kind)));
  }

  stop(): void {
    for (const end of this.#ends) end();
  }

  async #watch(apiVersion: string, kind: string): Promise<void> {
    const collection = collectionOf({ apiVersion, kind, namespace: this.#namespace });
    const { body } = await this.#kube.request('GET', `${collection}?limit=1`);
    const from = stringAt(body, 'metadata', 'resourceVersion') ?? '';
    const { server, token, certificateAuthority } = this.#kube.access;
    const asked = request(`${server}${collection}?watch=1&resourceVersion=${from}`, {
      ca: certificateAuthority,
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    });
    this.#ends.push(() => asked.destroy());
    asked.on('error', () => undefined);
    asked.on('response', (response) => {
      response.on('error', () => undefined);
      let rest = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        const lines = `${rest}${text}`.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) this.#take(line);
      });
    });
    asked.end();
  }

  #take(line: string): void {
    const event: unknown = JSON.parse(line);
    if (!isObject(event) || !isObject(event['object'])) return;
    const object = event['object'];
    if (!this.#isOurs(object)) return;
    const uid = stringAt(object, 'metadata', 'uid') ?? '';
    const managers = writers(this.#last.get(uid), object);
    this.#last.set(uid, object);
    const key = stringAt(object, 'metadata', 'annotations', KEY) ?? '';
    this.changes.push({ at: Date.now() / 1000, type: stringAt(event, 'type') ?? '', key, managers });
  }

  #isOurs(object: JsonObject): boolean {
    if (object['kind'] === COMPOSITE[1]) return stringAt(object, 'metadata', 'name') === this.#name;
    return listAt(object, 'metadata', 'ownerReferences').some((owner) => stringAt(owner, 'name') === this.#name);
  }
}

/** How often each composed resource was written, its creation included, the most written first. */
export function writesByKey(changes: readonly Change[]): Map<string, number> {
  const writes = new Map<string, number>();
  for (const { key } of changes) if (key !== '') writes.set(key, (writes.get(key) ?? 0) + 1);
  return new Map([...writes].sort(([, a], [, b]) => b - a));
}

/** The fewest tokens that were left in Crossplane's bucket; the breaker opens at none. */
export function fewestTokens(changes: readonly Change[]): number {
  let tokens = BURST;
  let fewest = BURST;
  let last = changes[0]?.at ?? 0;
  for (const { at, type } of changes) {
    tokens = Math.min(BURST, tokens + (at - last) * REFILL_PER_SECOND) - (TOKENS[type] ?? 0);
    last = at;
    fewest = Math.min(fewest, tokens);
  }
  return fewest;
}

function writers(before: JsonObject | undefined, after: JsonObject): string[] {
  const known = new Set(listAt(before, 'metadata', 'managedFields').map((entry) => JSON.stringify(entry)));
  return listAt(after, 'metadata', 'managedFields')
    .filter((entry) => !known.has(JSON.stringify(entry)))
    .map((entry) => [stringAt(entry, 'manager'), stringAt(entry, 'subresource')].filter(Boolean).join('/'));
}
