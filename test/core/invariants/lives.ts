import type { JsonObject } from '../../../function/json.ts';
import { World } from '../world.ts';

/** Some settings and specs are refused before anything is installed: then there is no Stack to play. */
function running(world: World): boolean {
  if (!released(world)) return false;
  world.controlPlaneUp().step();
  world.probe().step();
  world.syncObjects();
  if (!world.composed.has('platform-stack')) return false;
  world.stackRunning().step();
  return true;
}

function released(world: World): boolean {
  world.step();
  world.syncObjects().step();
  if (!world.composed.has('vcluster')) return false;
  world.syncRelease().chartObjects().step();
  return true;
}

function ready(world: World): boolean {
  if (!running(world)) return false;
  world.wait(60).stackDone().step();
  world.step();
  world.syncObjects().step();
  return true;
}

/** Points in the life of an instance, each by what happens on the way there. */
const LIVES = {
  new: () => undefined,
  created: (world) => world.step(),
  released: (world) => released(world),
  'release failed': (world) => {
    world.step();
    world.syncObjects().step();
    if (!world.composed.has('vcluster')) return;
    world.syncRelease({ state: 'failed', description: 'boom', error: 'install failed', synced: false }).step();
  },
  provisioned: (world) => {
    if (!released(world)) return;
    world.controlPlaneUp().step();
    world.probe().step();
  },
  installing: (world) => running(world),
  'install failed': (world) => {
    if (running(world)) world.stackFailed('error: npm\r\nexit 1', { gaveUp: true }).step();
  },
  ready: (world) => ready(world),
  changed: (world) => {
    if (!ready(world)) return;
    world
      .edit((spec) => {
        spec['version'] = '6.0.99';
      })
      .step();
  },
  unreachable: (world) => {
    if (!ready(world)) return;
    world.probe('connection refused').step();
    world.wait(300).step();
  },
  'owner lost': (world) => {
    if (!ready(world)) return;
    world.remove('Service', 'vcluster').step();
  },
  restarted: (world) => {
    if (!ready(world)) return;
    world.put('Service', world.hostNamespace, 'vcluster', {});
    world.step();
    world.wait(120).step();
  },
} as const satisfies { readonly [point: string]: (world: World) => unknown };

export type Point = keyof typeof LIVES;
export const POINTS = Object.keys(LIVES) as readonly Point[];

/** Points at which nothing is left to wait for or to write. */
export const SETTLED: readonly Point[] = ['created', 'released', 'provisioned', 'installing', 'ready'];

export function worldAt(point: Point, spec: JsonObject, options: { input?: JsonObject; name?: string } = {}): World {
  const world = new World(structuredClone(spec), options);
  // Present from the start, as the user's own Secret is.
  world.put('Secret', 'team-a', 'oauth', { metadata: { resourceVersion: '7' }, data: { clientSecret: true } });
  LIVES[point](world);
  return world;
}
