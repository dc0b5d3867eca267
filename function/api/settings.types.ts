import type { JsonObject } from '../json.ts';

/**
 * The function's settings with every default filled in: what the core works with. The pipeline step's `input` has the
 * same shape with every field optional and durations written as Go durations (`30m`, `1h30m`); settings.ts turns one
 * into the other. All times here are whole seconds.
 */
export interface Settings {
  readonly chart: {
    readonly repository: string;
    readonly version: string;
    /** Secret with keys username and password in the instance's namespace */
    readonly pullSecretName: string | undefined;
    /** merged under the values that the function writes itself */
    readonly values: JsonObject;
  };
  readonly vcluster: {
    /** tag of the tenant Kubernetes image, such as v1.35.0 */
    readonly kubernetesVersion: string;
    /** prefix put before all vCluster images; undefined keeps the chart's */
    readonly imageRegistry: string | undefined;
    readonly imageRepository: string;
    /** names of image pull Secrets in the host namespace */
    readonly imagePullSecrets: readonly string[];
    readonly resources: JsonObject | undefined;
    readonly volumeSize: string;
    readonly storageClassName: string | undefined;
  };
  /** where vCluster pods, what they sync and the cleanup Job run */
  readonly placement: {
    readonly nodeSelector: { readonly [key: string]: string };
    readonly tolerations: readonly JsonObject[];
    readonly affinity: JsonObject | undefined;
  };
  readonly providerConfigs: {
    readonly helm: ProviderConfigReference;
    readonly kubernetes: ProviderConfigReference;
  };
  /** absolute node path under which the default storage roots lie */
  readonly storageRootBase: string;
  readonly intervals: {
    readonly repair: number;
    readonly probe: number;
    readonly grace: number;
    /** how long a start may stay silent before it counts as failed */
    readonly startDeadline: number;
    readonly deletionDeadline: number;
  };
  readonly retry: { readonly base: number; readonly cap: number };
  readonly ttl: { readonly steady: number; readonly pending: number };
  readonly tenantHost: {
    readonly image: string;
    /** semver range of package versions that approve the image; undefined checks nothing beforehand */
    readonly approvedVersions: string | undefined;
    /** regular expression over the program's error that means "not approved"; undefined recognises none */
    readonly errorPattern: string | undefined;
  };
  readonly workspace: {
    readonly image: string;
    readonly resources: JsonObject;
    readonly imagePullSecrets: readonly string[];
    readonly npmRegistry: string | undefined;
    readonly proxy: {
      readonly httpProxy: string | undefined;
      readonly httpsProxy: string | undefined;
      readonly noProxy: string | undefined;
    };
    /** Pulumi backend URL; undefined keeps state on a volume of the instance */
    readonly backend: string | undefined;
    readonly stateSize: string;
    readonly stateStorageClassName: string | undefined;
  };
  readonly cleanup: { readonly image: string; readonly namespace: string };
  /** who may delete service/vcluster: exact user names, and groups as a fallback */
  readonly admission: { readonly exemptUsers: readonly string[]; readonly exemptGroups: readonly string[] };
  /** hold the creation of a live instance until it carries the teardown finalizer */
  readonly holdForFinalizer: boolean;
}

export interface ProviderConfigReference {
  readonly kind: 'ProviderConfig' | 'ClusterProviderConfig';
  readonly name: string;
}
