/**
 * Field numbers of apiextensions.fn.proto.v1 (v1beta1 has the same) and of what it borrows from google.protobuf.
 * Source: crossplane proto/fn/v1/run_function.proto.
 */
export const RequestField = {
  meta: 1,
  observed: 2,
  desired: 3,
  input: 4,
  context: 5,
  extraResources: 6,
  credentials: 7,
  requiredResources: 8,
  requiredSchemas: 9,
} as const;
export const RequestMetaField = { tag: 1, capabilities: 2 } as const;
export const StateField = { composite: 1, resources: 2 } as const;
export const ResourceField = { resource: 1, connectionDetails: 2, ready: 3 } as const;
export const ResourcesField = { items: 1 } as const;
export const SchemaField = { openapiV3: 1 } as const;
export const CredentialsField = { credentialData: 1 } as const;
export const CredentialDataField = { data: 1 } as const;

export const ResponseField = {
  meta: 1,
  desired: 2,
  results: 3,
  context: 4,
  requirements: 5,
  conditions: 6,
  output: 7,
} as const;
export const ResponseMetaField = { tag: 1, ttl: 2 } as const;
export const ResultField = { severity: 1, message: 2, reason: 3, target: 4 } as const;
export const ConditionField = { type: 1, status: 2, reason: 3, message: 4, target: 5 } as const;
export const RequirementsField = { extraResources: 1, resources: 2, schemas: 3 } as const;
export const ResourceSelectorField = { apiVersion: 1, kind: 2, matchName: 3, matchLabels: 4, namespace: 5 } as const;
export const MatchLabelsField = { labels: 1 } as const;
export const SchemaSelectorField = { apiVersion: 1, kind: 2 } as const;

export const DurationField = { seconds: 1, nanos: 2 } as const;
export const StructField = { fields: 1 } as const;
export const ListField = { values: 1 } as const;
export const ValueField = { null: 1, number: 2, string: 3, bool: 4, struct: 5, list: 6 } as const;
export const MapEntryField = { key: 1, value: 2 } as const;

/** Tags as they stand before a field: its number and how its value is written. */
export const varint = (field: number): number => field << 3;
export const fixed64 = (field: number): number => (field << 3) | 1;
export const delimited = (field: number): number => (field << 3) | 2;
