import { describe, expect, it } from 'vitest';
import { type JsonObject, stringAt } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';

/** Keys that come with each answer, until the instance is Ready. */
function opened(world: World): string[][] {
  const answers: string[][] = [];
  const step = world.step.bind(world);
  world.step = () => {
    const before = new Set(world.composed.keys());
    const response = step();
    const added = [...world.composed.keys()].filter((key) => !before.has(key));
    if (added.length > 0) answers.push(added);
    return response;
  };
  world.provision().install();
  return answers;
}

describe('what is first created', () => {
  it('comes in four groups: each is one more write of the composite, which Crossplane counts too', () => {
    expect(opened(new World(MINIMAL))).toEqual([
      ['host-namespace'],
      ['owner-service-policy', 'owner-service-policy-binding', 'vcluster'],
      ['target-provider-config', 'target-probe', 'stack-service-account', 'stack-auth-delegator', 'stack-state'],
      ['stack-program', 'platform-stack'],
    ]);
  });

  it('is one of a kind in the first answer that has it, since Crossplane starts a watch for each', () => {
    const world = new World(MINIMAL);
    const kindOf = (key: string): string => stringAt(world.composed.get(key), 'kind') ?? '';
    const seen = new Set<string>();
    for (const keys of opened(world)) {
      const fresh = keys.map(kindOf).filter((kind) => !seen.has(kind));
      expect(fresh).toEqual([...new Set(fresh)]);
      for (const kind of fresh) seen.add(kind);
    }
  });
});

describe("Crossplane's circuit breaker", () => {
  const NOTE = 'platform.di-framework.dev/circuit-open';
  const note = (world: World): string | undefined =>
    stringAt(world.composed.get('host-namespace'), 'metadata', 'annotations', NOTE);
  /** A step that meets the condition as Crossplane left it. */
  const step = (world: World, status: string, since: string): void => {
    const conditions = [
      ...((world.xr['status'] as JsonObject)['conditions'] as JsonObject[]),
      { type: 'Responsive', status, reason: 'Any', lastTransitionTime: since },
    ];
    world.xr['status'] = { ...(world.xr['status'] as JsonObject), conditions };
    world.step();
  };

  it('that is open gets an event once in five minutes, so that it closes also where nothing else happens', () => {
    const world = World.ready(MINIMAL);
    const since = world.time();
    const notes: (string | undefined)[] = [];
    for (let passed = 0; passed <= 660; passed += 60) {
      step(world, 'False', since);
      notes.push(note(world));
      world.wait(60);
    }
    const [none, first, second] = [notes[0], notes[5], notes[10]];
    expect(none).toBeUndefined();
    expect(new Set([first, second]).size).toBe(2);
    expect(notes).toEqual([...Array(5).fill(undefined), ...Array(5).fill(first), second, second]);
    step(world, 'True', since);
    expect(note(world)).toBeUndefined();
  });

  it('that is closed, or not heard of, changes nothing', () => {
    const world = World.ready(MINIMAL);
    const since = world.time();
    world.wait(900);
    for (const status of ['True', 'Unknown']) {
      step(world, status, since);
      expect(note(world)).toBeUndefined();
    }
  });
});
