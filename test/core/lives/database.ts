import type { JsonObject } from '../../../function/json.ts';
import { MINIMAL, type World } from '../world.ts';

/** What happens to an instance between two answers. */
export type Deed = readonly [string, ...(string | number | JsonObject | undefined)[]];

export interface Life {
  readonly name: string;
  readonly spec?: JsonObject;
  readonly input?: JsonObject;
  /** begins with an instance whose target answers, or with one that is Ready */
  readonly from: 'target' | 'ready';
  readonly deeds: readonly Deed[];
}

export const DEEDS: { readonly [name: string]: (world: World, ...values: never[]) => unknown } = {
  nothing: () => undefined,
  wait: (world, seconds: number) => world.wait(seconds),
  version: (world, version: string) => world.edit((spec) => Object.assign(spec, { version })),
  platform: (world, platform: JsonObject) => world.edit((spec) => Object.assign(spec, { platform })),
  'no platform': (world) => world.edit((spec) => delete spec['platform']),
  retain: (world) => world.edit((spec) => Object.assign(spec, { deletionPolicy: 'Retain' })),
  begins: (world) => world.stackRunning(),
  succeeds: (world) => world.wait(30).stackDone(),
  fails: (world, message: string) => world.wait(30).stackFailed(message),
  'gives up': (world, message: string) => world.wait(30).stackFailed(message, { gaveUp: true }),
  stalls: (world, message: string) =>
    world.setStatus('platform-stack', {
      conditions: [{ type: 'Stalled', status: 'True', reason: 'WorkspaceFailed', message }],
    }),
  secret: (world, filled: string) => world.put('Secret', 'team-a', 'oauth', { data: { key: filled === 'filled' } }),
  'no secret': (world) => world.remove('Secret', 'oauth', 'team-a'),
  'target away': (world) => Object.assign(world.get('StatefulSet', 'vcluster'), { status: { observedGeneration: 1 } }),
  'target back': (world) => world.controlPlaneUp(),
  'service replaced': (world) => world.put('Service', world.hostNamespace, 'vcluster', {}),
  restarted: (world) => world.syncRelease().chartObjects().controlPlaneUp().probe(),
  'stack lost': (world) => world.syncObjects() && world.composed.delete('platform-stack'),
  'memory damaged': (world) => {
    const metadata = world.composed.get('platform-stack')?.['metadata'] as JsonObject;
    Object.assign(metadata['annotations'] as JsonObject, { 'platform.di-framework.dev/runs': '{not json' });
  },
  settings: (world, input: JsonObject) => Object.assign(world, { input }),
};

const A: JsonObject = { tenants: [{ name: 'acme' }] };
const B: JsonObject = { tenants: [{ name: 'acme' }, { name: 'shop' }] };
const AUTH: JsonObject = {
  tenantAuth: {
    image: `ghcr.io/example/auth@sha256:${'0'.repeat(64)}`,
    issuer: 'https://login.example',
    clientId: 'console',
    clientSecretRef: { name: 'oauth', key: 'key' },
  },
};
const BOOM = 'error: boom';
const GIVEN_UP: Deed = ['gives up', BOOM];
const REPAIR: Deed = ['wait', 2000];

const ready = (name: string, ...deeds: Deed[]): Life => ({ name, from: 'ready', deeds });
const fresh = (name: string, ...deeds: Deed[]): Life => ({ name, from: 'target', deeds });

