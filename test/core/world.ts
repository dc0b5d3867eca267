import { runFunction } from '../../function/core/run.ts';
import { isObject, type JsonObject, objectAt, stringAt } from '../../function/json.ts';
import {
  type ObservedResource,
  type RunFunctionRequest,
  type RunFunctionResponse,
  Severity,
} from '../../function/wire/messages.ts';

const START = Date.UTC(2026, 5, 1, 12) / 1000;

/**
 * A small cluster around the pure core: it keeps what Crossplane would keep, hands it to the function as Crossplane would
 * (twice, until the requirements settle), applies what comes back, and lets a test play the providers.
 */
export class World {
  now = START;
  readonly composed = new Map<string, JsonObject>();
  readonly connectionDetails = new Map<string, ReadonlyMap<string, boolean>>();
  /** objects that the function only looks at, by `Kind/namespace/name` */
  readonly cluster = new Map<string, JsonObject>();
  readonly xr: JsonObject;
  input: JsonObject | undefined;
  capabilities = new Set([1, 2, 3, 4]);
  schemas = new Map<string, JsonObject | undefined>();
  last: RunFunctionResponse | undefined;
  private uids = 0;

  constructor(spec: JsonObject, options: { input?: JsonObject; name?: string } = {}) {
    this.input = options.input;
    this.xr = {
      apiVersion: 'platform.di-framework.dev/v1alpha1',
      kind: 'PlatformInstance',
      metadata: {
        name: options.name ?? 'blue',
        namespace: 'team-a',
        uid: 'uid-xr',
        generation: 1,
        creationTimestamp: '2026-06-01T12:00:00Z',
        finalizers: ['platform.di-framework.dev/instance'],
      },
      spec: structuredClone(spec),
    };
  }

  uid(): string {
    this.uids += 1;
    return `uid-${this.uids}`;
  }

  wait(duration: number): this {
    this.now += duration;
    return this;
  }

  edit(change: (spec: JsonObject) => void): this {
    change(this.xr['spec'] as JsonObject);
    const metadata = this.xr['metadata'] as JsonObject;
    metadata['generation'] = Number(metadata['generation']) + 1;
    return this;
  }

  request(requirements?: RunFunctionResponse['requirements']): RunFunctionRequest {
    const seen = new Map<string, readonly ObservedResource[]>();
    for (const [name, selector] of requirements?.resources ?? []) {
      const found = this.cluster.get(`${selector.kind}/${selector.namespace ?? ''}/${selector.matchName}`);
      seen.set(name, found === undefined ? [] : [{ resource: found, connectionDetails: new Map() }]);
    }
    const schemas = new Map<string, JsonObject | undefined>();
    for (const name of requirements?.schemas.keys() ?? [])
      schemas.set(name, this.schemas.has(name) ? this.schemas.get(name) : {});
    return structuredClone({
      tag: 'tag',
      capabilities: this.capabilities,
      composite: { resource: this.xr, connectionDetails: new Map() },
      resources: new Map(
        [...this.composed].map(([key, resource]) => [
          key,
          { resource, connectionDetails: this.connectionDetails.get(key) ?? new Map() },
        ]),
      ),
      desired: { composite: undefined, compositeRest: new Uint8Array(), names: [], entries: [] },
      input: this.input,
      context: undefined,
      requiredResources: seen,
      requiredSchemas: schemas,
      credentials: new Map(),
    });
  }

  /** What the function says now, without anything being applied. */
  ask(): RunFunctionResponse {
    let response = runFunction(this.request(), this.now * 1000);
    for (let iteration = 0; iteration < 5; iteration++) {
      const next = runFunction(this.request(response.requirements), this.now * 1000);
      const isSettled =
        JSON.stringify([...next.requirements.resources]) === JSON.stringify([...response.requirements.resources]);
      response = next;
      if (isSettled && iteration > 0) return response;
    }
    throw new Error('requirements do not settle');
  }

