import type { Settings } from '../../api/settings.types.ts';
import { type JsonObject, listAt, stringAt } from '../../json.ts';
import { type Annotation, FINALIZER } from '../keys.ts';
import { HELM_RELEASE } from '../names.ts';
import { identify } from '../observe/index.ts';
import { parseTime } from '../time.ts';
import { Id, many, one } from './found.ts';
import { type HostFacts, hostOf } from './host.ts';
import { type Composed, carriesUid, composedFacts } from './ownership.ts';
import { readTeardownRecord, type TeardownRecord } from './record.ts';
import { type Found, type Kind, Kinds, type Reference, titleOf } from './requests.ts';
import { type SettingsFacts, settingsOf } from './settings.ts';
import type { Seen } from './step.ts';

/** An object together with how it is reached. */
export interface Thing extends Seen {
  readonly object: JsonObject;
  /** when its deletion began, in seconds since 1970; undefined while it is not being deleted */
  readonly deletedAt: number | undefined;
  readonly finalizers: readonly string[];
}

/** Everything that is known of an instance that is being deleted. */
export interface View {
  readonly instance: JsonObject;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly annotations: JsonObject;
  readonly finalizers: readonly string[];
  readonly now: number;
  readonly record: TeardownRecord;
  readonly settings: SettingsFacts;
  /** XRD or CRD of PlatformInstance, when it is being deleted */
  readonly dyingApi: Reference | undefined;
  readonly orphaned: boolean;
  readonly host: HostFacts;
  readonly hostNamespace: Thing | undefined;
  readonly stack: Thing | undefined;
  /** all that Crossplane composed for this instance but the Stack */
  readonly managed: readonly Thing[];
  readonly policies: readonly Thing[];
  readonly roleBindings: readonly Thing[];
  readonly chartRoles: readonly Thing[];
  readonly volumes: readonly Thing[];
  readonly claims: readonly Thing[];
  readonly jobs: readonly Thing[];
  readonly pods: readonly Thing[];
}

/** undefined for an object that no plan can be made for. */
export function viewOf(instance: JsonObject, found: Found, now: number): View | undefined {
  const identity = identify(instance);
  if (identity?.uid === undefined) return undefined;
  const { uid } = identity;
  const composed = composedFacts(found, uid);
  const host = hostOf(instance, found);
  const ours = (id: string, kind: Kind): Thing[] =>
    many(found, id)
      .filter((resource) => carriesUid(resource, uid))
      .map((resource) => thing(kind, resource));
  const others = composed.ours.map(composedThing);
  return {
    instance,
    namespace: identity.namespace,
    name: identity.name,
    uid,
    annotations: identity.annotations,
    finalizers: finalizersOf(instance),
    now,
    record: readTeardownRecord(instance),
    settings: settingsOf(instance, one(found, Id.Revision)),
    dyingApi: dyingApi(found),
    orphaned: composed.orphaned,
    host,
    hostNamespace: host.namespace === undefined ? undefined : thing(Kinds.Namespace, host.namespace),
    stack: others.find(({ kind }) => kind === Kinds.Stack.kind),
    managed: sorted(others.filter(({ kind }) => kind !== Kinds.Stack.kind)),
    policies: sorted([...ours(Id.PolicyBindings, Kinds.PolicyBinding), ...ours(Id.Policies, Kinds.Policy)]),
    roleBindings: sorted(ours(Id.RoleBindings, Kinds.ClusterRoleBinding)),
    chartRoles: chartRoles(found, host.name),
    volumes: sorted(leakedVolumes(found, host.name)),
    claims: sorted(ours(Id.Claims, Kinds.Claim)),
    jobs: sorted(ours(Id.Jobs, Kinds.Job)),
    pods: sorted(ours(Id.Pods, Kinds.Pod)),
  };
}

export function isDeleting(instance: JsonObject): boolean {
  return stringAt(instance, 'metadata', 'deletionTimestamp') !== undefined;
}

export function finalizersOf(resource: JsonObject): readonly string[] {
  return listAt(resource, 'metadata', 'finalizers').filter((each) => typeof each === 'string');
}

