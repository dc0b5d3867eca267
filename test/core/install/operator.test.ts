import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonObject, objectAt } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';
import { Operator } from './operator.ts';

/** After so long an update that has not ended counts as hung. */
const HUNG = 6 * 600;
/** Nothing says when the operator began its next attempt, at most 90 seconds after the one before; hence counted from there. */
const ATTEMPT_GAP = 120;
const OPERATOR_TICK = 30;
const REPAIR = 30 * 60;

type Event =
  | { readonly kind: 'tenants'; readonly count: number }
  | { readonly kind: 'version'; readonly version: string }
  | { readonly kind: 'outcome'; readonly outcome: Operator['outcome'] }
  | { readonly kind: 'workspace'; readonly workspace: Operator['workspace'] }
  | { readonly kind: 'target'; readonly away: boolean }
  | { readonly kind: 'wait'; readonly ticks: number; readonly seconds: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constant('tenants' as const), count: fc.nat({ max: 2 }) }),
  fc.record({ kind: fc.constant('version' as const), version: fc.constantFrom('6.0.22', '6.0.23') }),
  fc.record({
    kind: fc.constant('outcome' as const),
    outcome: fc.constantFrom('success' as const, 'success' as const, 'failure' as const, 'endless' as const),
  }),
  fc.record({
    kind: fc.constant('workspace' as const),
    workspace: fc.constantFrom('starts' as const, 'starts' as const, 'npm' as const, 'silent' as const),
  }),
  fc.record({ kind: fc.constant('target' as const), away: fc.boolean() }),
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ticks: fc.integer({ min: 1, max: 6 }),
      seconds: fc.constantFrom(5, 30, 200, 900),
    }),
  },
);

/** A settings list of its own for every count. */
const platform = (count: number): JsonObject => ({ tenants: ['a', 'b'].slice(0, count).map((name) => ({ name })) });

class Life {
  readonly world = new World(MINIMAL).provision().syncObjects();
  readonly operator = new Operator(this.world);

  tick(seconds: number): void {
    for (let left = seconds; left > 0; left -= OPERATOR_TICK) {
      this.operator.tick();
      this.world.wait(Math.min(OPERATOR_TICK, left));
    }
    this.world.syncObjects().step();
    const { applied } = this.world.runs();
    const success = objectAt(this.world.composed.get('platform-stack'), 'status', 'lastUpdate');
    // What is said to be installed is what succeeded last.
    if (success?.['state'] === 'succeeded') expect(objectAt(applied)?.['token']).toBe(success['reconcileRequest']);
  }

  happen(event: Event): void {
    const { world, operator } = this;
    if (event.kind === 'tenants') world.edit((spec) => Object.assign(spec, { platform: platform(event.count) }));
    if (event.kind === 'version') world.edit((spec) => Object.assign(spec, { version: event.version }));
    if (event.kind === 'outcome') operator.outcome = event.outcome;
    if (event.kind === 'workspace') operator.workspace = event.workspace;
    if (event.kind === 'target' && !event.away) world.controlPlaneUp();
    if (event.kind === 'target' && event.away) {
      world.get('StatefulSet', 'vcluster')['status'] = { observedGeneration: 1, readyReplicas: 0, updatedReplicas: 1 };
    }
    if (event.kind === 'wait') for (let tick = 0; tick < event.ticks; tick++) this.tick(event.seconds);
  }

  /** Everything works again; how many ticks of a minute it takes until the instance is Ready. */
  heal(): number {
    this.operator.outcome = 'success';
    this.operator.workspace = 'starts';
    this.world.controlPlaneUp();
    for (let tick = 1; tick <= 150; tick++) {
      this.tick(60);
      const told = ['Installed', 'ConfigApplied', 'InstanceReady'].map((type) =>
        this.world.condition(type).slice(0, 4),
      );
      if (this.world.status()['phase'] === 'Ready' && told.every((status) => status === 'True')) return tick;
    }
    return Number.POSITIVE_INFINITY;
  }
}

function lived(events: readonly Event[]): Life {
  const life = new Life();
  for (const event of events) life.happen(event);
  return life;
}

describe('with an operator that does as it pleases', () => {
  const lives = fc.array(event, { minLength: 3, maxLength: 14 });

  it('no pod is replaced under an update that can be seen to run, unless it hangs', () => {
    fc.assert(
      fc.property(lives, (events) => {
        const { disturbed } = lived(events).operator;
        expect(disturbed.filter((age) => age < HUNG - ATTEMPT_GAP)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it('[I07] [I14] [I18] it is Ready again once the causes are gone, with what the spec asks for, and then runs repairs alone', () => {
    fc.assert(
      fc.property(lives, (events) => {
        const life = lived(events);
        expect(life.heal()).toBeLessThan(150);
        const { world, operator } = life;
        const spec = objectAt(world.xr, 'spec');
        const tenants = objectAt(spec, 'platform')?.['tenants'];
        expect(world.status()).toMatchObject({
          phase: 'Ready',
          installedVersion: spec?.['version'],
          applied: { tenants: Array.isArray(tenants) ? tenants.length : 0 },
        });
        // A change taken back has moved the Stack's generation all the same, so the operator runs the old token once more.
        for (let tick = 0; tick < 5; tick++) life.tick(60);
        const before = operator.started.length;
        for (let tick = 0; tick < 20; tick++) life.tick(REPAIR / 10);
        const later = operator.started.slice(before);
        // A repair that hung before is told from one that takes long only after an hour, and is tried again then.
        expect(later.filter((token) => !/^(repair-due|retry)-/.test(token))).toEqual([]);
        expect(later.length).toBeLessThanOrEqual(3);
      }),
      { numRuns: 40 },
    );
  });
});
