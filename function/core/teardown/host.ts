import { type JsonObject, stringAt } from '../../json.ts';
import { Annotation, Key } from '../keys.ts';
import { instanceNames } from '../names.ts';
import { Id, many } from './found.ts';
import { type Composed, carriesUid, composedFacts, isLeftBehind, type Owner } from './ownership.ts';
import { readTeardownRecord } from './record.ts';
import type { Found } from './requests.ts';

export interface HostFacts {
  readonly name: string;
  /** the Namespace itself while it exists and is this instance's */
  readonly namespace: JsonObject | undefined;
  /** one of that name exists, and nothing says that it is this instance's */
  readonly foreign: boolean;
  /** this instance had it: it is marked so, was composed or was noted */
  readonly used: boolean;
  /** node path of the tenants' data, when anything says so */
  readonly root: string | undefined;
  /** its user chose it */
  readonly custom: boolean;
}

/**
 * The host Namespace as it is in use: what exists, else what was composed, else what was noted, else what would be created.
 * Where the data is, the Namespace knows best, and what was noted of it while it existed stays.
 */
export function hostOf(instance: JsonObject, owner: Owner, found: Found): HostFacts {
  const record = readTeardownRecord(instance);
  const { ours } = composedFacts(found, owner.uid);
  const manifest = ['spec', 'forProvider', 'manifest', 'metadata'];
  const known = [
    textOf(ours, Key.VCluster, 'spec', 'forProvider', 'namespace'),
    textOf(ours, Key.HostNamespace, ...manifest, 'name'),
    record.host,
  ].find((each) => isHostName(each, owner));
  const named = [...many(found, Id.Namespaces), ...many(found, Id.Host)];
  const namespace = named.find((each) => isOurs(each, owner, known));
  const name =
    stringAt(namespace, 'metadata', 'name') ?? known ?? instanceNames(owner.namespace, owner.name).hostNamespace;
  return {
    name,
    namespace,
    foreign: namespace === undefined && named.some((each) => stringAt(each, 'metadata', 'name') === name),
    used: namespace !== undefined || known !== undefined,
    root:
      stringAt(namespace, 'metadata', 'annotations', Annotation.StorageRoot) ??
      (isHostName(record.host, owner) ? record.root : undefined) ??
      textOf(ours, Key.HostNamespace, ...manifest, 'annotations', Annotation.StorageRoot) ??
      textOf(ours, Key.PlatformStack, 'spec', 'config', 'storageRoot'),
    custom:
      record.custom ||
      stringAt(namespace, 'metadata', 'annotations', Annotation.StorageRootCustom) === 'true' ||
      textOf(ours, Key.HostNamespace, ...manifest, 'annotations', Annotation.StorageRootCustom) === 'true',
  };
}

/**
 * Labels can be copied; the annotation names the one instance that the Namespace was made for. One that was kept for it
 * bears the label of its predecessor until the provider applies it again, so then its own use of it has to be known.
 */
function isOurs(namespace: JsonObject, owner: Owner, known: string | undefined): boolean {
  const madeFor = stringAt(namespace, 'metadata', 'annotations', Annotation.Instance);
  const name = stringAt(namespace, 'metadata', 'name');
  if (madeFor !== `${owner.namespace}/${owner.name}` || !isHostName(name, owner)) return false;
  return carriesUid(namespace, owner.uid) || (name === known && isLeftBehind(namespace, owner));
}

/** Whatever is written where: no other instance's host Namespace can be meant. */
function isHostName(name: string | undefined, { id }: Owner): name is string {
  return (
    name !== undefined && name.length <= 63 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name) && name.endsWith(`-${id}`)
  );
}

function textOf(ours: readonly Composed[], key: Key, ...path: readonly string[]): string | undefined {
  return stringAt(ours.find((each) => each.key === key)?.resource, ...path);
}
