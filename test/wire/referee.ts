import protobuf from 'protobufjs';
import type { Json, JsonObject } from '../../function/json.ts';

/** The same messages read by protobufjs' own reflection: slow, complete, and not ours. */
const MESSAGES = {
  nested: {
    Struct: { fields: { fields: { keyType: 'string', type: 'Value', id: 1 } } },
    ListValue: { fields: { values: { rule: 'repeated', type: 'Value', id: 1 } } },
    Value: {
      oneofs: { kind: { oneof: ['nullValue', 'numberValue', 'stringValue', 'boolValue', 'structValue', 'listValue'] } },
      fields: {
        nullValue: { type: 'int32', id: 1 },
        numberValue: { type: 'double', id: 2 },
        stringValue: { type: 'string', id: 3 },
        boolValue: { type: 'bool', id: 4 },
        structValue: { type: 'Struct', id: 5 },
        listValue: { type: 'ListValue', id: 6 },
      },
    },
    Duration: { fields: { seconds: { type: 'int64', id: 1 }, nanos: { type: 'int32', id: 2 } } },
    Meta: { fields: { tag: { type: 'string', id: 1 }, capabilities: { rule: 'repeated', type: 'int32', id: 2 } } },
    Resource: {
      fields: {
        resource: { type: 'Struct', id: 1 },
        connectionDetails: { keyType: 'string', type: 'bytes', id: 2 },
        ready: { type: 'int32', id: 3 },
      },
    },
    Resources: { fields: { items: { rule: 'repeated', type: 'Resource', id: 1 } } },
    State: {
      fields: { composite: { type: 'Resource', id: 1 }, resources: { keyType: 'string', type: 'Resource', id: 2 } },
    },
    CredentialData: { fields: { data: { keyType: 'string', type: 'bytes', id: 1 } } },
    Credentials: { fields: { credentialData: { type: 'CredentialData', id: 1 } } },
    Schema: { fields: { openapiV3: { type: 'Struct', id: 1 } } },
    Request: {
      fields: {
        meta: { type: 'Meta', id: 1 },
        observed: { type: 'State', id: 2 },
        desired: { type: 'State', id: 3 },
        input: { type: 'Struct', id: 4 },
        context: { type: 'Struct', id: 5 },
        extraResources: { keyType: 'string', type: 'Resources', id: 6 },
        credentials: { keyType: 'string', type: 'Credentials', id: 7 },
        requiredResources: { keyType: 'string', type: 'Resources', id: 8 },
        requiredSchemas: { keyType: 'string', type: 'Schema', id: 9 },
      },
    },
    ResponseMeta: { fields: { tag: { type: 'string', id: 1 }, ttl: { type: 'Duration', id: 2 } } },
    Result: {
      fields: {
        severity: { type: 'int32', id: 1 },
        message: { type: 'string', id: 2 },
        reason: { type: 'string', id: 3 },
        target: { type: 'int32', id: 4 },
      },
    },
    Condition: {
      fields: {
        type: { type: 'string', id: 1 },
        status: { type: 'int32', id: 2 },
        reason: { type: 'string', id: 3 },
        message: { type: 'string', id: 4 },
        target: { type: 'int32', id: 5 },
      },
    },
    ResourceSelector: {
      fields: {
        apiVersion: { type: 'string', id: 1 },
        kind: { type: 'string', id: 2 },
        matchName: { type: 'string', id: 3 },
        namespace: { type: 'string', id: 5 },
      },
    },
    SchemaSelector: { fields: { apiVersion: { type: 'string', id: 1 }, kind: { type: 'string', id: 2 } } },
    Requirements: {
      fields: {
        resources: { keyType: 'string', type: 'ResourceSelector', id: 2 },
        schemas: { keyType: 'string', type: 'SchemaSelector', id: 3 },
      },
    },
    Response: {
      fields: {
        meta: { type: 'ResponseMeta', id: 1 },
        desired: { type: 'State', id: 2 },
        results: { rule: 'repeated', type: 'Result', id: 3 },
        context: { type: 'Struct', id: 4 },
        requirements: { type: 'Requirements', id: 5 },
        conditions: { rule: 'repeated', type: 'Condition', id: 6 },
      },
    },
  },
};

// The type of fromJSON knows no map fields, though the function does.
const root = protobuf.Root.fromJSON(MESSAGES as protobuf.INamespace);

type Message = { readonly [field: string]: unknown };

export function encodeBy(type: string, message: Message): Uint8Array {
  const found = root.lookupType(type);
  return found.encode(found.fromObject(message)).finish();
}

/** Whole numbers above 2^53 do not occur; maps and lists come as plain objects and arrays. */
export function decodeBy(type: string, bytes: Uint8Array): Message {
  const found = root.lookupType(type);
  return found.toObject(found.decode(bytes), { longs: Number, bytes: String, oneofs: true }) as Message;
}

/** Plain JSON as the referee's Struct message. */
export function structOf(object: JsonObject): Message {
  const fields = Object.entries(object).map(([key, value]) => [key, valueMessage(value)] as const);
  return { fields: Object.fromEntries(fields) };
}

function valueMessage(value: Json): Message {
  if (value === null) return { nullValue: 0 };
  if (typeof value === 'number') return { numberValue: value };
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (Array.isArray(value)) return { listValue: { values: value.map(valueMessage) } };
  return { structValue: structOf(value) };
}

/** The referee's Struct message as plain JSON. */
export function jsonOf(struct: unknown): JsonObject {
  const fields = (struct as { fields?: Record<string, unknown> } | undefined)?.fields ?? {};
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, jsonOfValue(value as Message)]));
}

function jsonOfValue(value: Message): Json {
  const kind = String(value['kind']);
  if (kind === 'structValue') return jsonOf(value[kind]);
  if (kind === 'listValue') return ((value[kind] as { values?: Message[] }).values ?? []).map(jsonOfValue);
  if (kind === 'nullValue' || kind === 'undefined') return null;
  return value[kind] as Json;
}
