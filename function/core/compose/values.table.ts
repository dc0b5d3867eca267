import type { PlatformInstanceSpec } from '../../api/instance.ts';
import type { Settings } from '../../api/settings.types.ts';
import { at, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../json.ts';
import { filled } from '../canonical.ts';
import { apiUrl } from '../decide/target.ts';
import { Annotation } from '../keys.ts';

/**
 * What becomes of a value once the release exists. Values are written anew for a restart, and when a setting of GROUPS or a
 * field of SPEC_FIELDS changes; then
 * - fixed: what is in use stays, whatever is set now;
 * - sticky: its setting where that is given, else what is in use, else the default;
 * - always: as it is rendered now.
 */
export type Policy = 'fixed' | 'sticky' | 'always';

export interface ChartValue {
  readonly path: readonly string[];
  readonly policy: Policy;
  /** where a sticky value is set: given there, it wins over what is in use */
  readonly setting?: readonly [keyof Sources['settings'], string];
  /** undefined or null leaves the value to the chart */
  readonly render: (sources: Sources, built: JsonObject) => Json | undefined;
}

/** All that a value may be made of: a setting or field that no hash covers would never reach a release that exists. */
export interface Sources {
  readonly settings: Pick<Settings, (typeof GROUPS)[number]>;
  /** null for what is not said */
  readonly spec: { readonly [field in keyof typeof SPEC_FIELDS]: Json };
  readonly name: string;
  readonly host: string;
  readonly restart: number;
  readonly isNew: boolean;
}

/** The groups of settings that values are made of. */
export const GROUPS = ['vcluster', 'placement'] as const satisfies readonly (keyof Settings)[];

/** The fields of the spec that values are made of; one below platform also needs its place in decide/wanted.ts. */
export const SPEC_FIELDS = {} as const satisfies {
  readonly [field: string]: (spec: PlatformInstanceSpec) => Json | undefined;
};

const CONTROL_PLANE = ['controlPlane'] as const;
const STATEFUL_SET = [...CONTROL_PLANE, 'statefulSet'] as const;
const SCHEDULING = [...STATEFUL_SET, 'scheduling'] as const;
const VOLUME_CLAIM = [...STATEFUL_SET, 'persistence', 'volumeClaim'] as const;

export const CHART_VALUES: readonly ChartValue[] = [
  { path: ['exportKubeConfig', 'context'], policy: 'fixed', render: ({ name }) => name },
  { path: ['exportKubeConfig', 'server'], policy: 'fixed', render: ({ host }) => apiUrl(host) },
  {
    path: [...CONTROL_PLANE, 'advanced', 'defaultImageRegistry'],
    policy: 'sticky',
    setting: ['vcluster', 'imageRegistry'],
    render: ({ settings }) => settings.vcluster.imageRegistry,
  },
  {
    path: [...CONTROL_PLANE, 'advanced', 'serviceAccount', 'imagePullSecrets'],
    policy: 'sticky',
    setting: ['vcluster', 'imagePullSecrets'],
    render: ({ settings }) => filled(settings.vcluster.imagePullSecrets.map((name) => ({ name }))),
  },
  {
    path: [...CONTROL_PLANE, 'distro', 'k8s', 'image', 'tag'],
    policy: 'sticky',
    setting: ['vcluster', 'kubernetesVersion'],
    render: ({ settings }) => settings.vcluster.kubernetesVersion,
  },
  {
    // The chart's own names leave out the two that a client inside the cluster uses.
    path: [...CONTROL_PLANE, 'proxy', 'extraSANs'],
    policy: 'always',
    render: ({ host }) => [`vcluster.${host}.svc`, `vcluster.${host}.svc.cluster.local`],
  },
  {
    path: [...STATEFUL_SET, 'image', 'repository'],
    policy: 'sticky',
    setting: ['vcluster', 'imageRepository'],
    render: ({ settings }) => settings.vcluster.imageRepository,
  },
  {
    path: [...STATEFUL_SET, 'pods', 'annotations', Annotation.Restart],
    policy: 'always',
    render: ({ restart }) => String(restart),
  },
  { path: [...VOLUME_CLAIM, 'retentionPolicy'], policy: 'always', render: () => 'Retain' },
  {
    path: [...VOLUME_CLAIM, 'size'],
    policy: 'fixed',
    setting: ['vcluster', 'volumeSize'],
    render: ({ settings }) => settings.vcluster.volumeSize,
  },
  {
    path: [...VOLUME_CLAIM, 'storageClass'],
    policy: 'fixed',
    setting: ['vcluster', 'storageClassName'],
    render: ({ settings, isNew }) => (isNew ? settings.vcluster.storageClassName : undefined),
  },
  {
    path: [...STATEFUL_SET, 'resources'],
    policy: 'sticky',
    setting: ['vcluster', 'resources'],
    render: ({ settings }) => settings.vcluster.resources,
  },
  {
    path: [...SCHEDULING, 'nodeSelector'],
    policy: 'sticky',
    setting: ['placement', 'nodeSelector'],
    render: ({ settings }) => filled(settings.placement.nodeSelector),
  },
  {
    path: [...SCHEDULING, 'tolerations'],
    policy: 'sticky',
    setting: ['placement', 'tolerations'],
    render: ({ settings }) => filled(settings.placement.tolerations),
  },
  {
    path: [...SCHEDULING, 'affinity'],
    policy: 'sticky',
    setting: ['placement', 'affinity'],
    render: ({ settings }) => settings.placement.affinity,
  },
  { path: ['sync', 'toHost', 'networkPolicies', 'enabled'], policy: 'always', render: () => true },
  { path: ['sync', 'toHost', 'persistentVolumes', 'enabled'], policy: 'always', render: () => true },
  {
    // Tenant pods go where the control plane goes.
    path: ['sync', 'toHost', 'pods', 'enforceTolerations'],
    policy: 'always',
    render: (_, built) =>
      filled(listAt(built, ...SCHEDULING, 'tolerations').flatMap((value) => toleration(value) ?? [])),
  },
  {
    path: ['sync', 'fromHost', 'nodes', 'enabled'],
    policy: 'always',
    render: (_, built) => (objectAt(built, ...SCHEDULING, 'nodeSelector') === undefined ? undefined : true),
  },
  {
    // The node labels that are synced are also the node selector of tenant pods.
    path: ['sync', 'fromHost', 'nodes', 'selector', 'labels'],
    policy: 'always',
    render: (_, built) => at(built, ...SCHEDULING, 'nodeSelector'),
  },
  { path: ['telemetry', 'enabled'], policy: 'always', render: () => false },
];

/**
 * A toleration of tenant pods as the text that vCluster parses (pkg/util/toleration): a key without a colon would mean
 * the empty value, and a toleration that ends after a while has no such form.
 */
function toleration(value: Json): string | undefined {
  const key = stringAt(value, 'key') ?? '';
  const effect = stringAt(value, 'effect') ?? '';
  const operator = stringAt(value, 'operator') ?? 'Equal';
  if (at(value, 'tolerationSeconds') !== undefined) return undefined;
  if (operator === 'Exists') return key === '' && effect === '' ? '*' : `${key}:${effect}`;
  if (operator !== 'Equal' || key === '') return undefined;
  const exact = `${key}=${stringAt(value, 'value') ?? ''}`;
  return effect === '' ? exact : `${exact}:${effect}`;
}
