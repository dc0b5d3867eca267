import { stringAt } from '../../json.ts';
import { condition } from '../observe/conditions.ts';
import { oneLine, someOf } from '../text.ts';
import { formatDuration } from '../time.ts';
import { cleanupProblem } from './cleanup.ts';
import { foreignHost } from './destroy.ts';
import { titleOf } from './requests.ts';
import { isRetained } from './retain.ts';
import { isLate, type Stage } from './stage.ts';
import { actionKey, type Failure } from './step.ts';
import type { Thing } from './thing.ts';
import { settingsIn, type View } from './view.ts';

/** Why the deletion does not go on as it should, by the condition that says so; undefined where all is well. */
export interface Problems {
  /** TargetDeleteFailed */
  readonly target: string | undefined;
  /** UninstallFailed */
  readonly install: string | undefined;
  /** StorageCleanupFailed */
  readonly storage: string | undefined;
}

export function problems(view: View, stage: Stage | undefined, failure: Failure | undefined): Problems {
  const failing = failedAction(stage, failure);
  if (isRetained(view)) return { target: failing.target, install: failing.install, storage: undefined };
  const target = [...(view.hostNamespace === undefined ? [] : [view.hostNamespace]), ...targetThings(view)];
  const install = [...(view.stack === undefined ? [] : [view.stack]), ...view.claims, ...view.roleBindings];
  return {
    target: failing.target ?? foreignHost(view) ?? late(view, target),
    install: failing.install ?? late(view, install),
    storage: failing.storage ?? cleanupProblem(view),
  };
}

function targetThings(view: View): readonly Thing[] {
  return [...view.policies, ...view.chartRoles, ...view.volumes, ...view.managed];
}

/** What the API server refused, as long as the plan still wants it. */
function failedAction(stage: Stage | undefined, failure: Failure | undefined): Partial<Problems> {
  const action = stage?.actions?.find((each) => actionKey(each) === failure?.key);
  if (action === undefined || failure === undefined) return {};
  return { [action.concern]: `Cannot ${action.verb} ${titleOf(action.object)}: ${oneLine(failure.message)}` };
}

/** The first that is late; what keeps it is told for a Namespace by its own conditions, else by its finalizers. */
function late(view: View, things: readonly Thing[]): string | undefined {
  const thing = things.find((each) => isLate(view, each));
  const deadline = settingsIn(view)?.intervals.deletionDeadline;
  if (thing === undefined || deadline === undefined) return undefined;
  const cause = namespaceTrouble(thing) ?? remaining(thing);
  return `${titleOf(thing)} is not gone after ${formatDuration(deadline)}${cause === undefined ? '' : `: ${cause}`}`;
}

/** Conditions of a Namespace that keep it from going while they are True (kubernetes core/v1 NamespaceConditionType). */
const NAMESPACE_TROUBLE = [
  'NamespaceDeletionContentFailure',
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceContentRemaining',
  'NamespaceFinalizersRemaining',
];

function namespaceTrouble({ kind, object }: Thing): string | undefined {
  if (kind !== 'Namespace') return undefined;
  const causes = NAMESPACE_TROUBLE.flatMap((type) => {
    const shown = condition(object, type);
    return shown?.status === 'True' ? [withoutCounts(shown.message) || type] : [];
  });
  return causes.length === 0 ? undefined : oneLine(causes.join('; '));
}

/** How much is left changes while it goes: `pods. has 3 resource instances`, `x in 2 resource instances`, `, 1 remaining`. */
function withoutCounts(message: string): string {
  return message.replace(/ (has|in) \d+ resource instances?/g, '').replace(/, \d+ remaining/g, '');
}

function remaining({ finalizers, object }: Thing): string | undefined {
  if (finalizers.length > 0) return oneLine(`its finalizers remain: ${someOf(finalizers)}`);
  const phase = stringAt(object, 'status', 'phase');
  return phase === undefined ? undefined : oneLine(`it is ${phase}`);
}
