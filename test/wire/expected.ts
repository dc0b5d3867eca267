import { isObject, type Json, type JsonObject } from '../../function/json.ts';
import { decodeBy, jsonOf } from './referee.ts';

type Fields = { readonly [field: string]: Fields } & { readonly [field: string]: unknown };

/** What decodeRequest must come to, taken from the referee's message: slow, plain, and by other means. */
export function expectedRequest(bytes: Uint8Array): JsonObject {
  const message = decodeBy('Request', bytes) as Fields;
  const { observed, desired } = message;
  return {
    tag: String(message['meta']?.['tag'] ?? ''),
    capabilities: [...new Set(listOf<number>(message['meta']?.['capabilities']))].sort(),
    composite: observed?.['composite'] === undefined ? 'none' : resourceOf(observed['composite']),
    resources: mapOf(observed?.['resources'], resourceOf),
    desiredComposite:
      desired?.['composite']?.['resource'] === undefined ? 'none' : jsonOf(desired['composite']['resource']),
    names: Object.keys(desired?.['resources'] ?? {}).sort(),
    input: message['input'] === undefined ? 'none' : lessened(jsonOf(message['input'])),
    context: message['context'] === undefined ? 'none' : jsonOf(message['context']),
    required: { ...mapOf(message['extraResources'], itemsOf), ...mapOf(message['requiredResources'], itemsOf) },
    schemas: mapOf(message['requiredSchemas'], (schema) =>
      schema['openapiV3'] === undefined ? 'none' : lessened(jsonOf(schema['openapiV3'])),
    ),
    credentials: mapOf(message['credentials'], (entry) => keysOf(entry['credentialData']?.['data'])),
  };
}

/** The value without what the decoder leaves behind on purpose. */
export function lessened(value: Json, under = ''): Json {
  if (Array.isArray(value)) return value.map((item) => lessened(item));
  if (!isObject(value)) return value;
  const kept = Object.entries(value)
    .filter(([key]) => key !== 'kubectl.kubernetes.io/last-applied-configuration')
    .filter(([key]) => !(key === 'managedFields' && under === 'metadata'))
    .map(([key, entry]) => [key, lessened(entry, key)] as const);
  const object = Object.fromEntries(kept);
  if (object['kind'] === 'Secret') return withoutValues(object);
  if (object['kind'] !== 'SecretList' || !Array.isArray(object['items'])) return object;
  return { ...object, items: object['items'].map((item) => (isObject(item) ? withoutValues(item) : item)) };
}

function withoutValues(secret: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(secret).map(([key, value]) => {
      if (key !== 'data' && key !== 'stringData') return [key, value];
      if (!isObject(value)) return [key, isFilled(value)];
      return [key, Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, isFilled(entry)]))];
    }),
  );
}

const isFilled = (value: Json): boolean => value !== null && value !== '' && value !== false;

function resourceOf(resource: Fields): JsonObject {
  return { resource: lessened(jsonOf(resource['resource'])), keys: keysOf(resource['connectionDetails']) };
}

/** The referee gives bytes as base64, which is empty when they are. */
function keysOf(data: unknown): JsonObject {
  return mapOf(data, (value) => String(value) !== '');
}

function itemsOf(resources: Fields): Json {
  return listOf<Fields>(resources['items']).map(resourceOf);
}

function mapOf(map: unknown, work: (value: Fields) => Json): JsonObject {
  return Object.fromEntries(Object.entries((map ?? {}) as Fields).map(([key, value]) => [key, work(value)]));
}

function listOf<T>(list: unknown): readonly T[] {
  return (list ?? []) as readonly T[];
}
