import type { Settings } from '../../api/settings.types.ts';
import { type JsonObject, objectAt, stringAt } from '../../json.ts';
import { type Annotation, FINALIZER, Key } from '../keys.ts';
import { Id, many, one } from './found.ts';
import { type HostFacts, hostOf } from './host.ts';
import { chartRoles, leakedVolumes } from './leaks.ts';
import {
  type Composed,
  carriesUid,
  composedFacts,
  isCleanup,
  isLeftBehind,
  isNamedFor,
  type Owner,
  ownerOf,
} from './ownership.ts';
import { readTeardownRecord, type TeardownRecord } from './record.ts';
import { type Found, type Kind, Kinds, type Reference } from './requests.ts';
import { type SettingsFacts, settingsOf } from './settings.ts';
import { finalizersOf, sorted, type Thing, thing } from './thing.ts';

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
  const owner = ownerOf(instance);
  if (owner === undefined) return undefined;
  const { namespace, name, uid } = owner;
  const composed = composedFacts(found, uid);
  const host = hostOf(instance, owner, found);
  const ours = (id: string, kind: Kind, key: Key): readonly Thing[] => belonging(found, id, kind, { owner, key, host });
  const others = composed.ours.map(composedThing);
  const isGone = host.namespace === undefined && !host.foreign;
  return {
    instance,
    namespace,
    name,
    uid,
    annotations: objectAt(instance, 'metadata', 'annotations') ?? {},
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
    policies: [
      ...ours(Id.Policies, Kinds.Policy, Key.OwnerServicePolicy),
      ...ours(Id.PolicyBindings, Kinds.PolicyBinding, Key.OwnerServicePolicyBinding),
    ],
    roleBindings: ours(Id.RoleBindings, Kinds.ClusterRoleBinding, Key.StackAuthDelegator),
    chartRoles: isGone ? chartRoles(found, host.name) : [],
    volumes: isGone ? leakedVolumes(found, host.name) : [],
    claims: ours(Id.Claims, Kinds.Claim, Key.StackState),
    jobs: cleaning(found, Id.Jobs, Kinds.Job, uid),
    pods: cleaning(found, Id.Pods, Kinds.Pod, uid),
  };
}

interface Belonging {
  readonly owner: Owner;
  readonly key: Key;
  readonly host: HostFacts;
}

/** With a host Namespace that was kept for it, the instance has taken over what else was kept. */
function belonging(found: Found, id: string, kind: Kind, { owner, key, host }: Belonging): readonly Thing[] {
  const ours = many(found, id).filter(
    (each) => isNamedFor(each, owner, key) && (carriesUid(each, owner.uid) || (host.used && isLeftBehind(each, owner))),
  );
  return sorted(ours.map((each) => thing(kind, each)));
}

function cleaning(found: Found, id: string, kind: Kind, uid: string): readonly Thing[] {
  const ours = many(found, id).filter((each) => carriesUid(each, uid) && isCleanup(kind, each, uid));
  return sorted(ours.map((each) => thing(kind, each)));
}

export function isDeleting(instance: JsonObject): boolean {
  return stringAt(instance, 'metadata', 'deletionTimestamp') !== undefined;
}

export function holdsFinalizer(instance: JsonObject): boolean {
  return finalizersOf(instance).includes(FINALIZER);
}

/** The settings, or undefined where nothing may be done that needs them. */
export function settingsIn(view: View): Settings | undefined {
  return 'value' in view.settings ? view.settings.value : undefined;
}

function composedThing({ resource }: Composed): Thing {
  const kind = Object.values(Kinds).find(
    (known) => known.kind === resource['kind'] && known.apiVersion === resource['apiVersion'],
  );
  return thing(kind ?? Kinds.Object, resource);
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

export function annotation(view: View, name: (typeof Annotation)[keyof typeof Annotation]): string | undefined {
  return stringAt(view.annotations, name);
}
