import { type JsonObject, objectAt, stringAt } from '../../json.ts';
import { optional } from '../canonical.ts';
import type { Plan } from '../decide/plan.ts';
import { Annotation, Key } from '../keys.ts';
import type { Observed } from '../observe/index.ts';
import { type Run, writeRecord } from '../observe/memory.ts';
import { platformConfig } from './config.ts';
import { composedMetadata } from './object.ts';
import { programHash } from './program.ts';
import { workspaceTemplate } from './workspace.ts';

/** Project and stack are hashed into the platform's installation id, so they are the same for ever. */
const STACK = 'platform';

/** The Stack runs when its token changes; between runs its spec is carried as it is, so that nothing else starts one. */
export function platformStack(observed: Observed, plan: Plan, program: JsonObject | undefined): JsonObject | undefined {
  const { runs, render } = plan.install;
  const inUse = objectAt(observed.stack?.resource, 'spec');
  const token =
    runs.current?.token ??
    stringAt(observed.stack?.resource, 'metadata', 'annotations', Annotation.ReconciliationRequest);
  const isRendered = inUse === undefined || render;
  if (isRendered && (runs.current === undefined || observed.spec === undefined)) return undefined;
  const spec = isRendered && runs.current !== undefined ? stackSpec(observed, plan, runs.current, program) : inUse;
  return {
    apiVersion: 'pulumi.com/v1',
    kind: 'Stack',
    metadata: composedMetadata(observed, Key.PlatformStack, {
      ...optional(Annotation.ReconciliationRequest, token),
      [Annotation.Runs]: writeRecord(runs),
    }),
    spec: spec ?? {},
  };
}

/**
 * Canonical forms only: the operator writes the Stack back through its Go types, which drops explicit false and 0, prints
 * durations in full and adds `resources: {}`; any difference would move the generation and start a run.
 */
function stackSpec(observed: Observed, plan: Plan, run: Run, program: JsonObject | undefined): JsonObject {
  const { config } = platformConfig(observed, run, plan.storageRoot.path);
  const inUse = observed.stack?.resource;
  return {
    stack: stringAt(inUse, 'spec', 'stack') ?? STACK,
    backend: stringAt(inUse, 'spec', 'backend') ?? observed.settings.workspace.backend ?? 'file:///state',
    serviceAccountName: observed.names.composed[Key.StackServiceAccount],
    refresh: true,
    config: { ...config },
    envRefs: {
      PULUMI_CONFIG_PASSPHRASE_FILE: literal('/state/passphrase'),
      // A refresh must use the kubeconfig of today, not the one in the state.
      PULUMI_RUN_PROGRAM: literal('true'),
      PULUMI_FALLBACK_TO_STATE_SECRETS_MANAGER: literal('true'),
      PULUMI_SKIP_UPDATE_CHECK: literal('true'),
    },
    updateTemplate: { spec: { ttlAfterCompleted: '2h0m0s' } },
    workspaceTemplate: workspaceTemplate(observed, plan, programHash(program)),
  };
}

function literal(value: string): JsonObject {
  return { type: 'Literal', literal: { value } };
}
