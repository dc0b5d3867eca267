import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readInstance } from '../../function/api/instance.ts';
import type { Issue } from '../../function/api/issues.ts';
import { at, isObject, type Json, type JsonObject } from '../../function/json.ts';
import { CASES } from './cases.ts';
import { judgeOf } from './judge.ts';

const CRD = new URL('../../crds/platforminstances.platform.di-framework.dev.yaml', import.meta.url);
const judge = judgeOf(parse(readFileSync(CRD, 'utf8')));

/** Objects that reach every field of the spec that is ours, and are small enough to be changed in many places. */
const BASES = CASES.filter((item) => item.old === undefined && item.id !== 'A29' && item.id !== 'A30')
  .map((item) => item.object)
  .filter((object) => JSON.stringify(object).length < 4000 && at(object, 'spec', 'crossplane') === undefined);

const OTHER_TEXT = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 45 }),
  fc.string({
    unit: fc.constantFrom('a', '-', '1', ' ', '\u00a0', '\v', '\u{1f30d}', '.', 'm', '@', ':', '/'),
    maxLength: 45,
  }),
  fc.constantFrom('shop', 'a'.repeat(40), '\u{1f30d}'.repeat(40), 'http://x', '1.0.0', '500m'),
);

const OTHER_VALUE: fc.Arbitrary<Json | undefined> = fc.oneof(
  OTHER_TEXT,
  fc.constantFrom<Json | undefined>(
    undefined,
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    32767,
    32768,
    65536,
    {},
    [],
    [null],
    [{}],
    [[]],
  ),
  fc.jsonValue({ maxDepth: 2 }).map((value) => value as Json),
);

/** The steps to every field and entry below the spec. */
function places(value: Json | undefined, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  const steps = Array.isArray(value) ? [...value.keys()] : isObject(value) ? Object.keys(value) : [];
  const below = steps.flatMap((step) =>
    places(Array.isArray(value) ? value[Number(step)] : (value as JsonObject)[step], [...path, step]),
  );
  return [path, ...below];
}

function replaced(value: Json, path: readonly (string | number)[], other: Json | undefined): Json | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return other;
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      const changed = index === step ? replaced(item, rest, other) : item;
      return changed === undefined ? [] : [changed];
    });
  }
  if (!isObject(value)) return value;
  const changed = replaced(value[step] ?? null, rest, other);
  const { [String(step)]: _, ...others } = value;
  return changed === undefined ? others : { ...others, [String(step)]: changed };
}

const CHANGED = fc
  .tuple(fc.constantFrom(...BASES), fc.array(fc.tuple(fc.nat(), OTHER_VALUE), { minLength: 1, maxLength: 3 }))
  .map(([base, changes]) =>
    changes.reduce<JsonObject>((object, [place, other]) => {
      const all = places(object['spec']);
      const path = all[place % all.length] ?? [];
      return replaced(object, ['spec', ...path], other) as JsonObject;
    }, base),
  );

/** The API server does not always ask its rules, and it names users where the function names the entry. */
function comparable(issues: readonly Issue[], rulesToo: boolean): string[] {
  const kept = issues.filter(({ message }) => rulesToo || !/ needs | must name /.test(message));
  const named = kept.map(({ path, message }) => (/ must name /.test(message) ? 'spec.platform.users' : path));
  return [...new Set(named)].sort();
}

describe('the function and the generated definition', () => {
  test('agree on every object, however it is changed: verdict, fields and what is stored', () => {
    fc.assert(
      fc.property(CHANGED, (object) => {
        const { issues, stored, rulesAsked } = judge(object);
        const parsed = readInstance(object);
        const ours = 'issues' in parsed ? parsed.issues : [];
        expect(ours.length === 0).toBe(issues.length === 0);
        expect(comparable(ours, rulesAsked)).toEqual(comparable(issues, true));
        if ('value' in parsed) {
          const { crossplane: _, ...spec } = stored['spec'] as JsonObject;
          expect(JSON.parse(JSON.stringify(parsed.value.spec))).toEqual(spec);
        }
      }),
      { numRuns: 3000 },
    );
  });
});
