import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runFunction } from '../../../function/core/run.ts';
import { type JsonObject, objectAt } from '../../../function/json.ts';
import type { EarlierDesired, RunFunctionRequest } from '../../../function/wire/messages.ts';
import { damaged, damages, losses } from './damage.ts';
import { POINTS, worldAt } from './lives.ts';
import { brokenCleanPromises, brokenPromises } from './promises.ts';
import { validSettings, validSpec } from './specs.ts';

/** Parts that tools leave on an instance and that must go no further. */
const TOOLS: JsonObject = {
  labels: { 'app.kubernetes.io/instance': 'app', 'crossplane.io/composite': 'parent' },
  annotations: {
    'argocd.argoproj.io/tracking-id': 'app:x/y:team-a/blue',
    'kubectl.kubernetes.io/last-applied-configuration': '{}',
  },
};

function touch(resource: JsonObject): void {
  const metadata = objectAt(resource, 'metadata') ?? {};
  for (const [field, extra] of Object.entries(TOOLS)) {
    metadata[field] = { ...objectAt(metadata, field), ...structuredClone(extra as JsonObject) };
  }
}

const EARLIER: EarlierDesired = {
  composite: { apiVersion: 'x/v1', kind: 'X', status: { other: { kept: [1, 'a'] } } },
  compositeRest: new Uint8Array([24, 1]),
  names: ['other-resource'],
  entries: [new Uint8Array([10, 1, 97])],
};

interface Case {
  readonly request: RunFunctionRequest;
  readonly now: number;
}

const point = fc.constantFrom(...POINTS);

/** An instance at some point of its life, asked about some time later, behind an earlier step. */
const cases: fc.Arbitrary<Case> = fc
  .record({ point, spec: validSpec, input: validSettings, later: fc.constantFrom(0, 1, 46, 700, 100_000) })
  .map(({ point: at, spec, input, later }) => {
    const world = worldAt(at, spec, input === undefined ? {} : { input: { ...input, holdForFinalizer: false } });
    const answered = world.ask();
    const request = world.request(answered.requirements);
    const composite = request.composite?.resource ?? {};
    for (const whole of [composite, ...[...request.resources.values()].map(({ resource }) => resource)]) touch(whole);
    return {
      request: { ...request, input, desired: EARLIER, context: new Uint8Array([1, 2]) },
      now: (world.now + later) * 1000,
    };
  });

describe('every answer', () => {
  it('[R05] keeps its promises whatever a cluster loses', () => {
    fc.assert(
      fc.property(cases, losses, ({ request, now }, lost) => {
        const asked = damaged(request, lost);
        expect(brokenCleanPromises(asked, runFunction(asked, now))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps its promises whatever is malformed', () => {
    fc.assert(
      fc.property(cases, damages, ({ request, now }, list) => {
        const asked = damaged(request, list);
        expect(brokenPromises(asked, runFunction(asked, now))).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it('keeps its promises in a preview', () => {
    fc.assert(
      fc.property(cases, losses, ({ request, now }, lost) => {
        const asked = damaged(request, lost);
        const composite = asked.composite?.resource ?? {};
        composite['metadata'] = { namespace: 'team-a', name: 'blue', ...structuredClone(TOOLS) };
        expect(brokenCleanPromises(asked, runFunction(asked, now))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('changes nothing of the request', () => {
    fc.assert(
      fc.property(cases, ({ request, now }) => {
        const before = structuredClone(request);
        runFunction(request, now);
        expect(request).toEqual(before);
      }),
      { numRuns: 50 },
    );
  });
});
