import type { Issue } from '../../api/issues.ts';
import type { Settings } from '../../api/settings.types.ts';
import { at, type Json, type JsonObject } from '../../json.ts';
import { Annotation } from '../keys.ts';
import { shapeIssues } from './overlay.shapes.ts';

/** A value of the overlay that is refused: always, but for some values, or for some values only. */
interface Refusal {
  readonly path: readonly string[];
  readonly why: string;
  readonly only?: readonly Json[];
  readonly except?: readonly Json[];
}

const STATEFUL_SET = ['controlPlane', 'statefulSet'] as const;
const NEEDED = 'the platform needs it';

/**
 * Values that the function must set itself, that would take away what it builds on, or that the API server or vCluster
 * refuses for a control plane that exists: one of them would stop every instance at once (facts of the chart's templates
 * and of pkg/config/validation.go).
 */
const REFUSED: readonly Refusal[] = [
  { path: ['exportKubeConfig'], why: 'the function sets where the kubeconfig points' },
  { path: ['controlPlane', 'proxy', 'extraSANs'], why: 'the function sets the names of the certificate' },
  { path: [...STATEFUL_SET, 'persistence'], why: 'the volume is set by vcluster.volumeSize and storageClassName' },
  {
    path: [...STATEFUL_SET, 'highAvailability', 'replicas'],
    why: 'the embedded database allows one replica, and another store cannot be set',
    except: [1],
  },
  {
    path: [...STATEFUL_SET, 'scheduling', 'podManagementPolicy'],
    why: 'it cannot be changed in a StatefulSet that exists',
    except: ['Parallel'],
  },
  { path: [...STATEFUL_SET, 'pods', 'labels', 'app'], why: 'the StatefulSet selects its pods by it' },
  { path: [...STATEFUL_SET, 'pods', 'labels', 'release'], why: 'the StatefulSet selects its pods by it' },
  {
    path: [...STATEFUL_SET, 'pods', 'annotations', Annotation.Restart],
    why: 'the function restarts the control plane with it',
  },
  { path: ['controlPlane', 'backingStore'], why: 'another store turns the StatefulSet into a Deployment' },
  { path: ['controlPlane', 'service'], why: 'Service vcluster owns everything that is synced' },
  { path: ['controlPlane', 'standalone', 'enabled'], why: 'the control plane runs in the host cluster', only: [true] },
  { path: ['controlPlane', 'distro', 'k8s', 'version'], why: 'the version is set by vcluster.kubernetesVersion' },
  { path: ['controlPlane', 'distro', 'k8s', 'enabled'], why: 'there is no other distribution', only: [false] },
  ...['k3s', 'k0s', 'eks'].map((name) => ({
    path: ['controlPlane', 'distro', name],
    why: 'the chart has no such distribution any more',
  })),
  { path: ['rbac', 'role', 'enabled'], why: 'the control plane would lose its rights', except: [true, 'true', 'auto'] },
  {
    path: ['rbac', 'clusterRole', 'enabled'],
    why: 'the control plane would lose its rights',
    except: [true, 'true', 'auto'],
  },
  { path: ['controlPlane', 'advanced', 'serviceAccount', 'enabled'], why: NEEDED, only: [false] },
  { path: ['experimental', 'syncSettings', 'setOwner'], why: 'without an owner nothing synced is ever cleaned up' },
  {
    path: ['policies', 'podSecurityStandard'],
    why: 'the platform needs hostPath volumes',
    except: ['', 'privileged'],
  },
  ...['pods', 'services', 'endpoints', 'persistentVolumeClaims', 'configMaps', 'secrets'].map((kind) => ({
    path: ['sync', 'toHost', kind, 'enabled'],
    why: NEEDED,
    only: [false],
  })),
  ...['volumeSnapshots', 'volumeSnapshotContents'].map((kind) => ({
    path: ['sync', 'toHost', kind],
    why: 'the chart refuses it since 0.36, whatever its value',
  })),
  { path: ['sync', 'fromHost', 'volumeSnapshotClasses'], why: 'the chart refuses it since 0.36, whatever its value' },
  { path: ['deploy', 'volumeSnapshotController'], why: 'the chart refuses it since 0.36, whatever its value' },
  { path: ['rbac', 'enableVolumeSnapshotRules'], why: 'the chart refuses it since 0.36, whatever its value' },
  ...['syncer', 'vcluster', 'api', 'controller', 'scheduler', 'etcd', 'storage', 'isolation', 'multiNamespaceMode'].map(
    (name) => ({ path: [name], why: 'the chart has no such value since 0.20' }),
  ),
];

/** Both ways at once are refused by vCluster at its start. */
const ONE_WAY = ['storageClasses', 'priorityClasses'] as const;

/** What the open-source image ends with an error for at its start (config.IsProFeatureEnabled). */
const PRO: readonly (readonly string[])[] = [
  ['privateNodes', 'enabled'],
  ['networking', 'resolveDNS'],
  ['controlPlane', 'coredns', 'embedded'],
  ['controlPlane', 'hostPathMapper', 'central'],
  ['controlPlane', 'advanced', 'kubeVip', 'enabled'],
  ['experimental', 'denyProxyRequests'],
  ['policies', 'centralAdmission'],
  ['sync', 'toHost', 'customResources'],
  ['sync', 'fromHost', 'customResources'],
  ['sync', 'toHost', 'namespaces', 'enabled'],
  ['sync', 'toHost', 'pods', 'hybridScheduling', 'enabled'],
  ['sleep'],
  ['snapshots'],
  ['deletion'],
];

/** Conflicts of the settings' overlay with what the function owns and what a control plane can be, each at its path. */
export function overlayIssues(
  values: JsonObject,
  { imageRepository }: Pick<Settings['vcluster'], 'imageRepository'> = { imageRepository: '-oss' },
): readonly Issue[] {
  const isOpenSource = imageRepository.endsWith('-oss');
  return [
    ...REFUSED.flatMap((refusal) => refused(values, refusal)),
    ...ONE_WAY.filter((kind) =>
      ['toHost', 'fromHost'].every((way) => isOn(at(values, 'sync', way, kind, 'enabled'))),
    ).map((kind) => issue(['sync', 'toHost', kind], `sync.fromHost.${kind} is on, and vCluster allows one way`)),
    ...(isOpenSource ? PRO : [])
      .filter((path) => isAsked(at(values, ...path)))
      .map((path) => issue(path, 'the open-source image of vCluster does not have it')),
    ...shapeIssues(values, 'chart.values'),
  ];
}

function refused(values: JsonObject, { path, why, only, except }: Refusal): readonly Issue[] {
  const found = at(values, ...path);
  // Helm takes null for "without the chart's own value".
  if (found === undefined) return [];
  if (only !== undefined ? !only.includes(found) : except?.includes(found) === true) return [];
  return [issue(path, why)];
}

function isOn(value: Json | undefined): boolean {
  return value === true || value === 'true';
}

/** Off, empty and null ask for nothing. */
function isAsked(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === false || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

function issue(path: readonly string[], why: string): Issue {
  return { path: `chart.values.${path.join('.')}`, message: `cannot be set: ${why}` };
}
