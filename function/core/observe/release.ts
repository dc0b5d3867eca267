import { type JsonObject, numberAt, objectAt, stringAt } from '../../json.ts';
import type { ObservedResource } from '../../wire/messages.ts';
import { Annotation } from '../keys.ts';
import { isWaiting, type ManagedState, managedState } from './conditions.ts';
import {
  type ReleaseRetry,
  type RestartRecord,
  readAnnotation,
  readRestart,
  readRetry,
  readSuspect,
  type Suspect,
} from './memory.ts';

/** What provider-helm shows of the vCluster release (apis/namespaced/release/v1beta1/types.go). */
export interface ReleaseFacts {
  readonly resource: JsonObject;
  readonly managed: ManagedState;
  /** status.atProvider.state: deployed, failed, pending-install, ...; undefined before the first install */
  readonly state: string | undefined;
  readonly description: string;
  readonly revision: number;
  /** status.synced: the stored Helm record matches the spec */
  readonly recordSynced: boolean;
  /** status.failed: rollbacks or uninstalls tried since the last good state */
  readonly failed: number;
  readonly rollbackLimit: number | undefined;
  readonly values: JsonObject | undefined;
  /** connection details carry a non-empty kubeconfig */
  readonly kubeconfig: boolean;
  readonly restart: RestartRecord | undefined;
  readonly suspect: Suspect | undefined;
  readonly retry: ReleaseRetry | undefined;
  /** since when observe or connect errors have lasted */
  readonly failingSince: number | undefined;
}

export function releaseFacts(observed: ObservedResource | undefined): ReleaseFacts | undefined {
  if (observed === undefined) return undefined;
  const { resource } = observed;
  return {
    resource,
    managed: managedState(resource),
    state: stringAt(resource, 'status', 'atProvider', 'state'),
    description: stringAt(resource, 'status', 'atProvider', 'releaseDescription') ?? '',
    revision: numberAt(resource, 'status', 'atProvider', 'revision') ?? 0,
    recordSynced: objectAt(resource, 'status')?.['synced'] === true,
    failed: numberAt(resource, 'status', 'failed') ?? 0,
    rollbackLimit: numberAt(resource, 'spec', 'rollbackLimit'),
    values: objectAt(resource, 'spec', 'forProvider', 'values'),
    kubeconfig: observed.connectionDetails.get('kubeconfig') === true,
    restart: readRestart(readAnnotation(resource, Annotation.RestartRecord)),
    suspect: readSuspect(readAnnotation(resource, Annotation.Suspect)),
    retry: readRetry(readAnnotation(resource, Annotation.Retry)),
    failingSince: numberAt(readAnnotation(resource, Annotation.FailingSince), 'since'),
  };
}

/**
 * Installed, and the provider agrees that it is what the spec says. It also agrees while all that it misses is the Secret
 * with the connection details: that is read after the comparison (release.go, Observe).
 */
export function isSettled(release: ReleaseFacts | undefined): boolean {
  if (release === undefined || release.state !== 'deployed' || !release.recordSynced) return false;
  const { managed } = release;
  return managed.kind === 'synced' || (managed.kind === 'failing' && isWaiting(managed.message));
}
