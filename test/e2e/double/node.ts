import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Label } from '../../../function/core/keys.ts';
import { isObject, type JsonObject, listAt, objectAt, stringAt } from '../../../function/json.ts';
import type { Kube, Reference } from '../plane/kube.ts';
import { admin, type Plane } from '../plane/plane.ts';
import { Ticking } from './ticking.ts';

const PAUSE_MS = 300;

export type JobOutcome = 'run' | 'fail';

/** Plays a node: it runs the command of cleanup Jobs on a folder that stands for its file system. */
export class NodeDouble extends Ticking {
  /** set by tests: how the next Jobs of an instance end, by its UID; without an entry their command is run */
  readonly outcomes = new Map<string, JobOutcome[]>();
  /** set by tests: Jobs of these UIDs do not end */
  readonly slow = new Set<string>();
  /** names of the Jobs that were seen, in order */
  readonly jobs: string[] = [];
  private readonly kube: Kube;
  private readonly folder: string;

  constructor(plane: Plane) {
    super(PAUSE_MS);
    this.kube = admin(plane);
    this.folder = join(plane.folder, 'node');
  }

  /** Writes what a tenant would have written below a path of the node. */
  fill(path: string): void {
    const file = join(this.folder, path, 'tenant/data.txt');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'data');
  }

  has(path: string): boolean {
    return existsSync(join(this.folder, path));
  }

  protected async tick(): Promise<void> {
    for (const job of await this.kube.list({ apiVersion: 'batch/v1', kind: 'Job' })) await this.runJob(job);
  }

  /** What the Job controller and a kubelet make of a Job with one try. */
  private async runJob(job: JsonObject): Promise<void> {
    const uid = stringAt(job, 'metadata', 'labels', Label.InstanceUid);
    if (uid === undefined || stringAt(job, 'metadata', 'deletionTimestamp') !== undefined) return;
    if (listAt(job, 'status', 'conditions').length > 0) return;
    const name = stringAt(job, 'metadata', 'name') ?? '';
    if (!this.jobs.includes(name)) {
      this.jobs.push(name);
      await this.kube.create(podOf(job));
      return;
    }
    if (this.slow.has(uid)) return;
    const outcome = this.outcomes.get(uid)?.shift() ?? 'run';
    const hasFailed = outcome === 'fail' || !this.runCommand(job);
    await this.kube.patch(
      referenceTo('batch/v1', 'Job', job),
      { status: hasFailed ? failed() : completed() },
      'status',
    );
  }

  /** The very command of the container, with the node's folder in place of the mount. */
  private runCommand(job: JsonObject): boolean {
    const pod = objectAt(job, 'spec', 'template', 'spec');
    const [container] = listAt(pod, 'containers').filter(isObject);
    const mount = stringAt(listAt(container, 'volumeMounts')[0], 'mountPath');
    const base = join(this.folder, stringAt(listAt(pod, 'volumes')[0], 'hostPath', 'path') ?? '');
    mkdirSync(base, { recursive: true });
    const [command = '', ...args] = listAt(container, 'command').map((part) => (part === mount ? base : String(part)));
    return spawnSync(command, args, { timeout: 10_000 }).status === 0;
  }
}

function podOf(job: JsonObject): JsonObject {
  const name = stringAt(job, 'metadata', 'name') ?? '';
  const uid = stringAt(job, 'metadata', 'uid') ?? '';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${name}-pod`,
      namespace: stringAt(job, 'metadata', 'namespace') ?? '',
      labels: objectAt(job, 'spec', 'template', 'metadata', 'labels') ?? {},
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: objectAt(job, 'spec', 'template', 'spec') ?? {},
  };
}

const now = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z');

/** The API server takes a finished status only with everything that the Job controller writes (batch validation). */
function completed(): JsonObject {
  return {
    startTime: now(),
    completionTime: now(),
    succeeded: 1,
    conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => conditionNow(type, 'CompletionsReached', '')),
  };
}

function failed(): JsonObject {
  const message = 'Job has reached the specified backoff limit';
  return {
    startTime: now(),
    failed: 1,
    conditions: ['FailureTarget', 'Failed'].map((type) => conditionNow(type, 'BackoffLimitExceeded', message)),
  };
}

function conditionNow(type: string, reason: string, message: string): JsonObject {
  return { type, status: 'True', reason, message, lastTransitionTime: now(), lastProbeTime: now() };
}

/** The items of a list do not say what they are. */
function referenceTo(apiVersion: string, kind: string, object: JsonObject): Reference {
  return {
    apiVersion,
    kind,
    namespace: stringAt(object, 'metadata', 'namespace') ?? '',
    name: stringAt(object, 'metadata', 'name') ?? '',
  };
}
