import { type JsonObject, listAt, numberAt, objectAt, stringAt } from '../../../function/json.ts';
import type { Kube, Reference } from '../plane/kube.ts';
import { accessOf, admin, kubeconfigOf, type Plane } from '../plane/plane.ts';
import { current, ended, outputsOf, processing, type Update } from './stack.ts';
import { Ticking } from './ticking.ts';

const PAUSE_MS = 500;
const FINALIZER = 'finalizer.stack.pulumi.com';

export interface Timing {
  /** from a new pod template to a control plane that answers */
  readonly startMs: number;
  /** from a new token to the end of its update, a pod and the installation of packages included */
  readonly updateMs: number;
}

const QUICK: Timing = { startMs: 5000, updateMs: 4000 };
/** As a cluster that pulls images. Crossplane's circuit breaker opens where everything happens at once. */
export const AS_IN_A_CLUSTER: Timing = { startMs: 90_000, updateMs: 45_000 };

/**
 * Plays what needs a kubelet: the vCluster's pod and the Pulumi operator. It writes what the real ones write, and only
 * when they would: the kubeconfig Secret once at each start of the control plane, an update for each new token.
 */
export class ClusterDouble extends Ticking {
  /** set by tests: the next runs fail with this message */
  failure: string | undefined;
  /** set by tests: the Pulumi operator does not get to its Stacks */
  holdStacks = false;
  /** how often each control plane was started, by host namespace */
  readonly starts = new Map<string, number>();
  /** tokens of the updates that ran, by Stack */
  readonly updates = new Map<string, string[]>();
  private readonly kube: Kube;
  private readonly plane: Plane;
  private readonly timing: Timing;
  private readonly seen = new Map<string, number>();
  private readonly begun = new Map<string, number>();

  constructor(plane: Plane, timing: Timing = QUICK) {
    super(PAUSE_MS);
    this.plane = plane;
    this.timing = timing;
    this.kube = admin(plane);
  }

  protected async tick(): Promise<void> {
    for (const statefulSet of await this.kube.list({ apiVersion: 'apps/v1', kind: 'StatefulSet' })) {
      if (stringAt(statefulSet, 'metadata', 'name') === 'vcluster') await this.playPod(statefulSet);
    }
    for (const stack of await this.kube.list({ apiVersion: 'pulumi.com/v1', kind: 'Stack' }))
      await this.playStack(stack);
  }

  /** A changed pod template restarts the pod; the syncer then writes its kubeconfig, owned by the Service it finds. */
  private async playPod(statefulSet: JsonObject): Promise<void> {
    const namespace = stringAt(statefulSet, 'metadata', 'namespace') ?? '';
    const uid = stringAt(statefulSet, 'metadata', 'uid') ?? '';
    const generation = numberAt(statefulSet, 'metadata', 'generation') ?? 1;
    if (this.seen.get(uid) === generation) return;
    const service = await this.kube.find({ apiVersion: 'v1', kind: 'Service', namespace, name: 'vcluster' });
    if (service === undefined) return;
    const reference = { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace, name: 'vcluster' };
    const revision = `vcluster-${generation}`;
    const status = { observedGeneration: generation, replicas: 1, currentRevision: revision, updateRevision: revision };
    const begun = `${uid} ${generation}`;
    const since = this.begun.get(begun);
    if (since === undefined) {
      this.begun.set(begun, Date.now());
      await this.kube.patch(reference, { status: { ...status, readyReplicas: 0, updatedReplicas: 1 } }, 'status');
    }
    if (since === undefined || Date.now() < since + this.timing.startMs) return;
    this.seen.set(uid, generation);
    this.starts.set(namespace, (this.starts.get(namespace) ?? 0) + 1);
    const ready = { readyReplicas: 1, updatedReplicas: 1, availableReplicas: 1 };
    await this.kube.patch(reference, { status: { ...status, ...ready } }, 'status');
    await this.writeKubeconfig(namespace, service);
  }

  private async writeKubeconfig(namespace: string, service: JsonObject): Promise<void> {
    const config = kubeconfigOf(accessOf(this.plane, this.plane.adminToken));
    await this.kube.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        namespace,
        name: 'vc-vcluster',
        ownerReferences: [
          { apiVersion: 'v1', kind: 'Service', name: 'vcluster', uid: stringAt(service, 'metadata', 'uid') ?? '' },
        ],
      },
      type: 'Opaque',
      data: { config: Buffer.from(config).toString('base64') },
    });
  }

  /** One update for each token or generation that was not run yet (stack_controller.go). */
  private async playStack(stack: JsonObject): Promise<void> {
    if (this.holdStacks) return;
    const reference: Reference = {
      apiVersion: 'pulumi.com/v1',
      kind: 'Stack',
      namespace: stringAt(stack, 'metadata', 'namespace') ?? '',
      name: stringAt(stack, 'metadata', 'name') ?? '',
    };
    const isFinalized = listAt(stack, 'metadata', 'finalizers').includes(FINALIZER);
    const isDeleting = stringAt(stack, 'metadata', 'deletionTimestamp') !== undefined;
    if (isFinalized === isDeleting) await this.setFinalizer(reference, stack, !isDeleting);
    if (isDeleting) return;
    const token = stringAt(stack, 'metadata', 'annotations', 'pulumi.com/reconciliation-request');
    const generation = numberAt(stack, 'metadata', 'generation') ?? 1;
    const last = objectAt(stack, 'status', 'lastUpdate');
    if (token === undefined || (last?.['reconcileRequest'] === token && last['generation'] === generation)) return;
    const update: Update = { token, generation, name: `${reference.name}-update` };
    const begun = `${reference.name} ${token} ${generation}`;
    const since = this.begun.get(begun);
    if (since === undefined) {
      this.begun.set(begun, Date.now());
      await this.kube.patch(reference, { status: processing(update) }, 'status');
      return;
    }
    const passed = Date.now() - since;
    const isRunning = stringAt(stack, 'status', 'currentUpdate', 'reconcileRequest') === token;
    if (passed >= this.timing.updateMs / 2 && !isRunning) {
      await this.kube.patch(reference, { status: { currentUpdate: current(update) } }, 'status');
    }
    if (passed < this.timing.updateMs) return;
    this.updates.set(reference.name, [...(this.updates.get(reference.name) ?? []), token]);
    await this.kube.patch(reference, { status: ended(update, outputsOf(stack), this.failure) }, 'status');
  }

  private async setFinalizer(reference: Reference, stack: JsonObject, isWanted: boolean): Promise<void> {
    const others = listAt(stack, 'metadata', 'finalizers').filter((name) => name !== FINALIZER);
    const finalizers = isWanted ? [...others, FINALIZER] : others;
    await this.kube.patch(reference, { metadata: { finalizers } });
  }
}

/** Conditions of an object as `Type=Status/Reason`, sorted. */
export function conditionsOf(object: JsonObject): string[] {
  return listAt(object, 'status', 'conditions')
    .map((entry) => `${stringAt(entry, 'type')}=${stringAt(entry, 'status')}/${stringAt(entry, 'reason')}`)
    .sort();
}
