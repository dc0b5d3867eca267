import type { JsonObject } from '../json.ts';

/**
 * The messages of apiextensions.fn.proto.v1 as the core sees them.
 * Source: crossplane proto/fn/v1/run_function.proto.
 */

/** meta.capabilities: what the calling Crossplane can do. Numbers that are not listed are ignored. */
export const Capability = {
  Capabilities: 1,
  RequiredResources: 2,
  Credentials: 3,
  Conditions: 4,
  RequiredSchemas: 5,
} as const;

/**
 * Key -> whether its value is non-empty. Secret values end at the decoder: of a Secret's `data` and `stringData`, of
 * credentials and of connection details only this is left. In a decoded Secret `data.<key>` is a boolean.
 */
export type SecretKeys = ReadonlyMap<string, boolean>;

export interface ObservedResource {
  readonly resource: JsonObject;
  readonly connectionDetails: SecretKeys;
}

export interface RunFunctionRequest {
  readonly tag: string;
  readonly capabilities: ReadonlySet<number>;
  /** observed.composite; undefined when the message has none */
  readonly composite: ObservedResource | undefined;
  /** observed.resources by composition resource name */
  readonly resources: ReadonlyMap<string, ObservedResource>;
  /** What earlier pipeline steps desire. */
  readonly desired: EarlierDesired;
  readonly input: JsonObject | undefined;
  /** context, unread, as the bytes of its Struct */
  readonly context: Uint8Array | undefined;
  /** required_resources and the deprecated extra_resources. A key with an empty list: asked for, does not exist. */
  readonly requiredResources: ReadonlyMap<string, readonly ObservedResource[]>;
  /** required_schemas. A key with undefined: asked for, the API server does not serve the kind. */
  readonly requiredSchemas: ReadonlyMap<string, JsonObject | undefined>;
  /** credentials by name, keys only */
  readonly credentials: ReadonlyMap<string, SecretKeys>;
}

export interface EarlierDesired {
  /** desired.composite.resource decoded, because our status is merged into it; undefined when absent */
  readonly composite: JsonObject | undefined;
  /** desired.composite without its field `resource` (connection details, ready), as bytes; empty when absent */
  readonly compositeRest: Uint8Array;
  /** names of desired.resources */
  readonly names: readonly string[];
  /** desired.resources entries as the bytes they came in (each the payload of one map entry) */
  readonly entries: readonly Uint8Array[];
}

export const Ready = { Unspecified: 0, True: 1, False: 2 } as const;
export type Ready = (typeof Ready)[keyof typeof Ready];

export const Severity = { Unspecified: 0, Fatal: 1, Warning: 2, Normal: 3 } as const;
export type Severity = (typeof Severity)[keyof typeof Severity];

export const Target = { Unspecified: 0, Composite: 1, CompositeAndClaim: 2 } as const;
export type Target = (typeof Target)[keyof typeof Target];

export const ConditionStatus = { Unspecified: 0, Unknown: 1, True: 2, False: 3 } as const;
export type ConditionStatus = (typeof ConditionStatus)[keyof typeof ConditionStatus];

export interface Result {
  readonly severity: Severity;
  readonly message: string;
  readonly reason?: string;
  readonly target: Target;
}

export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message?: string;
  readonly target: Target;
}

export interface ResourceSelector {
  readonly apiVersion: string;
  readonly kind: string;
  readonly matchName: string;
  /** absent for cluster-scoped kinds */
  readonly namespace?: string;
}

export interface SchemaSelector {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface Requirements {
  readonly resources: ReadonlyMap<string, ResourceSelector>;
  readonly schemas: ReadonlyMap<string, SchemaSelector>;
}

export interface RunFunctionResponse {
  readonly tag: string;
  /** whole seconds, at least 1 */
  readonly ttlSeconds: number;
  readonly desired: {
    /** The earlier steps' composite with our status merged in; undefined leaves it as the earlier steps had it. */
    readonly composite: JsonObject | undefined;
    readonly compositeReady: Ready;
    /** Ours. Earlier steps' resources are written beside them from `earlier`. */
    readonly resources: ReadonlyMap<string, { readonly resource: JsonObject; readonly ready: Ready }>;
    readonly earlier: EarlierDesired;
  };
  readonly results: readonly Result[];
  readonly context: Uint8Array | undefined;
  readonly requirements: Requirements;
  readonly conditions: readonly Condition[];
}
