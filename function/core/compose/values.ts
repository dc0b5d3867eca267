import { shortHash } from '../../hash.ts';
import { at, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../json.ts';
import { canonicalJson, filled, merged, optional } from '../canonical.ts';
import type { Plan } from '../decide/plan.ts';
import { apiUrl } from '../decide/target.ts';
import { Annotation } from '../keys.ts';
import type { Observed } from '../observe/index.ts';

const RESTART = ['controlPlane', 'statefulSet', 'pods', 'annotations', Annotation.Restart] as const;

/**
 * The chart's values. Any change of them restarts the control plane, so they are carried byte for byte until there is a
 * cause: a restart, or a setting that the user changed.
 */
export function values(observed: Observed, plan: Plan): JsonObject {
  const inUse = observed.release?.values;
  if (inUse === undefined) return rendered(observed, plan);
  const recorded = stringAt(observed.release?.resource, 'metadata', 'annotations', Annotation.ValuesSettings);
  const isSame = recorded === undefined || recorded === valuesSettings(observed);
  const carriesRestart = stringAt(inUse, ...RESTART) === String(plan.target.restart.n);
  return isSame && carriesRestart && !plan.target.restart.started ? inUse : rendered(observed, plan);
}

/** Hash of the settings that reach the values, as the user wrote them. */
export function valuesSettings(observed: Observed): string {
  const { input } = observed;
  const { volumeSize: _size, storageClassName: _class, ...vcluster } = objectAt(input, 'vcluster') ?? {};
  return shortHash(
    canonicalJson({
      vcluster,
      placement: at(input, 'placement') ?? null,
      values: at(input, 'chart', 'values') ?? null,
    }),
  );
}

function rendered(observed: Observed, plan: Plan): JsonObject {
  const { vcluster, placement, chart } = observed.settings;
  const host = observed.hostNamespace.name;
  const statefulSet = ['controlPlane', 'statefulSet'] as const;
  const volume = [...statefulSet, 'persistence', 'volumeClaim'] as const;
  const scheduling = {
    ...optional(
      'nodeSelector',
      inUse(observed, ['placement', 'nodeSelector'], filled(placement.nodeSelector), [
        ...statefulSet,
        'scheduling',
        'nodeSelector',
      ]),
    ),
    ...optional(
      'tolerations',
      inUse(observed, ['placement', 'tolerations'], filled(placement.tolerations), [
        ...statefulSet,
        'scheduling',
        'tolerations',
      ]),
    ),
    ...optional(
      'affinity',
      inUse(observed, ['placement', 'affinity'], placement.affinity, [...statefulSet, 'scheduling', 'affinity']),
    ),
  };
  const registry = inUse(observed, ['vcluster', 'imageRegistry'], vcluster.imageRegistry, [
    'controlPlane',
    'advanced',
    'defaultImageRegistry',
  ]);
  const pullSecrets = inUse(
    observed,
    ['vcluster', 'imagePullSecrets'],
    filled(vcluster.imagePullSecrets.map((name) => ({ name }))),
    ['controlPlane', 'advanced', 'serviceAccount', 'imagePullSecrets'],
  );
  const advanced = {
    ...optional('defaultImageRegistry', registry),
    ...(pullSecrets === undefined ? {} : { serviceAccount: { imagePullSecrets: pullSecrets } }),
  };
  const own: JsonObject = {
    exportKubeConfig: {
      context: fixed(observed, ['exportKubeConfig', 'context']) ?? observed.identity.name,
      server: fixed(observed, ['exportKubeConfig', 'server']) ?? apiUrl(host),
    },
    controlPlane: {
      ...(Object.keys(advanced).length === 0 ? {} : { advanced }),
      distro: {
        k8s: {
          image: {
            tag:
              inUse(observed, ['vcluster', 'kubernetesVersion'], vcluster.kubernetesVersion, [
                'controlPlane',
                'distro',
                'k8s',
                'image',
                'tag',
              ]) ?? vcluster.kubernetesVersion,
          },
        },
      },
      // The chart's own names leave out the two that a client inside the cluster uses.
      proxy: { extraSANs: [`vcluster.${host}.svc`, `vcluster.${host}.svc.cluster.local`] },
      statefulSet: {
        image: {
          repository:
            inUse(observed, ['vcluster', 'imageRepository'], vcluster.imageRepository, [
              ...statefulSet,
              'image',
              'repository',
            ]) ?? vcluster.imageRepository,
        },
        pods: { annotations: { [Annotation.Restart]: String(plan.target.restart.n) } },
        persistence: {
          volumeClaim: {
            retentionPolicy: 'Retain',
            size: fixed(observed, [...volume, 'size']) ?? vcluster.volumeSize,
            ...optional(
              'storageClass',
              observed.release?.values === undefined
                ? vcluster.storageClassName
                : fixed(observed, [...volume, 'storageClass']),
            ),
          },
        },
        ...optional(
          'resources',
          inUse(observed, ['vcluster', 'resources'], vcluster.resources, [...statefulSet, 'resources']),
        ),
        ...(Object.keys(scheduling).length === 0 ? {} : { scheduling }),
      },
    },
    sync: sync(scheduling),
    telemetry: { enabled: false },
  };
  return merged(chart.values, own);
}

/** Tenant pods go where the control plane goes: the node labels that are synced are also their node selector. */
function sync(scheduling: JsonObject): JsonObject {
  const tolerations = listAt(scheduling, 'tolerations')
    .map(toleration)
    .filter((text) => text !== undefined);
  const nodeSelector = objectAt(scheduling, 'nodeSelector');
  return {
    toHost: {
      networkPolicies: { enabled: true },
      persistentVolumes: { enabled: true },
      ...(tolerations.length === 0 ? {} : { pods: { enforceTolerations: tolerations } }),
    },
    ...(nodeSelector === undefined
      ? {}
      : { fromHost: { nodes: { enabled: true, selector: { labels: nodeSelector } } } }),
  };
}

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

/** What was fixed at creation. */
function fixed(observed: Observed, path: readonly string[]): Json | undefined {
  return at(observed.release?.values, ...path);
}

/** What may change: an explicit setting, else what is in use, else the default. */
function inUse(
  observed: Observed,
  setting: readonly string[],
  value: Json | undefined,
  path: readonly string[],
): Json | undefined {
  if (at(observed.input, ...setting) !== undefined || observed.release?.values === undefined) return value;
  return at(observed.release.values, ...path) ?? value;
}
