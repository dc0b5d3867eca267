const EVERY = 'create delete patch update get list watch';

/**
 * What the Role and ClusterRole of the vCluster chart 0.36.1 grant to the control plane with the values that the function
 * writes (NetworkPolicies and PersistentVolumes synced to the host), on a host of Kubernetes 1.30 or later: verbs by
 * `group/resource`, the core group without a name. Read by rendering the chart for 1.30 and 1.36.
 */
export const CHART_GRANTS: Readonly<Record<string, string>> = {
  '/configmaps': EVERY,
  '/secrets': EVERY,
  '/services': EVERY,
  '/pods': EVERY,
  '/pods/attach': EVERY,
  '/pods/portforward': EVERY,
  '/pods/exec': EVERY,
  '/persistentvolumeclaims': EVERY,
  '/endpoints': EVERY,
  '/persistentvolumes': EVERY,
  '/pods/status': 'patch update',
  '/pods/ephemeralcontainers': 'patch update',
  '/pods/resize': 'patch update',
  '/pods/log': 'get list watch',
  '/events': 'create get list watch',
  'events.k8s.io/events': 'create get list watch',
  'apps/statefulsets': 'get list watch patch update',
  'apps/replicasets': 'get list watch patch update',
  'apps/deployments': 'get list watch patch update',
  'discovery.k8s.io/endpointslices': EVERY,
  'networking.k8s.io/networkpolicies': EVERY,
};

/** The kinds of which the chart makes objects. */
export const CHART_KINDS: readonly string[] = [
  '/serviceaccounts',
  '/secrets',
  '/services',
  'apps/statefulsets',
  'rbac.authorization.k8s.io/roles',
  'rbac.authorization.k8s.io/rolebindings',
  'rbac.authorization.k8s.io/clusterroles',
  'rbac.authorization.k8s.io/clusterrolebindings',
];
