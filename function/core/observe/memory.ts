import { isObject, type Json, type JsonObject, numberAt, stringAt } from '../../json.ts';
import { canonicalJson } from '../canonical.ts';

/**
 * What the function must remember between calls. It is written as annotations on the composed resource it describes and
 * read back from there. An annotation that cannot be read counts as absent: each has a fallback.
 */

/** Why the control plane was restarted. `missing:` is followed by the release object that was gone. */
export type RestartCause = 'owner' | 'kubeconfig' | 'failed' | `missing:${string}`;

/** On the Release: the last restart of the vCluster control plane. */
export interface RestartRecord {
  readonly n: number;
  readonly cause: RestartCause;
  /** UID of service/vcluster when the restart was asked for; undefined when the Service was missing */
  readonly serviceUid: string | undefined;
  readonly started: number;
  /** revision of the Helm release when the restart was asked for */
  readonly revision: number;
  /** how many restarts for the same cause came before without the target becoming ready */
  readonly attempt: number;
  /** the target was ready after this restart */
  readonly done: boolean;
}

/** On the Release: a cause seen, but not yet for a whole grace period. */
export interface Suspect {
  readonly cause: RestartCause;
  readonly since: number;
}

/** On the Release: when a Helm attempt that the provider gave up is tried again. */
export interface ReleaseRetry {
  readonly failed: number;
  readonly at: number;
}

export const RUN_REASONS = ['Resync', 'Retry', 'FirstInstall', 'VersionChanged', 'SpecChanged', 'RepairDue'] as const;
export type RunReason = (typeof RUN_REASONS)[number];

/** One run of the Pulumi Stack, as the function asked for it. */
export interface Run {
  readonly token: string;
  readonly reason: RunReason;
  readonly attempt: number;
  readonly startedAt: number;
  readonly generation: number;
  readonly version: string;
  /** hash of the user's platform settings */
  readonly hash: string;
  readonly tenants: number;
  readonly users: number;
  readonly issuer: string | undefined;
  /** tenantHostImage handed to the platform; undefined leaves the platform's own default */
  readonly image: string | undefined;
  readonly serviceUid: string;
  readonly restart: number;
  /** UID of the state claim; undefined until it is known */
  readonly claimUid: string | undefined;
  /** number of periodic repairs asked for up to and with this run */
  readonly repair: number;
  /** why it failed, one bounded line; undefined while it has not */
  readonly failed: string | undefined;
  /** a failure that shows up before any update of the Stack (npm, image pull): a retry needs a new pod */
  readonly failedInWorkspace: boolean;
}

/** A run that succeeded. */
export interface AppliedRun extends Run {
  readonly finishedAt: number;
  readonly repairedAt: number | undefined;
  readonly kubernetesEndpoint: string | undefined;
  readonly httpEndpoint: string | undefined;
}

export interface Runs {
  readonly current: Run | undefined;
  readonly previous: Run | undefined;
  readonly applied: AppliedRun | undefined;
}

export function readAnnotation(resource: Json | undefined, name: string): JsonObject | undefined {
  const text = stringAt(resource, 'metadata', 'annotations', name);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The annotation text of a record: sorted keys, nothing that is undefined. */
export function writeRecord(record: object): string {
  return canonicalJson(plain(record));
}

function plain(record: object): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(record) as [string, Json | undefined][]) {
    if (value === undefined || value === false) continue;
    result[key] = isObject(value) ? plain(value) : value;
  }
  return result;
}

export function readRestart(value: JsonObject | undefined): RestartRecord | undefined {
  const n = numberAt(value, 'n');
  const started = numberAt(value, 'started');
  const cause = stringAt(value, 'cause');
  if (n === undefined || started === undefined || cause === undefined) return undefined;
  return {
    n,
    started,
    cause: cause as RestartCause,
    serviceUid: stringAt(value, 'serviceUid'),
    revision: numberAt(value, 'revision') ?? 0,
    attempt: numberAt(value, 'attempt') ?? 0,
    done: value?.['done'] === true,
  };
}

export function readSuspect(value: JsonObject | undefined): Suspect | undefined {
  const cause = stringAt(value, 'cause');
  const since = numberAt(value, 'since');
  return cause === undefined || since === undefined ? undefined : { cause: cause as RestartCause, since };
}

export function readRetry(value: JsonObject | undefined): ReleaseRetry | undefined {
  const failed = numberAt(value, 'failed');
  const at = numberAt(value, 'at');
  return failed === undefined || at === undefined ? undefined : { failed, at };
}

export function readRun(value: Json | undefined): Run | undefined {
  const token = stringAt(value, 'token');
  const reason = RUN_REASONS.find((known) => known === stringAt(value, 'reason'));
  const version = stringAt(value, 'version');
  const hash = stringAt(value, 'hash');
  if (token === undefined || reason === undefined || version === undefined || hash === undefined) return undefined;
  return {
    token,
    reason,
    version,
    hash,
    attempt: numberAt(value, 'attempt') ?? 0,
    startedAt: numberAt(value, 'startedAt') ?? 0,
    generation: numberAt(value, 'generation') ?? 0,
    tenants: numberAt(value, 'tenants') ?? 0,
    users: numberAt(value, 'users') ?? 0,
    issuer: stringAt(value, 'issuer'),
    image: stringAt(value, 'image'),
    serviceUid: stringAt(value, 'serviceUid') ?? '',
    restart: numberAt(value, 'restart') ?? 0,
    claimUid: stringAt(value, 'claimUid'),
    repair: numberAt(value, 'repair') ?? 0,
    failed: stringAt(value, 'failed'),
    failedInWorkspace: isObject(value) && value['failedInWorkspace'] === true,
  };
}

export function readApplied(value: Json | undefined): AppliedRun | undefined {
  const run = readRun(value);
  const finishedAt = numberAt(value, 'finishedAt');
  if (run === undefined || finishedAt === undefined) return undefined;
  return {
    ...run,
    finishedAt,
    repairedAt: numberAt(value, 'repairedAt'),
    kubernetesEndpoint: stringAt(value, 'kubernetesEndpoint'),
    httpEndpoint: stringAt(value, 'httpEndpoint'),
  };
}

export function readRuns(value: JsonObject | undefined): Runs | undefined {
  if (value === undefined) return undefined;
  return {
    current: readRun(value['current']),
    previous: readRun(value['previous']),
    applied: readApplied(value['applied']),
  };
}
