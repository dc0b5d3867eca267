import { instanceNames } from '../../function/core/names.ts';
import { numberAt, stringAt } from '../../function/json.ts';
import { NAMESPACE } from './instance.ts';
import type { Kube, Reference } from './plane/kube.ts';

/** All that an instance really is, and whether it was touched: the same before and after where it was not. */
export async function whatIsReal(kube: Kube, name: string, namespace = NAMESPACE): Promise<unknown> {
  const { hostNamespace: host, composed } = instanceNames(namespace, name);
  const inHost = (apiVersion: string, kind: string, its: string) => ({ apiVersion, kind, namespace: host, name: its });
  const references: readonly Reference[] = [
    { apiVersion: 'v1', kind: 'Namespace', name: host },
    inHost('v1', 'Service', 'vcluster'),
    inHost('apps/v1', 'StatefulSet', 'vcluster'),
    inHost('v1', 'Secret', 'vc-vcluster'),
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      name: composed['owner-service-policy'],
    },
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: composed['stack-state'] },
  ];
  const live = await Promise.all(references.map((reference) => kube.get(reference)));
  return live.map((object) => [
    stringAt(object, 'kind'),
    stringAt(object, 'metadata', 'uid'),
    numberAt(object, 'metadata', 'generation'),
    stringAt(object, 'metadata', 'deletionTimestamp'),
  ]);
}
