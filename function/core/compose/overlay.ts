import type { Issue } from '../../api/issues.ts';
import { at, type JsonObject } from '../../json.ts';
import { Annotation } from '../keys.ts';

/** Values that the function must set itself, or that would take away what it builds on (facts of the chart's templates). */
const REFUSED: readonly {
  readonly path: readonly string[];
  readonly why: string;
  readonly values?: readonly unknown[];
}[] = [
  { path: ['exportKubeConfig'], why: 'the function sets where the kubeconfig points' },
  { path: ['controlPlane', 'proxy', 'extraSANs'], why: 'the function sets the names of the certificate' },
  {
    path: ['controlPlane', 'statefulSet', 'persistence'],
    why: 'the volume is set by vcluster.volumeSize and storageClassName',
  },
  { path: ['controlPlane', 'backingStore'], why: 'another store turns the StatefulSet into a Deployment' },
  { path: ['controlPlane', 'service'], why: 'Service vcluster owns everything that is synced' },
  { path: ['experimental', 'syncSettings', 'setOwner'], why: 'without an owner nothing synced is ever cleaned up' },
  {
    path: ['policies', 'podSecurityStandard'],
    why: 'the platform needs hostPath volumes',
    values: ['baseline', 'restricted'],
  },
  {
    path: ['controlPlane', 'statefulSet', 'pods', 'annotations', Annotation.Restart],
    why: 'the function restarts the control plane with it',
  },
];

/** Conflicts of the settings' overlay with what the function owns, each at its path. */
export function overlayIssues(values: JsonObject): readonly Issue[] {
  return REFUSED.flatMap(({ path, why, values: only }) => {
    const found = at(values, ...path);
    if (found === undefined || (only !== undefined && !only.includes(found))) return [];
    return [{ path: `chart.values.${path.join('.')}`, message: `cannot be set: ${why}` }];
  });
}
