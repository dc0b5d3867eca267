import { Label } from '../../function/core/keys.ts';
import { instanceId } from '../../function/core/names.ts';
import { stringAt } from '../../function/json.ts';
import type { Kube } from './plane/kube.ts';

const KINDS: readonly (readonly [apiVersion: string, kind: string])[] = [
  ['platform.di-framework.dev/v1alpha1', 'PlatformInstance'],
  ['helm.m.crossplane.io/v1beta1', 'Release'],
  ['kubernetes.m.crossplane.io/v1alpha1', 'Object'],
  ['kubernetes.m.crossplane.io/v1alpha1', 'ProviderConfig'],
  ['pulumi.com/v1', 'Stack'],
  ['v1', 'ConfigMap'],
  ['v1', 'ServiceAccount'],
  ['v1', 'Secret'],
  ['v1', 'Service'],
  ['apps/v1', 'StatefulSet'],
  ['v1', 'Namespace'],
  ['v1', 'PersistentVolumeClaim'],
  ['v1', 'PersistentVolume'],
  ['v1', 'Pod'],
  ['batch/v1', 'Job'],
  ['admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy'],
  ['admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRole'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRoleBinding'],
];

/** Everything in the cluster that bears the instance's UID or its hash, or is its kubeconfig: sorted, as `Kind name`. */
export async function remains(kube: Kube, namespace: string, name: string, uid: string): Promise<string[]> {
  const id = instanceId(namespace, name);
  const lists = await Promise.all(
    KINDS.map(async ([apiVersion, kind]) => {
      const items = await kube.list({ apiVersion, kind });
      return items
        .filter((item) => {
          const its = {
            name: stringAt(item, 'metadata', 'name') ?? '',
            namespace: stringAt(item, 'metadata', 'namespace') ?? '',
          };
          const isNamed = `${its.namespace} ${its.name}`.includes(id);
          const isOwn = its.namespace === namespace && [name, `${name}-kubeconfig`].includes(its.name);
          return isNamed || isOwn || stringAt(item, 'metadata', 'labels', Label.InstanceUid) === uid;
        })
        .map((item) => `${kind} ${stringAt(item, 'metadata', 'name')}`);
    }),
  );
  return lists.flat().sort();
}
