import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../function/json.ts';
import { WireError } from '../../function/wire/errors.ts';
import { decodeRequest } from '../../function/wire/request.ts';
import { encodeBy, structOf } from './referee.ts';

const inputOf = (object: JsonObject): JsonObject | undefined =>
  decodeRequest(encodeBy('Request', { input: structOf(object) })).input;

describe('odd values', () => {
  const values: readonly (readonly [string, Json])[] = [
    ['null', null],
    ['false', false],
    ['0', 0],
    ['-0', -0],
    ['an empty string', ''],
    ['an empty list', []],
    ['an empty object', {}],
    ['nested nulls', [null, { a: null, b: [null, {}] }]],
    ['2^53', 2 ** 53],
    ['the largest double', Number.MAX_VALUE],
    ['a text outside of ASCII', 'grüße 🌍'],
    ['a long text', 'x'.repeat(100_000)],
  ];
  it.each(values)('%s is read as it is', (_, value) => {
    expect(inputOf({ value })).toEqual({ value });
  });

  it('a key __proto__ is a key like any other', () => {
    const bytes = entry('__proto__', Buffer.from([0x1a, 1, 0x78]));
    const read = decodeRequest(field(4, bytes)).input ?? {};
    expect(Object.keys(read)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it.each([
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['-Infinity', Number.NEGATIVE_INFINITY],
  ])('%s is refused by its place', (_, value) => {
    expect(() => inputOf({ spec: { size: value } })).toThrow(
      new WireError('cannot decode RunFunctionRequest: input.spec.size is not a finite number'),
    );
  });

  it('2^53 + 1 is what a double can hold of it', () => {
    expect(inputOf({ value: Number('9007199254740993') })).toEqual({ value: 9_007_199_254_740_992 });
  });

  it('a lone surrogate becomes the replacement character', () => {
    const bytes = entry('a', Buffer.from([0x1a, 3, 0xed, 0xa0, 0x80]));
    expect(decodeRequest(field(4, bytes)).input?.['a']).toMatch(/^\ufffd+$/);
  });

  it('a value before its key, and fields that nobody knows, are read', () => {
    const value = Buffer.from([0x12, 3, 0x1a, 1, 0x78]);
    const key = Buffer.from([0x0a, 1, 0x61]);
    const unknown = Buffer.from([0x7a, 2, 1, 2]);
    const whole = Buffer.concat([value, unknown, key]);
    expect(decodeRequest(field(4, field(1, whole))).input).toEqual({ a: 'x' });
  });

  it('of a key that comes twice the last counts', () => {
    const bytes = Buffer.concat([entry('a', Buffer.from([0x1a, 1, 0x78])), entry('a', Buffer.from([0x1a, 1, 0x79]))]);
    expect(decodeRequest(field(4, bytes)).input).toEqual({ a: 'y' });
  });

  it('a Value without a kind is null', () => {
    expect(decodeRequest(field(4, entry('a', Buffer.alloc(0)))).input).toEqual({ a: null });
  });

  it('a depth of 10,000 is refused with one clear sentence', () => {
    let value: Uint8Array = Buffer.from([0x1a, 1, 0x78]);
    for (let depth = 0; depth < 10_000; depth++) value = field(5, entry('a', value));
    expect(() => decodeRequest(field(4, entry('a', value)))).toThrow(
      /^cannot decode RunFunctionRequest: .* nests deeper than 512 levels$/,
    );
  });
});

describe('bytes that are no request', () => {
  const whole = encodeBy('Request', {
    meta: { tag: 'tag', capabilities: [1, 2] },
    observed: { composite: { resource: structOf({ kind: 'A', spec: { list: [1, 'two', { three: true }] } }) } },
    requiredResources: { s: { items: [{ resource: structOf({ kind: 'Secret', data: { k: 'sentinel' } }) }] } },
  });

  const outcome = (bytes: Uint8Array): string => {
    try {
      decodeRequest(bytes);
      return 'read';
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      expect(error.message).not.toContain('sentinel');
      expect(error.message).toMatch(/^cannot decode RunFunctionRequest: .{1,600}$/);
      return 'refused';
    }
  };

  it('cut anywhere: read or refused, never anything else', () => {
    const outcomes = Array.from(whole, (_, length) => outcome(whole.subarray(0, length)));
    expect(new Set(outcomes)).toEqual(new Set(['read', 'refused']));
  });

  it('changed anywhere, or garbage', () => {
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const changed = Uint8Array.from(whole);
        changed[at] = byte;
        outcome(changed);
      }),
      { numRuns: 3000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void outcome(bytes)),
      { numRuns: 2000 },
    );
  });
});

function field(number: number, content: Uint8Array): Buffer {
  const length: number[] = [];
  let rest = content.length;
  while (rest > 127) {
    length.push((rest & 127) | 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length, rest]), content]);
}

function entry(key: string, value: Uint8Array): Buffer {
  return field(1, Buffer.concat([field(1, Buffer.from(key)), field(2, value)]));
}