export const LIVES: readonly Life[] = [
  fresh('first install', ['begins'], ['succeeds'], ['wait', 60]),
  fresh('first install fails, the operator itself tries again', ['fails', BOOM], ['begins'], ['succeeds']),
  fresh('first install fails for good and is retried', GIVEN_UP, ['wait', 60], ['begins'], ['succeeds']),
  fresh('first install fails twice', GIVEN_UP, ['wait', 60], GIVEN_UP, ['wait', 120], ['succeeds']),
  fresh('first install fails, the settings are mended', GIVEN_UP, ['platform', A], ['succeeds']),
  fresh('first install fails, the version is mended', GIVEN_UP, ['version', '6.0.23'], ['succeeds']),
  fresh('settings change before the first run began', ['platform', A], ['begins'], ['succeeds']),
  fresh('settings change while the first run runs', ['begins'], ['platform', A], ['succeeds'], ['succeeds']),
  fresh('npm install fails and heals', ['stalls', 'InstallationFailed: npm ERR! 404'], ['wait', 60], ['succeeds']),
  fresh('stack setup fails', ['stalls', 'InitializationFailed: bad config'], ['wait', 60], ['succeeds']),
  fresh('the pod never starts', ['wait', 599], ['wait', 1], ['wait', 1], ['succeeds']),
  fresh('an update hangs', ['begins'], ['wait', 3599], ['wait', 1], ['succeeds']),
  fresh(
    'a lock was left',
    ['gives up', 'error: the stack is currently locked by 1 lock(s)'],
    ['wait', 60],
    ['succeeds'],
  ),
  fresh('the target goes away in the first run', ['begins'], ['target away'], ['target back'], ['succeeds']),
  ready('version change', ['version', '6.0.23'], ['begins'], ['succeeds']),
  ready('version change fails and is retried', ['version', '6.0.23'], GIVEN_UP, ['wait', 60], ['succeeds']),
  ready('version change fails and is taken back', ['version', '6.0.23'], GIVEN_UP, ['version', '6.0.22'], ['succeeds']),
  ready(
    'version change fails and goes on to a newer one',
    ['version', '6.0.23'],
    GIVEN_UP,
    ['version', '6.0.24'],
    ['succeeds'],
  ),
  ready('settings change', ['platform', A], ['begins'], ['succeeds']),
  ready('settings and version change at once', ['platform', A], ['version', '6.0.23'], ['begins'], ['succeeds']),
  ready(
    'settings change in flight',
    ['platform', A],
    ['begins'],
    ['platform', B],
    ['succeeds'],
    ['begins'],
    ['succeeds'],
  ),
  ready('settings change and back before it began', ['platform', A], ['no platform'], ['wait', 60]),
  ready('settings change and back in flight', ['platform', A], ['begins'], ['no platform'], ['succeeds'], ['succeeds']),
  ready('settings change fails and is mended', ['platform', A], GIVEN_UP, ['platform', B], ['succeeds']),
  ready('settings change fails and is reverted', ['platform', A], GIVEN_UP, ['no platform'], ['succeeds']),
  ready('settings change while the target is away', ['target away'], ['platform', A], ['target back'], ['succeeds']),
  ready('deletionPolicy alone', ['retain'], ['wait', 60]),
  ready('repair', REPAIR, ['begins'], ['succeeds'], ['wait', 60]),
  ready('repair fails and is retried', REPAIR, GIVEN_UP, ['wait', 60], ['succeeds']),
  ready('settings change in a repair', REPAIR, ['begins'], ['platform', A], ['succeeds'], ['succeeds']),
  ready('resync', ['service replaced'], ['wait', 45], ['restarted'], ['begins'], ['succeeds']),
  ready(
    'resync whose install fails',
    ['service replaced'],
    ['wait', 45],
    ['restarted'],
    GIVEN_UP,
    ['wait', 60],
    ['succeeds'],
  ),
  ready(
    'resync and a version change',
    ['service replaced'],
    ['wait', 45],
    ['version', '6.0.23'],
    ['restarted'],
    ['succeeds'],
  ),
  ready('the Stack is lost', ['stack lost'], ['succeeds'], ['wait', 60]),
  ready('the memory of the Stack is damaged', ['memory damaged'], ['succeeds'], ['wait', 60]),
  ready(
    'the default host image of the settings moves',
    ['settings', { tenantHost: { image: 'x/y:2' } }],
    ['version', '6.0.23'],
    ['succeeds'],
  ),
  {
    name: 'the client secret is missing, appears, goes and comes back',
    spec: { ...MINIMAL, platform: AUTH },
    from: 'target',
    deeds: [
      ['secret', 'empty'],
      ['secret', 'filled'],
      ['succeeds'],
      ['no secret'],
      REPAIR,
      ['secret', 'filled'],
      ['succeeds'],
    ],
  },
];
