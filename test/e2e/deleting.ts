import { FINALIZER } from '../../function/core/keys.ts';
import { type JsonObject, listAt, stringAt } from '../../function/json.ts';
import { instanceReference, NAMESPACE, platformInstance, READY, reaches } from './instance.ts';
import { eventually } from './plane/eventually.ts';
import type { Kube } from './plane/kube.ts';
import type { Plane } from './plane/plane.ts';
import { logTail } from './plane/processes.ts';
import { REPLICAS } from './plane/teardown.ts';
import { remains } from './remains.ts';

export interface Made {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** default storage root on the node */
  readonly root: string;
}

/** A Ready instance. */
export async function made(
  plane: Plane,
  kube: Kube,
  name: string,
  spec: JsonObject = {},
  namespace = NAMESPACE,
): Promise<Made> {
  await kube.apply(platformInstance(name, spec, namespace));
  const live = await reaches(plane, kube, name, READY, { namespace, timeoutMs: 300_000 });
  return madeOf(live);
}

export function madeOf(live: JsonObject): Made {
  const [name, namespace, uid] = ['name', 'namespace', 'uid'].map((field) => stringAt(live, 'metadata', field) ?? '');
  const root = `/var/lib/di-framework/instances/${namespace}/${name}`;
  return { name: name ?? '', namespace: namespace ?? '', uid: uid ?? '', root };
}

export function oneOf(instances: ReadonlyMap<string, Made>, name: string): Made {
  const found = instances.get(name);
  if (found === undefined) throw new Error(`${name} was not made`);
  return found;
}

/** Waits until the object is gone; says what the cluster said when it does not go. */
export async function goneWithin(
  plane: Plane,
  kube: Kube,
  { name, namespace, uid }: Made,
  timeoutMs = 90_000,
): Promise<void> {
  let last: JsonObject | undefined;
  try {
    await eventually(async () => {
      last = await kube.find(instanceReference(name, namespace));
      return last === undefined || stringAt(last, 'metadata', 'uid') !== uid;
    }, timeoutMs);
  } catch {
    const left = await remains(kube, namespace, name, uid);
    const logs = REPLICAS.map((replica) => logTail(plane.folder, replica, 12)).join('\n');
    throw new Error(
      `expected ${namespace}/${name} to be gone\nthe cluster says ${JSON.stringify(last, null, 1)}\nleft ${left.join(', ')}\n${logs}`,
    );
  }
}

/** Until garbage collection and providers have caught up too. */
export async function settlesTo(kube: Kube, instance: Made, expected: readonly string[]): Promise<void> {
  await eventually(async () => {
    const left = await remains(kube, instance.namespace, instance.name, instance.uid);
    if (JSON.stringify(left) === JSON.stringify(expected)) return true;
    throw new Error(`expected ${expected.join(', ') || 'nothing'} to be left, found ${left.join(', ') || 'nothing'}`);
  }, 60_000);
}

export async function hasFinalizer(kube: Kube, { name, namespace }: Made): Promise<boolean> {
  return listAt(await kube.get(instanceReference(name, namespace)), 'metadata', 'finalizers').includes(FINALIZER);
}
