import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { isObject, type JsonObject, listAt, objectAt, stringAt } from '../../function/json.ts';
import { OwnComposition } from './composition.ts';
import { goneWithin, type Made, made, madeOf, oneOf, settlesTo } from './deleting.ts';
import { ClusterDouble } from './double/cluster.ts';
import { NodeDouble } from './double/node.ts';
import {
  ensureNamespace,
  hostNamespaceOf,
  instanceReference,
  NAMESPACE,
  platformInstance,
  reaches,
} from './instance.ts';
import { eventually } from './plane/eventually.ts';
import { SYSTEM_NAMESPACE, serviceAccountToken } from './plane/identities.ts';
import { Kube, type Reference } from './plane/kube.ts';
import { accessOf, admin } from './plane/plane.ts';
import { isRunning, startProcess, stopProcess } from './plane/processes.ts';
import { startProxy } from './plane/proxy.ts';
import { REPLICAS, startTeardown, TEARDOWN_ACCOUNT, teardownProcess } from './plane/teardown.ts';

const plane = inject('plane');
const kube = admin(plane);
const double = new ClusterDouble(plane);
const node = new NodeDouble(plane);
const NAMES = ['unreachable', 'down', 'killed', 'killed-late', 'denied', 'unread'];
const instances = new Map<string, Made>();
const the = (name: string): Made => oneOf(instances, name);

const OWN = 'unread.platform.di-framework.dev';
const own = new OwnComposition(kube, OWN);

beforeAll(async () => {
  await ensureNamespace(kube, NAMESPACE);
  await own.create();
  double.start();
  node.start();
  const specOf = (name: string): JsonObject => (name === 'unread' ? own.spec : {});
  for (const each of await Promise.all(NAMES.map((name) => made(plane, kube, name, specOf(name))))) {
    instances.set(each.name, each);
    node.fill(each.root);
  }
}, 400_000);
afterAll(async () => {
  await double.stop();
  await node.stop();
  for (const name of REPLICAS) if (isRunning(plane.folder, name)) await stopProcess(plane.folder, name);
  await startTeardown(plane, kube);
});

async function leavesNothing(name: string): Promise<void> {
  await goneWithin(plane, kube, the(name));
  await settlesTo(kube, the(name), []);
  expect(node.has(the(name).root)).toBe(false);
}

