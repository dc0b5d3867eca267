import { type JsonObject, numberAt, stringAt } from '../../json.ts';
import { Annotation } from '../keys.ts';
import { readAnnotation, writeRecord } from '../observe/memory.ts';
import { counter } from '../observe/workloads.ts';
import { oneLine } from '../text.ts';

/** What teardown remembers on the instance itself: all that it read it from is going to be gone. */
export interface TeardownRecord {
  /** name of the host Namespace */
  readonly host: string | undefined;
  /** node path of the tenants' data, as it was in use */
  readonly root: string | undefined;
  /** its user chose that path, or an earlier instance's did */
  readonly custom: boolean;
  /** somebody orphaned what the instance composes, which means Retain */
  readonly retained: boolean;
  /** it was said that Retain came after the host Namespace had begun to go */
  readonly late: boolean;
  /** UID of the last failed cleanup Job that was counted */
  readonly counted: string | undefined;
  /** when it was counted, in seconds since 1970, and why it failed */
  readonly failedAt: number | undefined;
  readonly failure: string | undefined;
}

/** Longer than any that is written here. */
const FAILURE_LIMIT = 640;

/** Only teardown may write it where its admission policy is installed (package/teardown/note.yaml). */
export function readTeardownRecord(instance: JsonObject): TeardownRecord {
  const value = readAnnotation(instance, Annotation.Teardown);
  const failure = stringAt(value, 'failure');
  return {
    host: stringAt(value, 'host'),
    root: stringAt(value, 'root'),
    custom: value?.['custom'] === true,
    retained: value?.['retained'] === true,
    late: value?.['late'] === true,
    counted: stringAt(value, 'counted'),
    failedAt: numberAt(value, 'failedAt'),
    failure: failure && oneLine(failure, FAILURE_LIMIT),
  };
}

/** The annotation for a merge patch. */
export function teardownAnnotation(record: TeardownRecord): JsonObject {
  return { [Annotation.Teardown]: writeRecord(record) };
}

/** How many cleanup Jobs failed; anything that is no whole number counts as 0. */
export function cleanupFailures(instance: JsonObject): number {
  return counter(stringAt(instance, 'metadata', 'annotations', Annotation.StorageCleanupFailures)) ?? 0;
}
