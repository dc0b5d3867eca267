import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runFunction } from '../../../function/core/run.ts';
import type { JsonObject } from '../../../function/json.ts';
import {
  ConditionStatus,
  type EarlierDesired,
  Ready,
  type RunFunctionRequest,
  Severity,
  Target,
} from '../../../function/wire/messages.ts';
import type { World } from '../world.ts';
import { worldAt } from './lives.ts';
import { brokenPromises, CONDITIONS } from './promises.ts';
import { TENANT_AUTH } from './specs.ts';

const SPEC: JsonObject = {
  version: '6.0.22',
  target: { type: 'vcluster' },
  platform: { tenantAuth: TENANT_AUTH, tenants: [{ name: 'shop' }] },
};

const EARLIER: EarlierDesired = {
  composite: { apiVersion: 'x/v1', kind: 'X', status: { other: 1 } },
  compositeRest: new Uint8Array([24, 1]),
  names: ['other'],
  entries: [new Uint8Array([10, 1, 97])],
};

function asked(world: World, change: Partial<RunFunctionRequest> = {}): RunFunctionRequest {
  const request = world.request(world.ask().requirements);
  return { ...request, desired: EARLIER, context: new Uint8Array([9]), ...change };
}

function preview(world: World, spec: JsonObject): RunFunctionRequest {
  const request = asked(world);
  const resource: JsonObject = {
    ...request.composite?.resource,
    metadata: { name: 'blue', namespace: 'team-a' },
    spec,
  };
  return { ...request, composite: { resource, connectionDetails: new Map() } };
}

const ready = worldAt('ready', SPEC);
const nameless: JsonObject = { apiVersion: 'x/v1', kind: 'X', metadata: { name: 'blue' } };

const REFUSALS: readonly (readonly [string, RunFunctionRequest, string])[] = [
  [
    'no composite',
    asked(ready, { composite: undefined }),
    'Cannot compose the instance: the composite has no name or namespace',
  ],
  [
    'a composite without a namespace',
    asked(ready, { composite: { resource: nameless, connectionDetails: new Map() } }),
    'Cannot compose the instance: the composite has no name or namespace',
  ],
  [
    'unknown settings',
    asked(ready, { input: { chart: { versoin: '1' }, nonsense: true, ttl: { steady: '-5s' } } }),
    "Cannot read the function's input: chart.versoin: is no field of these settings, " +
      'nonsense: is no field of these settings, ttl.steady: must be a duration such as 90s or 1h30m',
  ],
  [
    'the function twice in one pipeline',
    asked(ready, { desired: { ...EARLIER, names: ['vcluster', 'other', 'host-namespace'] } }),
    'Cannot compose the instance: an earlier step already composes host-namespace, vcluster',
  ],
  [
    'a preview of a spec that cannot be read',
    preview(ready, { version: 'six', target: { type: 'cloud' }, deletionPolicy: 'Keep' }),
    'Cannot compose the instance: spec.deletionPolicy: must be one of Delete, Retain, spec.target.type: must be vcluster, ' +
      'spec.version: must match ^[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.-]+)?$',
  ],
];

describe.each(REFUSALS)('%s', (_, request, message) => {
  const response = runFunction(request, ready.now * 1000);

  it('is refused in one sentence that names every violation', () => {
    expect(response.results).toEqual([
      { severity: Severity.Fatal, message, reason: expect.any(String), target: Target.CompositeAndClaim },
    ]);
    expect(brokenPromises(request, response)).toEqual([]);
  });

  it('leaves what earlier steps desired as it was, and adds nothing', () => {
    expect(response.desired).toEqual({
      composite: undefined,
      compositeReady: Ready.Unspecified,
      resources: new Map(),
      earlier: request.desired,
    });
    expect(response.context).toBe(request.context);
  });

  it('still sets every condition', () => {
    expect(response.conditions.map(({ type, status, message: text }) => ({ type, status, text }))).toEqual(
      CONDITIONS.map((type) => ({
        type,
        status: type === 'InstanceReady' ? ConditionStatus.False : ConditionStatus.Unknown,
        text: message,
      })),
    );
  });
});

describe('settings that are nonsense', () => {
  it('are refused in one bounded line, whatever they hold', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.oneof(fc.string({ maxLength: 3000 }), fc.constantFrom('ttl', 'chart', 'a\nb')),
          fc.jsonValue(),
          {
            minKeys: 1,
            maxKeys: 30,
          },
        ),
        (input) => {
          const request = asked(ready, { input: JSON.parse(JSON.stringify({ ...input, unknown: 1 })) as JsonObject });
          const response = runFunction(request, ready.now * 1000);
          expect(response.results.map(({ severity }) => severity)).toEqual([Severity.Fatal]);
          expect(brokenPromises(request, response)).toEqual([]);
        },
      ),
    );
  });
});

describe('what cannot be read of a live instance', () => {
  it('is no reason to refuse: the install fails with path and rule, and everything observed stays', () => {
    const world = worldAt('ready', SPEC);
    const before = [...world.composed.keys()].sort();
    world.edit((spec) => {
      spec['version'] = 'six';
    });
    const response = world.step();
    expect(world.condition('Installed')).toBe('False InstallFailed');
    expect(world.message('Installed')).toContain('spec.version: must match');
    expect(world.status()['phase']).toBe('Failed');
    expect([...response.desired.resources.keys()].sort()).toEqual(before);
    expect(response.desired.compositeReady).toBe(Ready.False);
  });
});