describe('a deletion meets trouble', { timeout: 240_000 }, () => {
  it('[D09] while the instance is Failed', async () => {
    double.failure = 'error: no';
    await kube.apply(platformInstance('failed'));
    const live = await reaches(plane, kube, 'failed', {
      phase: 'Failed',
      conditions: ['InstanceReady=False/InstallFailed'],
    });
    instances.set('failed', madeOf(live));
    await kube.delete(instanceReference('failed'), 'Foreground');
    await leavesNothing('failed');
    double.failure = undefined;
  });

  it('[D09] while the install runs', async () => {
    double.holdStacks = true;
    await kube.apply(platformInstance('installing'));
    const live = await reaches(plane, kube, 'installing', {
      phase: 'Installing',
      conditions: ['TargetReady=True/Ready'],
    });
    instances.set('installing', madeOf(live));
    await kube.delete(instanceReference('installing'));
    await leavesNothing('installing');
    double.holdStacks = false;
  });

  it('[D09] while the vCluster cannot be reached', async () => {
    const secret: Reference = {
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: NAMESPACE,
      name: 'unreachable-kubeconfig',
    };
    const config = Buffer.from('{"apiVersion":"v1","kind":"Config"}').toString('base64');
    await kube.patch(secret, { data: { kubeconfig: config } });
    await kube.delete(instanceReference('unreachable'), 'Foreground');
    await leavesNothing('unreachable');
  });

  it('while the providers are down: it waits for what they hold, and goes when they are back', async () => {
    const providers = ['provider-helm', 'provider-kubernetes'];
    const stopped = await Promise.all(providers.map((name) => stopProcess(plane.folder, name)));
    await kube.delete(instanceReference('down'), 'Foreground');
    const host = hostNamespaceOf('down');
    await eventually(
      async () => (await kube.find({ apiVersion: 'v1', kind: 'Namespace', name: host })) === undefined,
      60_000,
    );
    await eventually(async () => {
      const live = await kube.get(instanceReference('down'));
      const ready = listAt(live, 'status', 'conditions')
        .filter(isObject)
        .find(({ type }) => type === 'InstanceReady');
      return /^Waiting for .*Object|Release/.test(stringAt(ready, 'message') ?? '');
    }, 30_000);
    for (const spec of stopped) startProcess(plane.folder, spec);
    await leavesNothing('down');
  });

  it('[T11] while the API server refuses to delete the host Namespace: it says so, and goes when it may', async () => {
    const role: Reference = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      name: 'platform-instance:teardown',
    };
    const whole = await kube.get(role);
    const rules = listAt(whole, 'rules').filter(isObject);
    const without = rules.map((rule) =>
      listAt(rule, 'resources').includes('namespaces')
        ? { ...rule, verbs: listAt(rule, 'verbs').filter((verb) => verb !== 'delete') }
        : rule,
    );
    await kube.patch(role, { rules: without });
    await kube.delete(instanceReference('denied'));
    const live = await reaches(plane, kube, 'denied', {
      phase: 'Deleting',
      conditions: ['TargetReady=False/TargetDeleteFailed', 'InstanceReady=False/TargetDeleteFailed'],
    });
    expect(JSON.stringify(live['status'])).toContain(`Cannot delete Namespace ${hostNamespaceOf('denied')}`);
    await kube.patch(role, { rules });
    await leavesNothing('denied');
  });

  it('[X08] while its settings cannot be read: nothing is destroyed until they can', async () => {
    await own.editInput({ colour: 'red' });
    await eventually(async () => {
      const live = await kube.get(instanceReference('unread'));
      return JSON.stringify(objectAt(live, 'status')?.['conditions']).includes('colour');
    }, 60_000);
    const good = stringAt(
      await kube.get(instanceReference('unread')),
      'spec',
      'crossplane',
      'compositionRevisionRef',
      'name',
    );
    await kube.delete(instanceReference('unread'));
    await reaches(plane, kube, 'unread', { phase: 'Deleting', conditions: ['InstanceReady=False/TeardownHeld'] });
    const host: Reference = { apiVersion: 'v1', kind: 'Namespace', name: hostNamespaceOf('unread') };
    expect(stringAt(await kube.get(host), 'metadata', 'deletionTimestamp')).toBeUndefined();
    // Crossplane moves no deleted instance to another revision: its user does.
    const revisions = await kube.list({ apiVersion: 'apiextensions.crossplane.io/v1', kind: 'CompositionRevision' });
    const names = revisions
      .filter((revision) => stringAt(revision, 'metadata', 'labels', 'crossplane.io/composition-name') === OWN)
      .map((revision) => stringAt(revision, 'metadata', 'name') ?? '');
    const [other = ''] = names.filter((name) => name !== good);
    await kube.patch(instanceReference('unread'), {
      spec: { crossplane: { compositionRevisionRef: { name: other } } },
    });
    await leavesNothing('unread');
  });

  it.each([
    ['killed', 'before the answer of each of its writes'],
    ['killed-late', 'a moment after each of its writes'],
  ])('[D02] %s: a controller that is killed %s and started again comes to the same end', async (name) => {
    for (const replica of REPLICAS) if (isRunning(plane.folder, replica)) await stopProcess(plane.folder, replica);
    let kills = 0;
    let restart: Promise<void> | undefined;
    const kill = (): void => {
      if (restart !== undefined) return;
      kills += 1;
      restart = stopProcess(plane.folder, 'teardown-killed', 'SIGKILL').then((spec) => {
        startProcess(plane.folder, spec);
        restart = undefined;
      });
    };
    const proxy = await startProxy(plane, name === 'killed' ? kill : () => setTimeout(kill, 20));
    try {
      startProcess(plane.folder, await teardownProcess(plane, kube, 'teardown-killed', proxy.url));
      await kube.delete(instanceReference(name), 'Foreground');
      await leavesNothing(name);
      expect(kills).toBeGreaterThan(10);
      expect(node.jobs.filter((job) => job.includes(the(name).uid))).toHaveLength(1);
    } finally {
      proxy.server.closeAllConnections();
      proxy.server.close();
      await restart;
      await stopProcess(plane.folder, 'teardown-killed', 'SIGKILL');
      await startTeardown(plane, kube);
    }
  });

  it('its account may delete no Namespace that is not an instance’s', async () => {
    await ensureNamespace(kube, 'bystander');
    const teardown = new Kube(accessOf(plane, await serviceAccountToken(kube, SYSTEM_NAMESPACE, TEARDOWN_ACCOUNT)));
    const { status, body } = await teardown.request('DELETE', '/api/v1/namespaces/bystander?dryRun=All');
    expect([status, stringAt(body, 'message')]).toEqual([403, expect.stringContaining('platform-instance')]);
  });
});
