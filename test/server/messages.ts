import protobuf from 'protobufjs';

/** The parts of the messages that these tests look at, read by protobufjs itself and not by the codec under test. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Value { oneof kind {
    int32 null_value = 1; double number_value = 2; string string_value = 3; bool bool_value = 4;
    Struct struct_value = 5; List list_value = 6; } }
  message Struct { map<string, Value> fields = 1; }
  message List { repeated Value values = 1; }
  message Resource { Struct resource = 1; map<string, bytes> connection_details = 2; int32 ready = 3; }
  message Resources { repeated Resource items = 1; }
  message State { Resource composite = 1; map<string, Resource> resources = 2; }
  message Credentials { Data credential_data = 1; message Data { map<string, bytes> data = 1; } }
  message Request {
    message Meta { string tag = 1; repeated int32 capabilities = 2; }
    Meta meta = 1; State observed = 2; State desired = 3; Struct input = 4; Struct context = 5;
    map<string, Credentials> credentials = 7; map<string, Resources> required_resources = 8;
  }
  message Response {
    message Meta { string tag = 1; }
    message Result { int32 severity = 1; string message = 2; }
    Meta meta = 1; State desired = 2; repeated Result results = 3;
  }`);
const Request = root.lookupType('Request');
const Response = root.lookupType('Response');

export interface RequestParts {
  readonly tag?: string;
  readonly composite?: object;
  readonly resources?: Readonly<
    Record<string, { readonly resource: object; readonly connectionDetails?: Record<string, Buffer> }>
  >;
  readonly required?: Readonly<Record<string, readonly object[]>>;
  readonly credentials?: Readonly<Record<string, Record<string, Buffer>>>;
}

export function requestBytes({
  tag = '',
  composite,
  resources = {},
  required = {},
  credentials = {},
}: RequestParts): Buffer {
  const message = {
    meta: { tag },
    observed: {
      ...(composite === undefined ? {} : { composite: { resource: struct(composite) } }),
      resources: mapValues(resources, ({ resource, connectionDetails = {} }) => ({
        resource: struct(resource),
        connectionDetails,
      })),
    },
    requiredResources: mapValues(required, (items) => ({ items: items.map((item) => ({ resource: struct(item) })) })),
    credentials: mapValues(credentials, (data) => ({ credentialData: { data } })),
  };
  return Buffer.from(Request.encode(Request.fromObject(message)).finish());
}

export interface ResponseParts {
  readonly meta?: { readonly tag?: string };
  readonly results?: readonly { readonly severity: number; readonly message: string }[];
}

export function readResponse(bytes: Buffer | undefined): ResponseParts {
  if (bytes === undefined) throw new Error('no response');
  return Response.toObject(Response.decode(bytes)) as ResponseParts;
}

function struct(value: object): object {
  return { fields: mapValues(value as Record<string, unknown>, wrap) };
}

function wrap(value: unknown): object {
  if (value === null) return { nullValue: 0 };
  if (typeof value === 'number') return { numberValue: value };
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Array.isArray(value) ? { listValue: { values: value.map(wrap) } } : { structValue: struct(value as object) };
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

export const INSTANCE = {
  apiVersion: 'platform.di-framework.dev/v1alpha1',
  kind: 'PlatformInstance',
  metadata: { name: 'blue', namespace: 'team-a', uid: '0a6f7f2c-6f0e-4a57-8b60-3e9f5a1c2d3e' },
  spec: { version: '6.0.17', deletionPolicy: 'Delete', target: { type: 'vcluster' } },
};
