import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type JsonObject, stringAt } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';
import { DEEDS, LIVES, type Life } from './database.ts';

/** The whole answer, as a reader of the golden file wants it. */
function answer(world: World): JsonObject {
  const { last } = world;
  const stack = world.composed.get('platform-stack');
  return {
    conditions: (last?.conditions ?? []).map(
      ({ type, message }) => `${type} ${world.condition(type)}: ${message ?? ''}`,
    ),
    status: world.status(),
    ready: last?.desired.compositeReady === 1,
    results: (last?.results ?? []).map(({ severity, reason, message }) => `${severity} ${reason ?? ''}: ${message}`),
    ttl: last?.ttlSeconds ?? 0,
    token: world.token,
    runs: stringAt(stack, 'metadata', 'annotations', 'platform.di-framework.dev/runs') ?? '',
    restart: world.restartAnnotation(),
    composed: [...world.composed.keys()].sort(),
  };
}

function live(life: Life): JsonObject[] {
  const spec = life.spec ?? MINIMAL;
  const options = life.input === undefined ? {} : { input: life.input };
  const world = life.from === 'ready' ? World.ready(spec, options) : new World(spec, options).provision();
  world.syncObjects();
  world.step();
  const answers: JsonObject[] = [{ deed: `from ${life.from}`, ...answer(world) }];
  for (const [name, ...values] of life.deeds) {
    const deed = DEEDS[name];
    if (deed === undefined) throw new Error(`no deed is called ${name}`);
    deed(world, ...(values as never[]));
    world.step();
    answers.push({ deed: [name, ...values.map((value) => JSON.stringify(value))].join(' '), ...answer(world) });
  }
  return answers;
}

describe("a database of lives: every step's whole answer", () => {
  it('holds at least thirty', () => {
    expect(new Set(LIVES.map(({ name }) => name)).size).toBe(LIVES.length);
    expect(LIVES.length).toBeGreaterThanOrEqual(30);
  });

  // Regenerate with `npx vitest run test/core/lives/database.test.ts -u` and read the difference.
  it.each(LIVES.map((life) => [life.name, life] as const))('%s', async (name, life) => {
    const file = `./golden/${name.replace(/[^a-z]+/gi, '-').toLowerCase()}.yaml`;
    await expect(stringify(live(life), { lineWidth: 0 })).toMatchFileSnapshot(file);
  });
});