  /** One reconcile: ask, and apply what comes back as Crossplane does. */
  step(): RunFunctionResponse {
    const before = [...this.composed.keys()];
    const response = this.ask();
    this.last = response;
    if (response.results.some((result) => result.severity === Severity.Fatal)) return response;
    const lost = before.filter((key) => !response.desired.resources.has(key));
    if (lost.length > 0) throw new Error(`observed keys vanished from desired: ${lost.join(', ')}`);
    for (const [key, { resource }] of response.desired.resources) this.apply(key, resource);
    this.keepConditions(response);
    return response;
  }

  private apply(key: string, desired: JsonObject): void {
    const existing = this.composed.get(key);
    const metadata = objectAt(desired, 'metadata') ?? {};
    const specOf = (resource: JsonObject): string => JSON.stringify([resource['spec'], resource['data']]);
    if (existing === undefined) {
      this.composed.set(key, {
        ...structuredClone(desired),
        metadata: { ...structuredClone(metadata), uid: this.uid(), generation: 1, creationTimestamp: this.time() },
      });
      return;
    }
    const old = existing['metadata'] as JsonObject;
    const isChanged = specOf(existing) !== specOf(desired);
    this.composed.set(key, {
      ...structuredClone(desired),
      ...(existing['status'] === undefined ? {} : { status: existing['status'] }),
      metadata: {
        ...structuredClone(metadata),
        uid: old['uid'] ?? '',
        creationTimestamp: old['creationTimestamp'] ?? '',
        generation: Number(old['generation']) + (isChanged ? 1 : 0),
      },
    });
  }

  /** Crossplane keeps custom conditions on the XR; only Events look at them. */
  private keepConditions(response: RunFunctionResponse): void {
    const words = ['', 'Unknown', 'True', 'False'];
    const conditions = response.conditions.map(({ type, status, reason, message }) => {
      return { type, status: words[status] ?? '', reason, message: message ?? '' };
    });
    this.xr['status'] = { ...(objectAt(response.desired.composite, 'status') ?? {}), conditions };
  }

  time(): string {
    return new Date(this.now * 1000).toISOString().replace('.000Z', 'Z');
  }

  // What the answer says

  status(): JsonObject {
    return objectAt(this.last?.desired.composite, 'status') ?? {};
  }

  condition(type: string): string {
    const found = this.last?.conditions.find((condition) => condition.type === type);
    return `${['', 'Unknown', 'True', 'False'][found?.status ?? 0]} ${found?.reason}`;
  }

  message(type: string): string {
    return this.last?.conditions.find((condition) => condition.type === type)?.message ?? '';
  }

  // The providers' parts

  get hostNamespace(): string {
    const name = stringAt(this.composed.get('host-namespace'), 'spec', 'forProvider', 'manifest', 'metadata', 'name');
    if (name === undefined) throw new Error('no host namespace is composed');
    return name;
  }

  put(kind: string, namespace: string, name: string, object: JsonObject): JsonObject {
    const metadata = {
      name,
      ...(namespace === '' ? {} : { namespace }),
      uid: this.uid(),
      ...(objectAt(object, 'metadata') ?? {}),
    };
    const whole = { kind, ...object, metadata };
    this.cluster.set(`${kind}/${namespace}/${name}`, whole);
    return whole;
  }

  get(kind: string, name: string, namespace = this.hostNamespace): JsonObject {
    const found = this.cluster.get(`${kind}/${namespace}/${name}`);
    if (found === undefined) throw new Error(`${kind} ${name} does not exist`);
    return found;
  }

  remove(kind: string, name: string, namespace = this.hostNamespace): this {
    if (!this.cluster.delete(`${kind}/${namespace}/${name}`)) throw new Error(`${kind} ${name} does not exist`);
    return this;
  }

  setStatus(key: string, status: JsonObject): void {
    const resource = this.composed.get(key);
    if (resource === undefined) throw new Error(`${key} is not composed`);
    resource['status'] = status;
  }

