import { type JsonObject, stringAt } from '../../../function/json.ts';

/** What the Pulumi operator writes into a Stack's status (operator/api/pulumi/v1/stack_types.go, shared/stack_types.go). */
export interface Update {
  readonly token: string;
  readonly generation: number;
  readonly name: string;
}

export function current({ token, generation, name }: Update): JsonObject {
  return { generation, reconcileRequest: token, name };
}

export function processing({ token, generation }: Update): JsonObject {
  return {
    observedReconcileRequest: token,
    observedGeneration: generation,
    conditions: [
      stackCondition('Ready', 'False', 'NotReadyInProgress'),
      stackCondition('Reconciling', 'True', 'StackProcessing'),
    ],
  };
}

export function ended(update: Update, outputs: JsonObject, failure: string | undefined): JsonObject {
  const lastUpdate = { ...current(update), type: 'up', lastResyncTime: timestamp() };
  if (failure === undefined) {
    return {
      currentUpdate: null,
      lastUpdate: { ...lastUpdate, state: 'succeeded', message: null },
      outputs,
      conditions: [stackCondition('Ready', 'True', 'ProcessingCompleted')],
    };
  }
  return {
    currentUpdate: null,
    lastUpdate: { ...lastUpdate, state: 'failed', message: failure },
    conditions: [
      stackCondition('Ready', 'False', 'NotReadyInProgress'),
      stackCondition('Reconciling', 'True', 'RetryingAfterFailure'),
    ],
  };
}

function stackCondition(type: string, status: string, reason: string): JsonObject {
  return { type, status, reason, message: '', lastTransitionTime: timestamp() };
}

export function outputsOf(stack: JsonObject): JsonObject {
  const http = stringAt(stack, 'spec', 'config', 'httpEndpoint');
  const kubernetes = stringAt(stack, 'spec', 'config', 'kubernetesEndpoint') ?? '';
  return { endpoints: { kubernetes, ...(http === undefined ? {} : { http }) } };
}

function timestamp(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}