export function holdsFinalizer(instance: JsonObject): boolean {
  return finalizersOf(instance).includes(FINALIZER);
}

/** The settings, or undefined where nothing may be done that needs them. */
export function settingsIn(view: View): Settings | undefined {
  return 'value' in view.settings ? view.settings.value : undefined;
}

function thing(kind: Kind, resource: JsonObject): Thing {
  const namespace = stringAt(resource, 'metadata', 'namespace');
  return {
    ...kind,
    ...(namespace === undefined ? {} : { namespace }),
    name: stringAt(resource, 'metadata', 'name') ?? '',
    uid: stringAt(resource, 'metadata', 'uid') ?? '',
    resourceVersion: stringAt(resource, 'metadata', 'resourceVersion') ?? '',
    object: resource,
    deletedAt: parseTime(stringAt(resource, 'metadata', 'deletionTimestamp')),
    finalizers: finalizersOf(resource),
  };
}

function composedThing({ resource }: Composed): Thing {
  const kind = Object.values(Kinds).find(
    (known) => known.kind === resource['kind'] && known.apiVersion === resource['apiVersion'],
  );
  return thing(kind ?? Kinds.Object, resource);
}

/** The order in which they are named and worked on. */
function sorted(things: readonly Thing[]): readonly Thing[] {
  return [...things].sort((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1));
}

function dyingApi(found: Found): Reference | undefined {
  const apis = [
    [Id.Definition, Kinds.Definition],
    [Id.CustomResourceDefinition, Kinds.CustomResourceDefinition],
  ] as const;
  for (const [id, kind] of apis) {
    const resource = one(found, id);
    if (resource !== undefined && isDeleting(resource)) return thing(kind, resource);
  }
  return undefined;
}

/** The chart's cluster-wide role and binding bear no label of ours; Helm notes on them which release they belong to. */
function chartRoles(found: Found, host: string): readonly Thing[] {
  const all = [
    [Id.ChartRoleBinding, Kinds.ClusterRoleBinding],
    [Id.ChartRole, Kinds.ClusterRole],
  ] as const;
  return all.flatMap(([id, kind]) => {
    const resource = one(found, id);
    return resource !== undefined && isOfRelease(resource, host) ? [thing(kind, resource)] : [];
  });
}

function isOfRelease(resource: JsonObject, host: string): boolean {
  const note = (name: string) => stringAt(resource, 'metadata', 'annotations', `meta.helm.sh/${name}`);
  return note('release-namespace') === host && note('release-name') === HELM_RELEASE;
}

const SYNCED_VOLUME = new RegExp(`^${HELM_RELEASE}-.+-x-.+-x-${HELM_RELEASE}$`);
const SYNCED_BY = 'vcluster.loft.sh/managed-by';

/**
 * vCluster gives the volumes it syncs to the host no owner, so they stay behind. It marks them with its namespace and name;
 * the names it gives them are cut and end in a hash when they are long (syncer, pkg/util/translate).
 */
function leakedVolumes(found: Found, host: string): Thing[] {
  return many(found, Id.Volumes)
    .filter((volume) => isMarked(volume, host) || isNamedAndClaimed(volume, host))
    .map((volume) => thing(Kinds.Volume, volume));
}

function isMarked(volume: JsonObject, host: string): boolean {
  const isNamed = stringAt(volume, 'metadata', 'name')?.startsWith(`${HELM_RELEASE}-`) === true;
  return isNamed && stringAt(volume, 'metadata', 'labels', SYNCED_BY) === `${host}-x-${HELM_RELEASE}`;
}

function isNamedAndClaimed(volume: JsonObject, host: string): boolean {
  const isNamed = SYNCED_VOLUME.test(stringAt(volume, 'metadata', 'name') ?? '');
  return isNamed && stringAt(volume, 'spec', 'claimRef', 'namespace') === host;
}

export function annotation(view: View, name: (typeof Annotation)[keyof typeof Annotation]): string | undefined {
  return stringAt(view.annotations, name);
}
