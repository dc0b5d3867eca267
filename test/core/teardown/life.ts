import { FINALIZER, Key } from '../../../function/core/keys.ts';
import { instanceId } from '../../../function/core/names.ts';
import { lookups, planTeardown } from '../../../function/core/teardown/index.ts';
import type { Found, Request } from '../../../function/core/teardown/requests.ts';
import { type Action, actionKey, type Failure, type Step } from '../../../function/core/teardown/step.ts';
import { formatTime } from '../../../function/core/time.ts';
import { type JsonObject, listAt, objectAt, stringAt } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';
import { Cluster } from './cluster.ts';
import { merge } from './merge.ts';

const REVISION = 'platform-instance-1';
const STEP_LIMIT = 1000;

/** An instance with all that it has in a cluster, on its way out. */
export class Life {
  readonly cluster = new Cluster();
  readonly host: string;
  readonly id: string;
  readonly namespace = 'team-a';
  readonly name = 'blue';
  /** actions that the API server refuses, by kind */
  readonly refused = new Map<string, string>();
  failure: Failure | undefined;
  last: Step | undefined;
  /** InstanceReady's reasons, in the order in which they were shown */
  readonly reasons: string[] = [];
  readonly events: string[] = [];
  failures = 0;
  statusWrites = 0;
  /** UIDs of the cleanup Jobs that failed */
  get failedJobs(): ReadonlySet<string> {
    return this.cluster.failed;
  }

  constructor(spec: JsonObject = {}, world: World = World.ready({ ...MINIMAL, ...spec })) {
    this.id = instanceId(this.namespace, this.name);
    this.host = world.hostNamespace;
    this.addInstance(world, spec);
    this.addComposed(world);
    this.addReal();
  }

  get xr(): JsonObject | undefined {
    return this.cluster.find('PlatformInstance', this.name, this.namespace);
  }

  private addInstance(world: World, spec: JsonObject): void {
    const status = objectAt(world.xr, 'status') ?? {};
    this.cluster.put({
      apiVersion: 'platform.di-framework.dev/v1alpha1',
      kind: 'PlatformInstance',
      metadata: {
        name: this.name,
        namespace: this.namespace,
        uid: 'uid-xr',
        generation: 5,
        creationTimestamp: '2026-06-01T12:00:00Z',
        finalizers: [FINALIZER],
      },
      spec: {
        ...MINIMAL,
        ...spec,
        crossplane: {
          compositionRevisionRef: { name: REVISION },
          resourceRefs: [...world.composed.values()].map((each) => ({
            apiVersion: each['apiVersion'] ?? '',
            kind: each['kind'] ?? '',
            name: stringAt(each, 'metadata', 'name') ?? '',
          })),
        },
      },
      status,
    });
    this.setSettings({});
    for (const kind of ['CompositeResourceDefinition', 'CustomResourceDefinition']) {
      this.cluster.put({ kind, metadata: { name: 'platforminstances.platform.di-framework.dev' } });
    }
  }

  setSettings(input: JsonObject): this {
    const identity = { apiVersion: 'settings.platform.di-framework.dev/v1alpha1', kind: 'Settings' };
    const step = { step: 'instance', functionRef: { name: 'any' }, input: { ...identity, ...input } };
    this.cluster.put({ kind: 'CompositionRevision', metadata: { name: REVISION }, spec: { pipeline: [step] } });
    return this;
  }

  /** What Crossplane composed, and what the providers made of the manifests. */
  private addComposed(world: World): void {
    for (const [key, resource] of world.composed) {
      this.cluster.put({
        ...resource,
        metadata: {
          ...objectAt(resource, 'metadata'),
          uid: `composed-${key}`,
          annotations: {
            ...objectAt(resource, 'metadata', 'annotations'),
            'crossplane.io/composition-resource-name': key,
          },
          ownerReferences: [
            { kind: 'PlatformInstance', name: this.name, uid: 'uid-xr', controller: true, blockOwnerDeletion: true },
          ],
        },
      });
      const manifest = objectAt(resource, 'spec', 'forProvider', 'manifest');
      if (manifest !== undefined && key !== Key.TargetProbe) this.cluster.put(manifest);
    }
  }

  /** What the chart and the vCluster made. */
  private addReal(): void {
    const helm = {
      annotations: { 'meta.helm.sh/release-name': 'vcluster', 'meta.helm.sh/release-namespace': this.host },
    };
    const name = `vc-vcluster-v-${this.host}`;
    this.cluster.put({ kind: 'ClusterRole', metadata: { name, ...helm } });
    this.cluster.put({ kind: 'ClusterRoleBinding', metadata: { name, ...helm } });
    this.cluster.put({ kind: 'StatefulSet', metadata: { name: 'vcluster', namespace: this.host } });
    this.cluster.put({
      kind: 'PersistentVolume',
      metadata: { name: `vcluster-data-x-${this.host}-x-vcluster` },
      spec: { claimRef: { namespace: this.host, name: 'data' } },
    });
    this.cluster.put({
      kind: 'PersistentVolume',
      metadata: {
        name: 'vcluster-a-name-that-was-cut-1f2e3d4c5b',
        labels: { 'vcluster.loft.sh/managed-by': `${this.host}-x-vcluster` },
      },
      spec: {},
    });
  }

