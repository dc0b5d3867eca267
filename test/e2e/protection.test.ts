import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type JsonObject, listAt, numberAt, stringAt } from '../../function/json.ts';
import { ensureNamespace, instanceReference, NAMESPACE, platformInstance } from './instance.ts';
import { eventually } from './plane/eventually.ts';
import { collectionOf, conditionOf, type Reference, referenceOf } from './plane/kube.ts';
import { kubectl } from './plane/kubectl.ts';
import { admin } from './plane/plane.ts';

const plane = inject('plane');
const kube = admin(plane);
const PROTECTED = 'platform.di-framework.dev/protected';
const HOW = `is protected: to delete it, first remove its annotation ${PROTECTED}, in a change by itself`;

/** Nothing is composed for it, so that there is nothing to be torn down but itself. */
function sheltered(name: string, namespace = NAMESPACE): JsonObject {
  const instance = platformInstance(name, { deletionPolicy: 'Retain' }, namespace);
  const annotations = { [PROTECTED]: 'true', 'crossplane.io/paused': 'true' };
  return { ...instance, metadata: { name, namespace, annotations } };
}

const without = (...annotations: readonly string[]): JsonObject => ({
  metadata: { annotations: Object.fromEntries(annotations.map((name) => [name, null])) },
});

async function isUntouched(name: string, namespace = NAMESPACE): Promise<boolean> {
  const live = await kube.get(instanceReference(name, namespace));
  return stringAt(live, 'metadata', 'deletionTimestamp') === undefined;
}

function said(...args: readonly string[]): string {
  try {
    return kubectl(plane, ...args);
  } catch (error) {
    return String((error as { stderr?: unknown }).stderr);
  }
}

beforeAll(() => ensureNamespace(kube, NAMESPACE));

describe('a protected instance, on the API server', () => {
  const instance = sheltered('kept');
  const file = join(plane.folder, 'kept.json');
  const reference = referenceOf(instance);

  beforeAll(async () => {
    await kube.create(instance);
    writeFileSync(file, JSON.stringify(instance));
  });

  it('has a policy that is understood: no expression raises a warning', async () => {
    const policy: Reference = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      name: 'platform-instance-protection',
    };
    const checked = await eventually(async () => {
      const live = await kube.get(policy);
      return numberAt(live, 'status', 'observedGeneration') === numberAt(live, 'metadata', 'generation')
        ? live
        : undefined;
    }, 30_000);
    expect(listAt(checked, 'status', 'typeChecking', 'expressionWarnings')).toEqual([]);
  });

  it.each(['background', 'foreground', 'orphan'])(
    'is refused to kubectl delete, %s, which says how to go on',
    async (cascade) => {
      const where = [`--namespace=${NAMESPACE}`, '--wait=false', `--cascade=${cascade}`];
      for (const also of [[], ['--dry-run=server'], ['--force', '--grace-period=0']]) {
        expect(said('delete', 'pi', 'kept', ...where, ...also)).toContain(`PlatformInstance ${NAMESPACE}/kept ${HOW}`);
      }
      expect(await isUntouched('kept')).toBe(true);
    },
  );

  it('is refused to what replaces by force, and is as it was', async () => {
    const before = await kube.get(reference);
    expect(said('replace', '--force', `--filename=${file}`)).toContain(HOW);
    const after = await kube.get(reference);
    expect(stringAt(after, 'metadata', 'uid')).toBe(stringAt(before, 'metadata', 'uid'));
    expect(await isUntouched('kept')).toBe(true);
  });

  it('is refused to apply in force mode, which deletes and creates where an update is refused', async () => {
    const moved = {
      ...instance,
      spec: { ...(instance['spec'] as JsonObject), platform: { storageRoot: '/srv/moved' } },
    };
    writeFileSync(file, JSON.stringify(moved));
    expect(said('apply', '--force', `--filename=${file}`)).toContain(HOW);
    expect(await isUntouched('kept')).toBe(true);
  });

  it('is refused to a deletion of all, which has no name in its request', async () => {
    const { status, body } = await kube.request('DELETE', collectionOf(reference));
    expect([status, stringAt(body, 'message')]).toEqual([403, expect.stringContaining(`${NAMESPACE}/kept ${HOW}`)]);
    expect(await isUntouched('kept')).toBe(true);
  });

  it('goes once the annotation is removed, and may be deleted again while it goes', async () => {
    await kube.patch(reference, { metadata: { finalizers: ['example.org/mine'] } });
    await kube.patch(reference, without(PROTECTED));
    await kube.delete(reference);
    // Put back too late: it is going, and whoever asks once more is not held up.
    await kube.patch(reference, { metadata: { annotations: { [PROTECTED]: 'true' } } });
    expect((await kube.tryDelete(reference, 'Foreground')).status).toBe(200);
    await kube.patch(reference, { metadata: { finalizers: null } });
    await eventually(async () => (await kube.find(reference)) === undefined, 60_000);
  });
});

describe('a protected instance whose owner is deleted, on the API server', () => {
  it('is kept from garbage collection, which takes it once the annotation is removed', async () => {
    const owner = await kube.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'owner', namespace: NAMESPACE },
    });
    const { apiVersion, kind, name } = referenceOf(owner);
    const uid = stringAt(owner, 'metadata', 'uid') ?? '';
    const instance = sheltered('owned');
    const metadata = { ...(instance['metadata'] as JsonObject), ownerReferences: [{ apiVersion, kind, name, uid }] };
    await kube.create({ ...instance, metadata });
    await kube.delete(referenceOf(owner));
    // Long enough for garbage collection to have asked several times.
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect(await isUntouched('owned')).toBe(true);
    await kube.patch(instanceReference('owned'), without(PROTECTED, 'crossplane.io/paused'));
    await eventually(async () => (await kube.find(instanceReference('owned'))) === undefined, 120_000);
  });
});

describe('a Namespace with a protected instance in it, on the API server', () => {
  const shelter: Reference = { apiVersion: 'v1', kind: 'Namespace', name: 'shelter' };
  const beside: JsonObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'beside', namespace: 'shelter' },
  };

  beforeAll(async () => {
    await ensureNamespace(kube, 'shelter');
    await kube.create(sheltered('kept', 'shelter'));
    await kube.create(beside);
  });

  it('is refused while it is annotated itself: then nothing in it is touched', async () => {
    await kube.patch(shelter, { metadata: { annotations: { [PROTECTED]: 'true' } } });
    expect(said('delete', 'namespace', 'shelter', '--wait=false')).toContain(`Namespace shelter ${HOW}`);
    expect(stringAt(await kube.get(shelter), 'metadata', 'deletionTimestamp')).toBeUndefined();
    expect(await kube.find(referenceOf(beside))).toBeDefined();
  });

  it('stays Terminating without, says why, keeps the instance and loses everything else', async () => {
    await kube.patch(shelter, without(PROTECTED));
    await kube.delete(shelter);
    const told = await eventually(async () => {
      const condition = conditionOf(await kube.get(shelter), 'NamespaceDeletionContentFailure');
      return condition?.['status'] === 'True' ? stringAt(condition, 'message') : undefined;
    }, 60_000);
    expect(told).toContain(`PlatformInstance shelter/kept ${HOW}`);
    await eventually(async () => (await kube.find(referenceOf(beside))) === undefined, 60_000);
    expect(await isUntouched('kept', 'shelter')).toBe(true);
  });

  it('goes once the annotation is removed', async () => {
    await kube.patch(instanceReference('kept', 'shelter'), without(PROTECTED, 'crossplane.io/paused'));
    await eventually(async () => (await kube.find(shelter)) === undefined, 120_000);
  });
});