  /** Conditions as a managed reconciler writes them when all is well, or with an error. */
  conditions(key: string, options: { ready?: boolean; error?: string } = {}): JsonObject[] {
    const generation = Number(objectAt(this.composed.get(key), 'metadata')?.['generation'] ?? 1);
    const synced: JsonObject =
      options.error === undefined
        ? { type: 'Synced', status: 'True', reason: 'ReconcileSuccess' }
        : { type: 'Synced', status: 'False', reason: 'ReconcileError', message: options.error };
    return [
      {
        type: 'Ready',
        status: options.ready === false ? 'False' : 'True',
        reason: options.ready === false ? 'Unavailable' : 'Available',
      },
      { ...synced, observedGeneration: generation, lastTransitionTime: this.time() },
    ];
  }

  /** provider-kubernetes applies an Object: its manifest is there and the Object is ready. */
  syncObject(key: string, live: JsonObject = {}): this {
    const manifest = objectAt(this.composed.get(key), 'spec', 'forProvider', 'manifest') ?? {};
    const uid = stringAt(this.composed.get(key), 'status', 'atProvider', 'manifest', 'metadata', 'uid') ?? this.uid();
    const metadata = { ...(objectAt(manifest, 'metadata') ?? {}), uid, ...(objectAt(live, 'metadata') ?? {}) };
    const whole = { ...manifest, ...live, metadata } as JsonObject;
    this.setStatus(key, { conditions: this.conditions(key), atProvider: { manifest: whole } });
    if (whole['kind'] === 'Namespace' && key === 'host-namespace') {
      this.cluster.set(`Namespace//${stringAt(whole, 'metadata', 'name')}`, structuredClone(whole));
    }
    return this;
  }

  syncObjects(): this {
    for (const [key, resource] of this.composed) {
      if (resource['kind'] === 'Object' && key !== 'target-probe') this.syncObject(key);
    }
    return this;
  }

  failObject(key: string, error: string): this {
    const before = objectAt(this.composed.get(key), 'status') ?? {};
    this.setStatus(key, { ...before, conditions: this.conditions(key, { error }) });
    return this;
  }

  /** provider-helm installs or upgrades: chart objects follow the values, a changed restart counter restarts the pod. */
  syncRelease(
    options: {
      state?: string;
      description?: string;
      error?: string;
      synced?: boolean;
      failed?: number;
      revision?: number;
    } = {},
  ): this {
    const before = Number(objectAt(this.composed.get('vcluster'), 'status', 'atProvider')?.['revision'] ?? 0);
    const state = options.state ?? 'deployed';
    this.setStatus('vcluster', {
      conditions: this.conditions('vcluster', {
        ready: state === 'deployed' && options.error === undefined,
        ...(options.error === undefined ? {} : { error: options.error }),
      }),
      atProvider: {
        state,
        revision: options.revision ?? before + 1,
        releaseDescription: options.description ?? (before === 0 ? 'Install complete' : 'Upgrade complete'),
      },
      synced: options.synced ?? true,
      failed: options.failed ?? 0,
    });
    return this;
  }

  restartAnnotation(): string {
    const path = ['spec', 'forProvider', 'values', 'controlPlane', 'statefulSet', 'pods', 'annotations'];
    return stringAt(this.composed.get('vcluster'), ...path, 'platform.di-framework.dev/restart') ?? '';
  }

  /** The chart's objects; what exists stays as it is but for the pod template. */
  chartObjects(): this {
    const namespace = this.hostNamespace;
    const keep = (kind: string, name: string, object: JsonObject = {}): void => {
      if (!this.cluster.has(`${kind}/${namespace}/${name}`)) this.put(kind, namespace, name, object);
    };
    keep('Service', 'vcluster');
    keep('Service', 'vcluster-headless');
    keep('Secret', 'vc-config-vcluster', { data: { 'config.yaml': true } });
    this.put('StatefulSet', namespace, 'vcluster', {
      spec: {
        replicas: 1,
        template: { metadata: { annotations: { 'platform.di-framework.dev/restart': this.restartAnnotation() } } },
      },
      status: { observedGeneration: 1, readyReplicas: 0, updatedReplicas: 1 },
    });
    return this;
  }

