import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Annotation, FINALIZER, Label } from '../../function/core/keys.ts';
import { type JsonObject, listAt, stringAt } from '../../function/json.ts';
import { conditionsOf } from './double/cluster.ts';
import { hostNamespaceOf, instanceReference, NAMESPACE, platformInstance } from './instance.ts';
import { startControlPlane } from './plane/control.plane.ts';
import { eventually } from './plane/eventually.ts';
import { SYSTEM_NAMESPACE } from './plane/identities.ts';
import type { Kube, Reference } from './plane/kube.ts';
import { applyDefinitions, manifestsOf, root } from './plane/manifests.ts';
import { admin, type Plane } from './plane/plane.ts';
import { startProcess, stopProcess } from './plane/processes.ts';
import { teardownProcess } from './plane/teardown.ts';

/** An API server of its own: its PlatformInstance API is deleted. */
const outer = inject('plane');
let plane: Plane;
let kube: Kube;

const CRD: Reference = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: 'platforminstances.platform.di-framework.dev',
};
const HOST: Reference = { apiVersion: 'v1', kind: 'Namespace', name: hostNamespaceOf('pruned') };
const PROCESSES = ['teardown-api', 'kube-controller-manager', 'kube-apiserver', 'etcd'];

beforeAll(async () => {
  const folder = mkdtempSync(join(outer.folder, 'api-'));
  plane = { ...(await startControlPlane(folder, outer.tools)), chartRepository: '' };
  kube = admin(plane);
  for (const name of [SYSTEM_NAMESPACE, NAMESPACE]) {
    await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  await applyDefinitions(kube, [
    ...manifestsOf(join(outer.tools['crossplane'] ?? '', 'crds')),
    ...manifestsOf(join(root, 'crds')),
  ]);
  for (const object of manifestsOf(join(root, 'package/teardown'))) {
    if (!['Kustomization', 'Deployment'].includes(String(object['kind']))) await kube.apply(object);
  }
  startProcess(folder, await teardownProcess(plane, kube, 'teardown-api'));
});
afterAll(async () => {
  for (const name of PROCESSES) await stopProcess(plane.folder, name).catch(() => undefined);
});

const finalizersOf = (object: JsonObject): readonly unknown[] => listAt(object, 'metadata', 'finalizers');

describe('[X06] the API of PlatformInstances is deleted', () => {
  it.each(['Delete', 'Retain'])(
    'and an instance with deletionPolicy %s stays, with all that it has',
    async (deletionPolicy) => {
      const name = deletionPolicy === 'Delete' ? 'pruned' : 'pruned-retain';
      const created = await kube.create(platformInstance(name, { deletionPolicy }));
      await eventually(async () => finalizersOf(await kube.get(instanceReference(name))).includes(FINALIZER), 30_000);
      if (deletionPolicy === 'Retain') return;
      await kube.apply({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: {
          name: HOST.name,
          labels: { [Label.InstanceUid]: stringAt(created, 'metadata', 'uid') ?? '' },
          annotations: {
            [Annotation.Instance]: `${NAMESPACE}/pruned`,
            [Annotation.StorageRoot]: `/var/lib/di-framework/instances/${NAMESPACE}/pruned`,
          },
        },
      });
    },
  );

  it('with a condition that says why', async () => {
    await kube.delete(CRD);
    for (const name of ['pruned', 'pruned-retain']) {
      await eventually(async () => {
        const live = await kube.get(instanceReference(name));
        return (
          conditionsOf(live).includes('InstanceReady=False/TeardownHeld') &&
          stringAt(live, 'metadata', 'deletionTimestamp')
        );
      }, 60_000);
      expect(finalizersOf(await kube.get(instanceReference(name)))).toContain(FINALIZER);
    }
    expect(stringAt(await kube.get(HOST), 'metadata', 'deletionTimestamp')).toBeUndefined();
  });
});
