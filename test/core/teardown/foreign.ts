import type { JsonObject } from '../../../function/json.ts';
import type { Life } from './life.ts';

const PREFIX = 'platform.di-framework.dev';

/** What looks like a part of the instance and is none: a copy, another's, or what a name alone would lead to. */
export function foreigners(life: Life): JsonObject[] {
  const { id, host } = life;
  const labels = { [`${PREFIX}/instance`]: id, [`${PREFIX}/instance-uid`]: 'uid-xr' };
  const others = { [`${PREFIX}/instance`]: 'aaaaaaaa', [`${PREFIX}/instance-uid`]: 'uid-other' };
  const annotations = { [`${PREFIX}/instance`]: 'team-a/blue' };
  const other = 'pi-team-b-green-other';
  const helm = { 'meta.helm.sh/release-name': 'vcluster', 'meta.helm.sh/release-namespace': other };
  return [
    // Copies, with all that was written on them
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${host}-copy`, labels, annotations } },
    object('v1', 'Namespace', { name: 'label-only', labels }),
    object('v1', 'PersistentVolumeClaim', { name: `pi-blue-${id}-stack-state-backup`, namespace: 'team-a', labels }),
    object('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', { name: 'copy-of-a-binding', labels }),
    object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', { name: 'copy-of-a-policy', labels }),
    // A Job that looks like the cleanup's and is over already, and a pod that stays for ever
    {
      ...object('batch/v1', 'Job', { name: 'pi-cleanup-uid-xr-0-copy', namespace: 'crossplane-system', labels }),
      status: { conditions: [{ type: 'Complete', status: 'True' }] },
    },
    object('v1', 'Pod', { name: 'debugger-1', namespace: 'crossplane-system', labels }),
    // Another instance and what its vCluster leaves around, live and gone
    object('v1', 'Namespace', { name: other, labels: others, annotations: { [`${PREFIX}/instance`]: 'team-b/green' } }),
    object('rbac.authorization.k8s.io/v1', 'ClusterRole', { name: `vc-vcluster-v-${other}`, annotations: helm }),
    object('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', { name: `vc-vcluster-v-${other}`, annotations: helm }),
    {
      ...object('v1', 'PersistentVolume', { name: `vcluster-data-x-${other}-x-vcluster` }),
      spec: { claimRef: { namespace: other, name: 'data' } },
    },
    {
      ...object('v1', 'PersistentVolume', {
        name: 'vcluster-cut-0123456789',
        labels: { 'vcluster.loft.sh/managed-by': `${other}-x-vcluster` },
      }),
      spec: {},
    },
    object('v1', 'PersistentVolume', { name: 'pvc-of-somebody' }),
    // Names of ours in another namespace
    object('v1', 'PersistentVolumeClaim', { name: `pi-blue-${id}-stack-state`, namespace: 'team-b', labels }),
    object('helm.m.crossplane.io/v1beta1', 'Release', { name: `pi-blue-${id}-vcluster`, namespace: 'team-b', labels }),
    object('v1', 'ConfigMap', { name: 'of-a-person', namespace: 'team-a', labels }),
  ];
}

function object(apiVersion: string, kind: string, metadata: JsonObject): JsonObject {
  return { apiVersion, kind, metadata };
}
