import type { KubernetesResource } from '@crossplane-js/sdk/src/types.ts';
// The index of the package loads 3 MB and replaces console.log, so only this file of it is imported.
import { getErrorsFromObservedResources } from '@crossplane-js/sdk/src/utils/responseUtils.ts';

/** What a composed resource says is wrong with it. */
export interface ComposedError {
  /** composition resource name */
  readonly name: string;
  /** condition reason; empty when the condition has none */
  readonly reason: string;
  /** one line of bounded length: the reason, then what the condition says */
  readonly message: string;
}

type Unchecked = Readonly<Record<string, unknown>>;

const MAX_ERRORS = 32;
const MAX_MESSAGE = 256;

/**
 * Composed resources whose condition Synced or Ready is False, at most one error each and Synced before Ready, sorted by
 * name. `Ready False Creating` is no error: it is the normal state of a new managed resource. Never throws.
 */
export function readComposedErrors(observed: ReadonlyMap<string, Unchecked>): ComposedError[] {
  const names = [...observed.keys()].sort();
  const errors: ComposedError[] = [];
  for (const name of names) {
    const resource = sanitise(observed.get(name));
    const [first] = getErrorsFromObservedResources({ [name]: { resource } });
    if (first === undefined) continue;
    const reason = first.reason ?? '';
    const text = oneLine(first.message ?? '');
    errors.push({ name, reason, message: cut([reason, text].filter((part) => part !== '').join(': ')) });
    if (errors.length === MAX_ERRORS) break;
  }
  return errors;
}

/**
 * The few fields the SDK reads, in the types that it expects. It throws on a resource without metadata, on conditions that
 * are no list, and on an Object of kubernetes.crossplane.io without a manifest, which every new Object is.
 */
function sanitise(resource: Unchecked | undefined): KubernetesResource {
  const metadata = asRecord(resource?.['metadata']);
  const conditions = asRecord(resource?.['status'])['conditions'];
  return {
    apiVersion: asString(resource?.['apiVersion']),
    kind: asString(resource?.['kind']),
    metadata: { name: asString(metadata['name']) },
    status: {
      conditions: (Array.isArray(conditions) ? conditions : []).map(readCondition).filter(isTrouble).sort(syncedFirst),
      atProvider: { manifest: { metadata: {} } },
    },
  };
}

interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
}

function readCondition(value: unknown): Condition {
  const condition = asRecord(value);
  return {
    type: asString(condition['type']),
    status: asString(condition['status']),
    reason: asString(condition['reason']),
    message: asString(condition['message']),
  };
}

function isTrouble(condition: Condition): boolean {
  return !(condition.type === 'Ready' && condition.reason === 'Creating');
}

function syncedFirst(a: Condition, b: Condition): number {
  return Number(b.type === 'Synced') - Number(a.type === 'Synced');
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}

function cut(text: string): string {
  const characters = Array.from(text);
  return characters.length <= MAX_MESSAGE ? text : `${characters.slice(0, MAX_MESSAGE - 1).join('')}…`;
}

function asRecord(value: unknown): Unchecked {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Unchecked) : {};
}

function asString(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
