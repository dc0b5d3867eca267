/** The composition resource names of everything an instance composes. They never change: a new name is a new resource. */
export const Key = {
  HostNamespace: 'host-namespace',
  OwnerServicePolicy: 'owner-service-policy',
  OwnerServicePolicyBinding: 'owner-service-policy-binding',
  VCluster: 'vcluster',
  TargetProviderConfig: 'target-provider-config',
  TargetProbe: 'target-probe',
  StackProgram: 'stack-program',
  StackServiceAccount: 'stack-service-account',
  StackAuthDelegator: 'stack-auth-delegator',
  StackState: 'stack-state',
  PlatformStack: 'platform-stack',
} as const;
export type Key = (typeof Key)[keyof typeof Key];

export const KEYS: readonly Key[] = Object.values(Key);

/** Names under which the function asks Crossplane for resources that it does not compose. */
export const Required = {
  Service: 'service',
  HeadlessService: 'service-headless',
  StatefulSet: 'statefulset',
  KubeconfigSecret: 'vcluster-kubeconfig',
  ConfigSecret: 'vcluster-config',
  HostNamespace: 'host-namespace',
  TenantAuthSecret: 'tenant-auth-secret',
  Workspace: 'workspace',
} as const;
export type Required = (typeof Required)[keyof typeof Required];

const PREFIX = 'platform.di-framework.dev';

export const Annotation = {
  /** on the vCluster pod template, through Helm values: a change restarts the control plane */
  Restart: `${PREFIX}/restart`,
  /** on the Release */
  RestartRecord: `${PREFIX}/restart-record`,
  Suspect: `${PREFIX}/suspect`,
  Retry: `${PREFIX}/retry`,
  FailingSince: `${PREFIX}/failing-since`,
  ValuesSettings: `${PREFIX}/values-settings`,
  ValuesSpec: `${PREFIX}/values-spec`,
  /** on the probe Object */
  Probe: `${PREFIX}/probe`,
  /** on the Stack */
  Runs: `${PREFIX}/runs`,
  /** on the workspace pod template */
  ProgramHash: `${PREFIX}/program-hash`,
  TenantAuthVersion: `${PREFIX}/tenant-auth-version`,
  WorkspaceAttempt: `${PREFIX}/workspace-attempt`,
  /** on the host Namespace */
  Instance: `${PREFIX}/instance`,
  StorageRoot: `${PREFIX}/storage-root`,
  /** its user chose the storage root, so nobody removes it, also when an instance without one takes it over */
  StorageRootCustom: `${PREFIX}/storage-root-custom`,
  ChartVersion: `${PREFIX}/chart-version`,
  Applied: `${PREFIX}/applied`,
  /** on the Object of the host Namespace */
  CircuitOpen: `${PREFIX}/circuit-open`,
  /** on the PlatformInstance, set by its user */
  AcceptStateVolume: `${PREFIX}/accept-state-volume`,
  SkipStorageCleanup: `${PREFIX}/skip-storage-cleanup`,
  /** read by the admission policy of package/install alone, and told in previews */
  Protected: `${PREFIX}/protected`,
  /** on the PlatformInstance, set by teardown */
  StorageCleaned: `${PREFIX}/storage-cleaned`,
  StorageCleanupFailures: `${PREFIX}/storage-cleanup-failures`,
  Teardown: `${PREFIX}/teardown`,
  /** Crossplane's and the Pulumi operator's own */
  Paused: 'crossplane.io/paused',
  CompositionResourceName: 'crossplane.io/composition-resource-name',
  ExternalName: 'crossplane.io/external-name',
  PollInterval: 'crossplane.io/poll-interval',
  ReconciliationRequest: 'pulumi.com/reconciliation-request',
} as const;

export const Label = {
  Instance: `${PREFIX}/instance`,
  InstanceUid: `${PREFIX}/instance-uid`,
} as const;

export const FINALIZER = `${PREFIX}/instance`;