  /** The control plane's pod is up: the syncer writes its kubeconfig Secret, owned by the Service that it finds. */
  controlPlaneUp(options: { kubeconfig?: boolean } = {}): this {
    const statefulSet = this.get('StatefulSet', 'vcluster');
    statefulSet['status'] = { observedGeneration: 1, readyReplicas: 1, updatedReplicas: 1 };
    if (options.kubeconfig === false) return this;
    const uid = stringAt(this.get('Service', 'vcluster'), 'metadata', 'uid') ?? '';
    this.put('Secret', this.hostNamespace, 'vc-vcluster', {
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'vcluster', uid }] },
      data: { config: true },
    });
    this.connectionDetails.set('vcluster', new Map([['kubeconfig', true]]));
    return this;
  }

  probe(error?: string): this {
    const before = objectAt(this.composed.get('target-probe'), 'status') ?? {};
    if (error === undefined) {
      this.setStatus('target-probe', {
        conditions: this.conditions('target-probe'),
        atProvider: { manifest: { kind: 'Namespace' } },
      });
    } else {
      const wasReady = JSON.stringify(before).includes('"Available"');
      this.setStatus('target-probe', {
        ...before,
        conditions: this.conditions('target-probe', { error, ready: wasReady }),
      });
    }
    return this;
  }

  get token(): string {
    return (
      stringAt(this.composed.get('platform-stack'), 'metadata', 'annotations', 'pulumi.com/reconciliation-request') ??
      ''
    );
  }

  runs(): JsonObject {
    const text = stringAt(
      this.composed.get('platform-stack'),
      'metadata',
      'annotations',
      'platform.di-framework.dev/runs',
    );
    const value: unknown = JSON.parse(text ?? '{}');
    return isObject(value) ? value : {};
  }

  /** The Pulumi operator has begun an update. */
  stackRunning(): this {
    const before = objectAt(this.composed.get('platform-stack'), 'status') ?? {};
    this.setStatus('platform-stack', {
      ...before,
      conditions: [],
      currentUpdate: { reconcileRequest: this.token, name: 'update' },
    });
    return this;
  }

  stackDone(
    outputs: JsonObject = { endpoints: { kubernetes: 'https://k.example', http: 'http://apps.example' } },
  ): this {
    this.setStatus('platform-stack', {
      conditions: [{ type: 'Ready', status: 'True', reason: 'ProcessingCompleted' }],
      lastUpdate: { type: 'up', state: 'succeeded', reconcileRequest: this.token, lastResyncTime: this.time() },
      outputs,
    });
    return this;
  }

  stackFailed(message: string, options: { gaveUp?: boolean } = {}): this {
    const before = objectAt(this.composed.get('platform-stack'), 'status') ?? {};
    const { currentUpdate: _, ...rest } = before;
    this.setStatus('platform-stack', {
      ...rest,
      conditions:
        options.gaveUp === true
          ? [{ type: 'Stalled', status: 'True', reason: 'UpdateFailed', message: 'up failed 3 times' }]
          : [{ type: 'Reconciling', status: 'True', reason: 'RetryingAfterFailure', message: '1 update failure(s)' }],
      lastUpdate: { type: 'up', state: 'failed', message, reconcileRequest: this.token, lastResyncTime: this.time() },
    });
    return this;
  }

  // Whole stretches of a life

  provision(): this {
    this.step();
    this.syncObjects().step();
    this.syncRelease().chartObjects().step();
    this.controlPlaneUp().step();
    this.probe().step();
    return this;
  }

  install(): this {
    this.syncObjects().stackRunning().step();
    this.wait(60).stackDone().step();
    this.step();
    return this;
  }

  /** An instance that is Ready. */
  static ready(spec: JsonObject, options: { input?: JsonObject; name?: string } = {}): World {
    const world = new World(spec, options).provision().install();
    world.syncObjects().syncRelease({ revision: 1, description: 'Install complete' }).step();
    return world;
  }
}

export const MINIMAL: JsonObject = { version: '6.0.22', target: { type: 'vcluster' }, deletionPolicy: 'Delete' };
