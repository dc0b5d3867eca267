import { type JsonObject, stringAt } from '../../json.ts';
import { Annotation, Key } from '../keys.ts';
import { instanceNames } from '../names.ts';
import { Id, many } from './found.ts';
import { type Composed, carriesUid, composedFacts } from './ownership.ts';
import { readTeardownRecord } from './record.ts';
import type { Found } from './requests.ts';

export interface HostFacts {
  readonly name: string;
  /** the Namespace itself while it exists and is this instance's */
  readonly namespace: JsonObject | undefined;
  /** node path of the tenants' data, when anything says so */
  readonly root: string | undefined;
}

/** The host Namespace as it is in use: what was noted, else what exists, else what would be created. */
export function hostOf(instance: JsonObject, found: Found): HostFacts {
  const owner = {
    namespace: stringAt(instance, 'metadata', 'namespace') ?? '',
    name: stringAt(instance, 'metadata', 'name') ?? '',
    uid: stringAt(instance, 'metadata', 'uid') ?? '',
  };
  const record = readTeardownRecord(instance);
  const { ours } = composedFacts(found, owner.uid);
  const manifest = ['spec', 'forProvider', 'manifest', 'metadata'];
  const namespace = many(found, Id.Namespaces).find((each) => isOurs(each, owner));
  return {
    namespace,
    name:
      record.host ??
      stringAt(namespace, 'metadata', 'name') ??
      textOf(ours, Key.VCluster, 'spec', 'forProvider', 'namespace') ??
      textOf(ours, Key.HostNamespace, ...manifest, 'name') ??
      instanceNames(owner.namespace, owner.name).hostNamespace,
    root:
      record.root ??
      stringAt(namespace, 'metadata', 'annotations', Annotation.StorageRoot) ??
      textOf(ours, Key.HostNamespace, ...manifest, 'annotations', Annotation.StorageRoot) ??
      textOf(ours, Key.PlatformStack, 'spec', 'config', 'storageRoot'),
  };
}

/** A label can be copied; the annotation names the one instance that the Namespace was made for. */
function isOurs(namespace: JsonObject, owner: { namespace: string; name: string; uid: string }): boolean {
  const named = stringAt(namespace, 'metadata', 'annotations', Annotation.Instance);
  return carriesUid(namespace, owner.uid) && named === `${owner.namespace}/${owner.name}`;
}

function textOf(ours: readonly Composed[], key: Key, ...path: readonly string[]): string | undefined {
  return stringAt(ours.find((each) => each.key === key)?.resource, ...path);
}
