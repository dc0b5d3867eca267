import { at, isObject, type Json, listAt } from '../../json.ts';
import { ORPHAN_POLICIES } from '../compose/object.ts';
import { Key } from '../keys.ts';
import { oneLine } from '../text.ts';
import { stopCleanup } from './cleanup.ts';
import { keyOf } from './ownership.ts';
import { teardownAnnotation } from './record.ts';
import { Kinds, titleOf } from './requests.ts';
import { deletions, type StageOf, seen, waiting } from './stage.ts';
import type { Thing } from './thing.ts';
import type { View } from './view.ts';

/** Whether everything real is to stay: its user said so, or took what is composed out of the instance's hands. */
export function isRetained(view: View): boolean {
  const isOrphaning = view.orphaned || view.finalizers.includes('orphan');
  return view.record.retained || isOrphaning || policyOf(view) === 'Retain';
}

/** What the instance says of its own deletion that can be neither obeyed nor taken for the default. */
export function unknownPolicy(view: View): string | undefined {
  if (!isObject(view.instance['spec'])) return 'the instance has no spec';
  const policy = policyOf(view);
  if (policy === undefined || policy === 'Delete' || policy === 'Retain') return undefined;
  return `deletionPolicy ${oneLine(JSON.stringify(policy))} is neither Delete nor Retain`;
}

function policyOf({ instance }: View): Json | undefined {
  return at(instance, 'spec', 'deletionPolicy');
}

/** Once seen, always so: the marks of an orphaning deletion go away when Kubernetes is done with it. */
const remember: StageOf = (view) => {
  const isMarked = view.orphaned || view.finalizers.includes('orphan');
  if (!isMarked || view.record.retained) return undefined;
  const notice = 'Everything is kept: somebody orphaned what the instance composes';
  return {
    awaiting: notice,
    metadata: { annotations: teardownAnnotation({ ...view.record, retained: true }) },
    notice,
  };
};

/** What Kubernetes has begun to delete nobody can keep. */
const sayTooLate: StageOf = ({ hostNamespace, record }) => {
  if (hostNamespace?.deletedAt === undefined || record.late) return undefined;
  const notice = `${titleOf(hostNamespace)} is being deleted already, and the vCluster with it: Retain keeps the rest`;
  return { awaiting: notice, metadata: { annotations: teardownAnnotation({ ...record, late: true }) }, notice };
};

/** One that somebody gave the right to would delete the real thing, whoever deletes it: the plan or garbage collection. */
export const closePolicies: StageOf = (view) => {
  const open = view.managed.filter(deletesTheRealThing);
  if (open.length === 0) return undefined;
  return {
    awaiting: `Taking the right to delete from ${open.map(titleOf).join(', ')}`,
    actions: open.map((thing) => ({
      verb: 'patch',
      object: seen(thing),
      change: { spec: { managementPolicies: [...ORPHAN_POLICIES] } },
      concern: 'target',
      irreversible: false,
    })),
  };
};

export function deletesTheRealThing({ kind, object }: Pick<Thing, 'kind' | 'object'>): boolean {
  if (kind !== Kinds.Release.kind && kind !== Kinds.Object.kind) return false;
  const policies: readonly Json[] = listAt(object, 'spec', 'managementPolicies');
  return policies.length === 0 || policies.includes('*') || policies.includes('Delete');
}

/** The Object goes first: left to garbage collection, its provider could make the binding again until then. */
const roleBindings: StageOf = (view) => {
  const makers = view.managed.filter(({ object }) => keyOf(object) === Key.StackAuthDelegator);
  const actions = deletions([...makers, ...view.roleBindings], 'install', false);
  return view.roleBindings.length + actions.length === 0 ? undefined : waiting(view, view.roleBindings, actions);
};

/** The operator uninstalls when the Stack is deleted, should somebody have told it to (destroyOnFinalize). */
export function uninstallingStack({ stack }: View): string | undefined {
  if (stack === undefined || stack.deletedAt !== undefined) return undefined;
  return at(stack.object, 'spec', 'destroyOnFinalize') === true ? titleOf(stack) : undefined;
}

/** Retain: everything real stays, only the binding of an identity that goes with the instance does not. */
export const RETAIN: readonly StageOf[] = [remember, sayTooLate, stopCleanup, closePolicies, roleBindings];
