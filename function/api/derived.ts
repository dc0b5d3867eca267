import { isObject, type Json, type JsonObject, listAt, numberAt, objectAt, stringAt } from '../json.ts';

/**
 * The CustomResourceDefinition that Crossplane derives from a namespaced CompositeResourceDefinition, without the owner
 * reference. Source: crossplane-runtime v2.3.3, pkg/xcrd.
 */
export function derivedDefinition(definition: JsonObject): JsonObject {
  const { metadata = {}, spec } = definition;
  const labels = { ...objectAt(metadata, 'labels'), ...objectAt(spec, 'metadata', 'labels') };
  const annotations = objectAt(spec, 'metadata', 'annotations');
  const names = objectAt(spec, 'names') ?? {};
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(annotations !== undefined && { annotations }),
      name: stringAt(metadata, 'name') ?? '',
    },
    spec: {
      group: stringAt(spec, 'group') ?? '',
      names: { ...names, categories: [...listAt(names, 'categories'), 'composite'] },
      scope: 'Namespaced',
      versions: listAt(spec, 'versions').filter(isObject).map(derivedVersion),
    },
  };
}

function derivedVersion(version: JsonObject): JsonObject {
  const schema = objectAt(version, 'schema', 'openAPIV3Schema') ?? {};
  return {
    name: stringAt(version, 'name') ?? '',
    served: version['served'] === true,
    storage: version['referenceable'] === true,
    subresources: { status: {} },
    additionalPrinterColumns: [...listAt(version, 'additionalPrinterColumns'), ...COLUMNS],
    schema: { openAPIV3Schema: derivedSchema(schema) },
  };
}

/** Of the schema, only these keywords survive at its root, in spec and in status. What lies below them does unchanged. */
const ROOT_KEYWORDS = ['description', 'x-kubernetes-validations'];
const SPEC_KEYWORDS = [...ROOT_KEYWORDS, 'required', 'properties', 'oneOf', 'x-kubernetes-preserve-unknown-fields'];
const STATUS_KEYWORDS = [...ROOT_KEYWORDS, 'required', 'properties', 'oneOf'];

/** The name of a composite resource becomes a label value. */
const MAX_NAME = 63;

function derivedSchema(schema: JsonObject): JsonObject {
  const named = numberAt(schema, 'properties', 'metadata', 'properties', 'name', 'maxLength') ?? MAX_NAME;
  const spec = survivors(objectAt(schema, 'properties', 'spec'), SPEC_KEYWORDS);
  const status = survivors(objectAt(schema, 'properties', 'status'), STATUS_KEYWORDS);
  return {
    ...survivors(schema, ROOT_KEYWORDS),
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: {
        type: 'object',
        properties: { name: { type: 'string', maxLength: Math.min(named, MAX_NAME) } },
      },
      spec: { ...spec, type: 'object', properties: { ...objectAt(spec, 'properties'), crossplane: MACHINERY } },
      status: { ...status, type: 'object', properties: { ...objectAt(status, 'properties'), conditions: CONDITIONS } },
    },
  };
}

function survivors(schema: JsonObject | undefined, keywords: readonly string[]): JsonObject {
  const entries = Object.entries(schema ?? {}).filter(([keyword]) => keywords.includes(keyword));
  return Object.fromEntries(entries);
}

const STRING: JsonObject = { type: 'string' };

function closed(required: readonly string[], properties: JsonObject): JsonObject {
  return { type: 'object', required: [...required], properties };
}

const REFERENCE = closed(['name'], { name: STRING });
const SELECTOR = closed(['matchLabels'], { matchLabels: { type: 'object', additionalProperties: STRING } });

const MACHINERY: JsonObject = {
  type: 'object',
  description: 'Configures how Crossplane will reconcile this composite resource',
  properties: {
    compositionRef: REFERENCE,
    compositionSelector: SELECTOR,
    compositionRevisionRef: REFERENCE,
    compositionRevisionSelector: SELECTOR,
    // The API server sets the update policy of a CompositeResourceDefinition that names none to Automatic.
    compositionUpdatePolicy: { type: 'string', enum: ['Automatic', 'Manual'], default: 'Automatic' },
    resourceRefs: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: closed(['apiVersion', 'kind'], { apiVersion: STRING, kind: STRING, name: STRING }),
    },
  },
};

const CONDITIONS: JsonObject = {
  type: 'array',
  description: 'Conditions of the resource.',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: closed(['lastTransitionTime', 'reason', 'status', 'type'], {
    lastTransitionTime: { type: 'string', format: 'date-time' },
    message: STRING,
    observedGeneration: { type: 'integer', format: 'int64' },
    reason: STRING,
    status: STRING,
    type: STRING,
  }),
};

const COLUMNS: Json[] = [
  { name: 'SYNCED', type: 'string', jsonPath: ".status.conditions[?(@.type=='Synced')].status" },
  { name: 'READY', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
  { name: 'COMPOSITION', type: 'string', jsonPath: '.spec.crossplane.compositionRef.name' },
  {
    name: 'COMPOSITIONREVISION',
    type: 'string',
    jsonPath: '.spec.crossplane.compositionRevisionRef.name',
    priority: 1,
  },
  { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];
