import { cleanup } from './cleanup.ts';
import { teardownAnnotation } from './record.ts';
import { closePolicies } from './retain.ts';
import { deletions, isLate, type Stage, type StageOf, seen, waiting } from './stage.ts';
import type { Thing } from './thing.ts';
import type { View } from './view.ts';

/** The Pulumi operator's finalizer on a Stack (operator internal/controller/pulumi/stack_controller.go). */
const STACK_FINALIZER = 'finalizer.stack.pulumi.com';

/** Where the data is can only be read while what says so exists. */
const note: StageOf = (view) => {
  const { host, record } = view;
  if (!host.used && host.root === undefined) return undefined;
  if (record.host === host.name && record.root === host.root && record.custom === host.custom) return undefined;
  const { name, root, custom } = host;
  return {
    awaiting: 'Writing down where the data is',
    metadata: { annotations: teardownAnnotation({ ...record, host: name, root, custom }) },
    urgent: true,
  };
};

/** First, so that nothing installs while its target goes. One that does not go holds nobody up for ever. */
const stack: StageOf = (view) => {
  if (view.stack === undefined || isLate(view, view.stack)) return undefined;
  return waiting(view, [view.stack], deletions([view.stack], 'install', false));
};

/** None of them may delete the real thing, and a provider that is away must not create it again: they only have to be marked. */
const managed: StageOf = (view) => {
  const actions = deletions(view.managed, 'target', false);
  return actions.length === 0 ? undefined : { awaiting: 'Deleting the managed resources', actions };
};

/** What is in it may still work with the data, and it must not be forgotten either. */
export function foreignHost({ host }: View): string | undefined {
  if (!host.foreign || !host.used) return undefined;
  return `Cannot delete Namespace ${host.name}: its labels and annotations do not say that it is this instance's`;
}

const hostNamespace: StageOf = (view) => {
  const foreign = foreignHost(view);
  if (foreign !== undefined) return { awaiting: foreign };
  if (view.hostNamespace === undefined) return undefined;
  return waiting(view, [view.hostNamespace], deletions([view.hostNamespace], 'target', true));
};

/** What stands outside the host Namespace, and protected or served it. */
const outside: StageOf = (view) => {
  const target = [...view.policies, ...view.chartRoles];
  const left = [...target, ...view.roleBindings, ...view.volumes];
  if (left.length === 0) return undefined;
  return waiting(view, left, [
    ...deletions(target, 'target', false),
    ...deletions(view.roleBindings, 'install', false),
    ...deletions(view.volumes, 'target', true),
  ]);
};

const claims: StageOf = (view) => {
  const left = view.claims.filter((claim) => !isLate(view, claim));
  return left.length === 0 ? undefined : waiting(view, left, deletions(left, 'install', true));
};

/** An operator that is gone for good would keep the Stack, and with it the instance, for ever. */
const release: StageOf = (view) => {
  const { stack: left } = view;
  if (left?.deletedAt === undefined || left.finalizers.join() !== STACK_FINALIZER) return undefined;
  return {
    awaiting: `Removing finalizer ${STACK_FINALIZER}`,
    actions: [
      {
        verb: 'patch',
        object: seen(left),
        change: { metadata: { finalizers: [] } },
        concern: 'install',
        irreversible: true,
      },
    ],
  };
};

const rest: StageOf = (view) => {
  const left = stragglers(view);
  return left.length === 0 ? undefined : waiting(view, left);
};

/** Nothing real hangs on these, but a re-created instance would find their names taken. */
export function stragglers(view: View): readonly Thing[] {
  return [...(view.stack === undefined ? [] : [view.stack]), ...view.claims, ...view.managed];
}

/** Delete, whatever the way the deletion came. */
export const DESTROY: readonly StageOf[] = [
  note,
  stack,
  closePolicies,
  managed,
  hostNamespace,
  outside,
  claims,
  cleanup,
  release,
  rest,
];

export function stageOf(view: View, stages: readonly StageOf[]): Stage | undefined {
  for (const stage of stages) {
    const at = stage(view);
    if (at !== undefined) return at;
  }
  return undefined;
}
