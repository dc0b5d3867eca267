import { type JsonObject, stringAt } from '../../json.ts';
import { optional } from '../canonical.ts';
import { Key } from '../keys.ts';
import type { Observed } from '../observe/index.ts';
import { manifestOf, objectAround, ownLabels } from './object.ts';

/** The volume with the Pulumi state and its passphrase. Size and class are fixed once it exists. */
export function stackState(observed: Observed): JsonObject {
  const { workspace } = observed.settings;
  const inUse = manifestOf(observed, Key.StackState);
  const storageClassName =
    inUse === undefined ? workspace.stateStorageClassName : stringAt(inUse, 'spec', 'storageClassName');
  return objectAround(observed, Key.StackState, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: stringAt(inUse, 'metadata', 'name') ?? observed.names.composed[Key.StackState],
      namespace: observed.identity.namespace,
      labels: ownLabels(observed),
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: {
        requests: { storage: stringAt(inUse, 'spec', 'resources', 'requests', 'storage') ?? workspace.stateSize },
      },
      ...optional('storageClassName', storageClassName),
    },
  });
}
