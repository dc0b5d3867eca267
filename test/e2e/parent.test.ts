import { join } from 'node:path';
import type { Server } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { at, isObject, type JsonObject, listAt, objectAt, stringAt } from '../../function/json.ts';
import { goneWithin, madeOf, settlesTo } from './deleting.ts';
import { ClusterDouble } from './double/cluster.ts';
import { NodeDouble } from './double/node.ts';
import { servePatchFunction } from './double/patch.function.ts';
import { ensureNamespace, instanceReference, NAMESPACE, READY, reaches } from './instance.ts';
import { registerFunction } from './plane/crossplane.ts';
import { eventually } from './plane/eventually.ts';
import { conditionOf, referenceOf } from './plane/kube.ts';
import { manifestsOf, root } from './plane/manifests.ts';
import { admin } from './plane/plane.ts';
import { whatIsReal } from './touched.ts';

const plane = inject('plane');
const kube = admin(plane);
const double = new ClusterDouble(plane);
const node = new NodeDouble(plane);

const example = (file: string): JsonObject => {
  const [object] = manifestsOf(join(root, 'examples/parent', file));
  if (object === undefined) throw new Error(`examples/parent/${file} is empty`);
  return object;
};
const definition = example('definition.yaml');
const composition = example('composition.yaml');
const environment = example('environment.yaml');
const NAME = stringAt(environment, 'metadata', 'name') ?? '';
const [STAGE, PRODUCTION] = [`${NAME}-stage`, `${NAME}-production`];

let server: Server;

beforeAll(async () => {
  await ensureNamespace(kube, NAMESPACE);
  double.start();
  node.start();
  const served = await servePatchFunction(plane.folder);
  server = served.server;
  await registerFunction(kube, 'function-patch-and-transform', `dns:///localhost:${served.port}`);
  await kube.apply(definition);
  await kube.apply(composition);
  await eventually(async () => {
    return conditionOf(await kube.get(referenceOf(definition)), 'Established')?.['status'] === 'True';
  }, 60_000);
});
afterAll(async () => {
  await double.stop();
  await node.stop();
  server.forceShutdown();
});

const templates = listAt(composition, 'spec', 'pipeline')
  .flatMap((step) => listAt(step, 'input', 'resources'))
  .filter(isObject);
const without = (name: string): Promise<void> => compose(templates.filter((entry) => entry['name'] !== name));
const unprotected = (template: JsonObject): JsonObject => {
  const { metadata: _, ...base } = objectAt(template, 'base') ?? {};
  return { ...template, base };
};

async function compose(resources: JsonObject[]): Promise<void> {
  const [step] = listAt(composition, 'spec', 'pipeline').filter(isObject);
  const input = { ...objectAt(step, 'input'), resources };
  await kube.apply({ ...composition, spec: { ...objectAt(composition, 'spec'), pipeline: [{ ...step, input }] } });
}

describe('the example of a composition over PlatformInstances', () => {
  it('composes two, and shows their status and readiness as its own', { timeout: 300_000 }, async () => {
    await kube.apply(environment);
    await eventually(() => kube.find(instanceReference(PRODUCTION)), 60_000);
    for (const name of [STAGE, PRODUCTION]) await reaches(plane, kube, name, READY, { timeoutMs: 120_000 });
    const live = await eventually(async () => {
      const object = await kube.get(referenceOf(environment));
      return conditionOf(object, 'Ready')?.['status'] === 'True' ? object : undefined;
    }, 60_000);
    const shown = (version: string) => ({ phase: 'Ready', installedVersion: version });
    expect(objectAt(live, 'status')).toMatchObject({
      stage: shown(stringAt(environment, 'spec', 'stageVersion') ?? ''),
      production: shown(stringAt(environment, 'spec', 'productionVersion') ?? ''),
    });
  });

  it('cannot take a protected instance away: it says so, and nothing is touched', async () => {
    const before = await Promise.all([whatIsReal(kube, STAGE), whatIsReal(kube, PRODUCTION)]);
    await without('production');
    const told = await eventually(async () => {
      const synced = conditionOf(await kube.get(referenceOf(environment)), 'Synced');
      return synced?.['status'] === 'False' ? stringAt(synced, 'message') : undefined;
    }, 90_000);
    expect(told).toContain(`PlatformInstance ${NAMESPACE}/${PRODUCTION} is protected`);
    await reaches(plane, kube, PRODUCTION, READY);
    expect(await Promise.all([whatIsReal(kube, STAGE), whatIsReal(kube, PRODUCTION)])).toEqual(before);
    await compose(templates.map(unprotected));
    await eventually(async () => {
      const live = await kube.get(instanceReference(PRODUCTION));
      return at(live, 'metadata', 'annotations', 'platform.di-framework.dev/protected') === undefined;
    }, 90_000);
  });

  it('takes one instance away without touching the other, and what that one ran stays with Retain', async () => {
    const before = await Promise.all([whatIsReal(kube, STAGE), whatIsReal(kube, PRODUCTION)]);
    await without('production');
    await eventually(async () => (await kube.find(instanceReference(PRODUCTION))) === undefined, 90_000);
    await reaches(plane, kube, STAGE, READY);
    expect(await Promise.all([whatIsReal(kube, STAGE), whatIsReal(kube, PRODUCTION)])).toEqual(before);
  });

  it('adopts it again when it is put back: nothing is restarted', async () => {
    const before = await whatIsReal(kube, PRODUCTION);
    await kube.apply(composition);
    // An older revision becomes the newest one again, which is no event for those who watch for new ones.
    await eventually(async () => {
      const nudge = { 'example.org/nudge': String(Date.now()) };
      await kube.patch(referenceOf(environment), { metadata: { annotations: nudge } });
      return kube.find(instanceReference(PRODUCTION));
    }, 90_000);
    await reaches(plane, kube, PRODUCTION, READY, { timeoutMs: 150_000 });
    expect(await whatIsReal(kube, PRODUCTION)).toEqual(before);
  });

  it('[D02] takes an instance with Delete away, and with it all that it had, and nothing of the other', async () => {
    const before = await whatIsReal(kube, PRODUCTION);
    const stage = madeOf(await kube.get(instanceReference(STAGE)));
    node.fill(stage.root);
    await without('stage');
    await goneWithin(plane, kube, stage);
    await settlesTo(kube, stage, []);
    expect(node.has(stage.root)).toBe(false);
    expect(await whatIsReal(kube, PRODUCTION)).toEqual(before);
  });
});
