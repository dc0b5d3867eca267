import { isObject, type JsonObject, listAt, stringAt } from '../../json.ts';
import { Annotation } from '../keys.ts';
import { instanceId } from '../names.ts';
import { condition } from '../observe/conditions.ts';
import { oneLine } from '../text.ts';
import { backoff } from '../time.ts';
import { cleanupJob, cleanupJobName, defaultRoot } from './job.ts';
import { cleanupFailures, teardownAnnotation } from './record.ts';
import { Kinds, titleOf } from './requests.ts';
import { deletions, gone, type Stage, type StageOf } from './stage.ts';
import type { Thing } from './thing.ts';
import { annotation, settingsIn, type View } from './view.ts';

/** What is to become of the tenants' data on the node. */
export type DataDecision =
  | { readonly remove: false; readonly because: string }
  | { readonly remove: true; readonly root: string; readonly base: string }
  /** it is ours to remove, but nothing safe can be said of where it is */
  | { readonly remove: 'unsafe'; readonly because: string };

export function decideData(view: View): DataDecision {
  const { root } = view.host;
  const custom = stringAt(view.instance, 'spec', 'platform', 'storageRoot');
  if (custom) return { remove: false, because: `storageRoot ${custom} was set by its user` };
  if (view.host.custom) return { remove: false, because: 'its storageRoot was set by the user of an earlier instance' };
  if (annotation(view, Annotation.StorageCleaned) === view.uid)
    return { remove: false, because: 'it is removed already' };
  if (annotation(view, Annotation.SkipStorageCleanup) === 'true') {
    return { remove: false, because: `annotation ${Annotation.SkipStorageCleanup} is set` };
  }
  if (root === undefined) {
    if (!view.host.used) return { remove: false, because: 'no storage root is in use' };
    return { remove: 'unsafe', because: 'Cannot remove the storage root: nothing says where it is' };
  }
  const end = `/${view.namespace}/${view.name}`;
  if (!root.endsWith(end)) return { remove: false, because: `storage root ${oneLine(root)} is no default one` };
  const fallback = defaultRoot(root, view);
  if (fallback !== undefined) return { remove: true, root, base: fallback.base };
  return { remove: 'unsafe', because: `Cannot remove storage root ${oneLine(root)}: it is not <base>${end}` };
}

/** Why the data is not removed though it should be; stays while the next attempt runs. */
export function cleanupProblem(view: View): string | undefined {
  const data = decideData(view);
  if (data.remove === false) return undefined;
  return data.remove === 'unsafe' ? data.because : view.record.failure;
}

/**
 * One Job after the other removes the default storage root, until one succeeds. There are no two at once: the next one,
 * and the end, wait for Job and pods of the last to be gone.
 */
export function cleanup(view: View): Stage | undefined {
  const data = decideData(view);
  return (
    finished(view, data) ??
    leftovers(view, data) ??
    (data.remove === 'unsafe' ? { awaiting: data.because } : undefined) ??
    (data.remove === true ? attempt(view, data.base) : undefined)
  );
}

/** What a Job that ended says, written down before it is deleted. */
function finished(view: View, data: DataDecision): Stage | undefined {
  if (data.remove !== true) return undefined;
  const done = view.jobs.find((job) => isTrue(job, 'Complete'));
  if (done !== undefined) {
    const metadata = { annotations: { [Annotation.StorageCleaned]: view.uid } };
    return { awaiting: `${titleOf(done)} removed the data`, metadata, cleaning: true };
  }
  const failed = view.jobs.find((job) => isTrue(job, 'Failed') && job.uid !== view.record.counted);
  if (failed === undefined) return undefined;
  const record = { ...view.record, counted: failed.uid, failedAt: view.now, failure: failureOf(view, failed) };
  return {
    awaiting: `${titleOf(failed)} failed`,
    metadata: {
      annotations: {
        [Annotation.StorageCleanupFailures]: String(cleanupFailures(view.instance) + 1),
        ...teardownAnnotation(record),
      },
    },
    cleaning: true,
    failures: 1,
  };
}

/** Nothing is to be removed after all: a Job that is at it is stopped. */
export const stopCleanup: StageOf = (view) => leftovers(view, { remove: false, because: 'everything is kept' });

/** Jobs that are over, or not wanted any more, go; what is still there is awaited. */
function leftovers(view: View, data: DataDecision): Stage | undefined {
  const { jobs, pods } = view;
  const present = [...jobs, ...pods];
  if (present.length === 0) return undefined;
  const over = jobs.filter((job) => data.remove !== true || isTrue(job, 'Complete') || isTrue(job, 'Failed'));
  const running = jobs.filter((job) => !over.includes(job));
  const awaiting = running.length > 0 ? `Waiting for ${running.map(titleOf).join(', ')} to finish` : gone(present);
  return { awaiting, actions: deletions(over, 'storage', false), cleaning: true };
}

function attempt(view: View, base: string): Stage | undefined {
  const settings = settingsIn(view);
  if (settings === undefined) return undefined;
  const failures = cleanupFailures(view.instance);
  const due = failures === 0 ? view.now : dueAt(view, backoff(failures - 1, settings.retry));
  if (due > view.now) return { awaiting: 'Waiting to try the cleanup of the storage root again', deadline: due };
  const { namespace } = settings.cleanup;
  const name = cleanupJobName(view.uid, failures);
  const manifest = cleanupJob({
    identity: view,
    id: instanceId(view.namespace, view.name),
    attempt: failures,
    base,
    settings,
  });
  const object = { ...Kinds.Job, namespace, name };
  return {
    awaiting: `Waiting for ${titleOf(object)} to finish`,
    actions: [{ verb: 'create', object, manifest, concern: 'storage', irreversible: true }],
  };
}

/** A failure that lies further ahead than the pause was noted by a clock that was wrong. */
function dueAt({ now, record: { failedAt } }: View, pause: number): number {
  return failedAt === undefined || failedAt > now + pause ? now : failedAt + pause;
}

function isTrue(job: Thing, type: string): boolean {
  return condition(job.object, type)?.status === 'True';
}

/** The Job's own reason, and what its container said at the end. */
function failureOf(view: View, job: Thing): string {
  const { reason = '', message = '' } = condition(job.object, 'Failed') ?? {};
  const said = view.pods.flatMap(({ object }) => terminationMessages(object)).sort()[0];
  return `Cannot remove the storage root: ${titleOf(job)} failed: ${oneLine([reason, message, said].filter(Boolean).join(': '))}`;
}

function terminationMessages(pod: JsonObject): string[] {
  return listAt(pod, 'status', 'containerStatuses')
    .filter(isObject)
    .flatMap((container) => stringAt(container, 'state', 'terminated', 'message') ?? [])
    .map((text) => text.trim())
    .filter((text) => text !== '');
}
