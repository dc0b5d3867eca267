import { at, type JsonObject, listAt, stringAt } from '../../json.ts';
import { KEYS, Key, Label } from '../keys.ts';
import { HELM_RELEASE, instanceNames } from '../names.ts';
import { COMPOSED, Id, isObjectName, one } from './found.ts';
import { hostOf } from './host.ts';
import { type Owner, ownerOf } from './ownership.ts';
import { type Found, type Kind, Kinds, type Reference, type Request } from './requests.ts';
import { revisionName, settingsOf } from './settings.ts';
import { holdsFinalizer, isDeleting } from './view.ts';

export const API_NAME = 'platforminstances.platform.di-framework.dev';

const KIND_OF: { readonly [key in Key]: Kind } = {
  [Key.HostNamespace]: Kinds.Object,
  [Key.OwnerServicePolicy]: Kinds.Object,
  [Key.OwnerServicePolicyBinding]: Kinds.Object,
  [Key.VCluster]: Kinds.Release,
  [Key.TargetProviderConfig]: Kinds.ProviderConfig,
  [Key.TargetProbe]: Kinds.Object,
  [Key.StackProgram]: Kinds.ConfigMap,
  [Key.StackServiceAccount]: Kinds.ServiceAccount,
  [Key.StackAuthDelegator]: Kinds.Object,
  [Key.StackState]: Kinds.Object,
  [Key.PlatformStack]: Kinds.Stack,
};

const COMPOSED_KINDS: readonly Kind[] = [...new Set(Object.values(KIND_OF))];

/**
 * What to fetch next to know all that the plan of a deleted instance asks for; empty once everything is known, and at once
 * for an instance that lives. Names follow from what was found before, so it is asked again with the answers.
 */
export function lookups(instance: JsonObject, found: Found): readonly Request[] {
  const owner = ownerOf(instance);
  if (owner === undefined || !isDeleting(instance) || !holdsFinalizer(instance)) return [];
  for (const stage of [first, labelled, named, leaked]) {
    const missing = stage(instance, owner, found).filter(({ id }) => !found.has(id));
    if (missing.length > 0) return missing;
  }
  return [];
}

function first(instance: JsonObject, owner: Owner): readonly Request[] {
  const revision = revisionName(instance);
  return [
    { id: Id.Definition, get: { ...Kinds.Definition, name: API_NAME } },
    { id: Id.CustomResourceDefinition, get: { ...Kinds.CustomResourceDefinition, name: API_NAME } },
    ...(revision === undefined ? [] : [{ id: Id.Revision, get: { ...Kinds.Revision, name: revision } }]),
    ...composed(instance, owner).map((get) => ({ id: `${COMPOSED}${get.kind} ${get.name}`, get })),
  ];
}

/** Those that Crossplane wrote down, and those that our names lead to: a list that was overwritten must lose nothing. */
function composed(instance: JsonObject, { namespace, name: own }: Owner): readonly Reference[] {
  const names = instanceNames(namespace, own).composed;
  const byRule = KEYS.map((key) => ({ ...KIND_OF[key], namespace, name: names[key] }));
  const written = listAt(instance, 'spec', 'crossplane', 'resourceRefs').flatMap((reference) => {
    const kind = COMPOSED_KINDS.find(
      (known) => known.kind === at(reference, 'kind') && known.apiVersion === at(reference, 'apiVersion'),
    );
    const name = stringAt(reference, 'name');
    return kind === undefined || !isObjectName(name) ? [] : [{ ...kind, namespace, name }];
  });
  const unique = new Map([...byRule, ...written].map((each) => [`${each.kind} ${each.name}`, each]));
  return [...unique.values()];
}

/** By the label for namespace and name: what was kept for the instance may still carry the UID of its predecessor. */
function labelled(instance: JsonObject, { namespace, uid, id }: Owner, found: Found): readonly Request[] {
  const labels = { [Label.Instance]: id };
  const settings = settingsOf(instance, one(found, Id.Revision));
  const cleanup =
    'value' in settings
      ? { namespace: settings.value.cleanup.namespace, labels: { [Label.InstanceUid]: uid } }
      : undefined;
  return [
    { id: Id.Namespaces, list: { ...Kinds.Namespace, labels } },
    { id: Id.Policies, list: { ...Kinds.Policy, labels } },
    { id: Id.PolicyBindings, list: { ...Kinds.PolicyBinding, labels } },
    { id: Id.RoleBindings, list: { ...Kinds.ClusterRoleBinding, labels } },
    { id: Id.Claims, list: { ...Kinds.Claim, namespace, labels } },
    ...(cleanup === undefined
      ? []
      : [
          { id: Id.Jobs, list: { ...Kinds.Job, ...cleanup } },
          { id: Id.Pods, list: { ...Kinds.Pod, ...cleanup } },
        ]),
  ];
}

/** Every Namespace has the label with its name, from the API server itself; finding one by it needs no right to get. */
const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

/** What has a name that follows from the host Namespace's. */
function named(instance: JsonObject, owner: Owner, found: Found): readonly Request[] {
  const host = hostOf(instance, owner, found).name;
  const name = chartRoleName(host);
  return [
    { id: Id.Host, list: { ...Kinds.Namespace, labels: { [NAMESPACE_NAME]: host } } },
    { id: Id.ChartRole, get: { ...Kinds.ClusterRole, name } },
    { id: Id.ChartRoleBinding, get: { ...Kinds.ClusterRoleBinding, name } },
  ];
}

/** Volumes are many, and which of them are leaked can only be told once the host Namespace is gone. */
function leaked(instance: JsonObject, owner: Owner, found: Found): readonly Request[] {
  const host = hostOf(instance, owner, found);
  if (host.namespace !== undefined || host.foreign) return [];
  return [{ id: Id.Volumes, list: { ...Kinds.Volume, labels: {} } }];
}

/** As the chart names them (vcluster chart, templates/clusterrole.yaml: cut to 63 characters). */
export function chartRoleName(host: string): string {
  return `vc-${HELM_RELEASE}-v-${host}`.slice(0, 63);
}