  edit(change: (xr: JsonObject) => void): this {
    if (this.xr !== undefined) this.cluster.edit(this.xr, change);
    return this;
  }

  annotate(annotations: JsonObject): this {
    return this.edit((xr) => merge(xr, { metadata: { annotations } }));
  }

  deleteInBackground(): this {
    return this.edit((xr) =>
      merge(xr, { metadata: { deletionTimestamp: formatTime(this.cluster.now), generation: 6 } }),
    );
  }

  /** Argo CD's way: garbage collection deletes all that is composed at once. */
  deleteInForeground(): this {
    this.edit((xr) =>
      merge(xr, {
        metadata: {
          deletionTimestamp: formatTime(this.cluster.now),
          generation: 6,
          finalizers: [...listAt(xr, 'metadata', 'finalizers'), 'foregroundDeletion'],
        },
      }),
    );
    for (const each of this.composed()) this.cluster.delete(each);
    return this;
  }

  composed(): JsonObject[] {
    return this.cluster.all().filter((each) => {
      const [owner] = listAt(each, 'metadata', 'ownerReferences');
      return stringAt(owner, 'uid') === 'uid-xr';
    });
  }

  gather(
    answer: (request: Request) => JsonObject | undefined | JsonObject[] = (request) => this.cluster.answer(request),
    instance: JsonObject = structuredClone(this.xr ?? {}),
  ): { readonly instance: JsonObject; readonly found: Found } {
    const found = new Map<string, JsonObject | undefined | readonly JsonObject[]>();
    for (let round = 0; ; round++) {
      const requests: readonly Request[] = lookups(instance, found);
      if (requests.length === 0) return { instance, found };
      if (round > 5) throw new Error(`lookups do not end: ${requests.map(({ id }) => id).join(', ')}`);
      for (const request of requests) found.set(request.id, answer(request));
    }
  }

  /** What the plan says now, without anything being done. */
  plan(): Step {
    const { instance, found } = this.gather();
    return planTeardown(instance, found, this.cluster.now, this.failure);
  }

  /** One step, done as the shell does it. */
  step(): Step {
    const step = this.plan();
    this.last = step;
    const { xr } = this;
    if (xr === undefined) return step;
    if (step.status !== undefined) {
      const { status } = step;
      this.statusWrites++;
      this.cluster.edit(xr, () => merge(xr, { status }));
      const reason = this.condition('InstanceReady').split(' ')[1] ?? '';
      if (this.reasons.at(-1) !== reason) this.reasons.push(reason);
      this.events.push(...step.events.map((event) => `${event.reason}: ${event.message}`));
    } else if (step.metadata !== undefined) {
      const { metadata } = step;
      this.cluster.edit(xr, () => merge(xr, { metadata }));
      this.failures += step.cleanupFailures;
    } else for (const action of step.actions) if (!this.act(action)) break;
    return step;
  }

  private act(action: Action): boolean {
    const refusal = this.refused.get(action.object.kind);
    if (refusal !== undefined) {
      this.failure = { key: actionKey(action), message: refusal };
      return false;
    }
    this.failure = undefined;
    this.perform(action);
    return true;
  }

  perform(action: Action): void {
    this.cluster.done.push(`${action.verb} ${action.object.kind} ${action.object.name}`);
    if (action.verb === 'delete') this.cluster.delete(action.object);
    else if (action.verb === 'patch') this.cluster.patch(action.object, action.change);
    else this.cluster.create(action.object, action.manifest);
  }

  /** Steps and controllers in turn until the instance is gone or nothing but time can help. */
  run(seconds = 0): this {
    const end = this.cluster.now + seconds;
    for (let count = 0; count < STEP_LIMIT; count++) {
      if (this.xr === undefined) return this;
      const before = JSON.stringify(this.cluster.all());
      const step = this.step();
      this.cluster.settle();
      this.collectForeground();
      if (JSON.stringify(this.cluster.all()) !== before) continue;
      if (this.cluster.now >= end) return this;
      this.cluster.now = Math.min(end, this.cluster.now + (step.againIn ?? 1));
    }
    throw new Error(`still at it: ${this.last?.awaiting}`);
  }

  /** Garbage collection takes its finalizer off once nothing of the instance blocks it. */
  private collectForeground(): void {
    const { xr } = this;
    if (xr === undefined || this.composed().length > 0) return;
    const finalizers = listAt(xr, 'metadata', 'finalizers');
    if (!finalizers.includes('foregroundDeletion')) return;
    this.cluster.edit(xr, () =>
      merge(xr, { metadata: { finalizers: finalizers.filter((each) => each !== 'foregroundDeletion') } }),
    );
  }

  condition(type: string): string {
    const found = listAt(this.xr, 'status', 'conditions').find((each) => stringAt(each, 'type') === type);
    return found === undefined ? 'none' : `${stringAt(found, 'status')} ${stringAt(found, 'reason')}`;
  }

  message(type: string): string {
    const found = listAt(this.xr, 'status', 'conditions').find((each) => stringAt(each, 'type') === type);
    return stringAt(found, 'message') ?? '';
  }

  annotation(name: string): string | undefined {
    return stringAt(this.xr, 'metadata', 'annotations', `platform.di-framework.dev/${name}`);
  }

  /** What exists of the instance and around it, without the API's own objects. */
  left(): string[] {
    return this.cluster.names().filter((key) => !/Definition|CompositionRevision/.test(key));
  }
}
