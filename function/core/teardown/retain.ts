import { type Json, listAt, stringAt } from '../../json.ts';
import { ORPHAN_POLICIES } from '../compose/object.ts';
import { stopCleanup } from './cleanup.ts';
import { teardownAnnotation } from './record.ts';
import { Kinds, titleOf } from './requests.ts';
import { deletions, type StageOf, seen, waiting } from './stage.ts';
import type { Thing, View } from './view.ts';

/** Whether everything real is to stay: its user said so, or took what is composed out of the instance's hands. */
export function isRetained(view: View): boolean {
  const isOrphaning = view.orphaned || view.finalizers.includes('orphan');
  return view.record.retained || isOrphaning || stringAt(view.instance, 'spec', 'deletionPolicy') === 'Retain';
}

/** Once seen, always so: the marks of an orphaning deletion go away when Kubernetes is done with it. */
const remember: StageOf = (view) => {
  const isMarked = view.orphaned || view.finalizers.includes('orphan');
  if (!isMarked || view.record.retained) return undefined;
  return {
    awaiting: 'Keeping everything: what the instance composes was orphaned',
    metadata: { annotations: teardownAnnotation({ ...view.record, retained: true }) },
  };
};

/** Garbage collection deletes these with the instance, and one that somebody gave the right would delete the real thing. */
const closePolicies: StageOf = (view) => {
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

function deletesTheRealThing({ kind, object }: Thing): boolean {
  if (kind !== Kinds.Release.kind && kind !== Kinds.Object.kind) return false;
  const policies: readonly Json[] = listAt(object, 'spec', 'managementPolicies');
  return policies.length === 0 || policies.includes('*') || policies.includes('Delete');
}

const roleBindings: StageOf = (view) =>
  view.roleBindings.length === 0
    ? undefined
    : waiting(view, view.roleBindings, deletions(view.roleBindings, 'install', false));

/** Retain: everything real stays, only the binding of an identity that goes with the instance does not. */
export const RETAIN: readonly StageOf[] = [remember, stopCleanup, closePolicies, roleBindings];
