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

  it.each([
    ['a lone surrogate', [0xed, 0xa0, 0x80]],
    ['a cut character', [0xf0, 0x9f, 0x8c]],
    ['a long text with a stray byte', [...Buffer.from('x'.repeat(100)), 0xff]],
  ])('%s is no UTF-8 and refused by its place, as a key and as a value', (_, bad) => {
    const refusal = new WireError('cannot decode RunFunctionRequest: input.a is not valid UTF-8');
    expect(() => decodeRequest(field(4, entry('a', field(3, Buffer.from(bad)))))).toThrow(refusal);
    const key = field(1, field(1, Buffer.from(bad)));
    expect(() => decodeRequest(field(4, entry('a', field(5, key))))).toThrow(/ is not valid UTF-8$/);
  });

  it('U+FFFD itself is a character like any other', () => {
    expect(inputOf({ '\ufffd': 'a\ufffd' })).toEqual({ '\ufffd': 'a\ufffd' });
  });

  it('field number 0 is refused', () => {
    expect(() => decodeRequest(field(4, Buffer.from([0x00, 1])))).toThrow(
      new WireError('cannot decode RunFunctionRequest: input[?] is not valid protobuf'),
    );
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

  it('of several kinds in one Value the last counts', () => {
    const text = Buffer.from([0x1a, 1, 0x78]);
    const yes = Buffer.from([0x20, 1]);
    const nested = field(5, entry('b', yes));
    const read = (...kinds: Uint8Array[]) => decodeRequest(field(4, entry('a', Buffer.concat(kinds)))).input;
    expect([read(text, yes), read(yes, text), read(nested, yes), read(yes, nested)]).toEqual([
      { a: true },
      { a: 'x' },
      { a: true },
      { a: { b: true } },
    ]);
  });

  it('a field whose value is written in another way than it should is unknown, and skipped', () => {
    const misread = Buffer.concat([Buffer.from([0x18, 5]), Buffer.from([0x10, 7]), Buffer.from([0x22, 1, 0x01])]);
    expect(decodeRequest(field(4, entry('a', misread))).input).toEqual({ a: null });
  });

  it('a message that may come once and comes twice is refused by its place, or merged', () => {
    const of = (key: string) => entry(key, Buffer.from([0x20, 1]));
    const twice = (bytes: Uint8Array) => Buffer.concat([bytes, bytes]);
    const refused = (bytes: Uint8Array, place: string) =>
      expect(() => decodeRequest(bytes)).toThrow(
        new WireError(`cannot decode RunFunctionRequest: ${place} comes twice`),
      );
    refused(twice(field(4, of('a'))), 'input');
    refused(field(4, entry('a', twice(field(5, of('b'))))), 'input.a');
    refused(field(4, entry('a', twice(field(6, Buffer.alloc(0))))), 'input.a');
    refused(field(2, twice(field(1, Buffer.alloc(0)))), 'observed.composite');
    refused(field(2, field(1, twice(field(1, of('a'))))), 'observed.composite');
    refused(field(3, field(1, twice(field(1, of('a'))))), 'desired.composite');
    const resource = (name: string) => field(2, mapEntry(name, field(1, of('a'))));
    const read = decodeRequest(Buffer.concat([field(2, resource('x')), field(2, resource('y'))]));
    expect([...read.resources.keys()]).toEqual(['x', 'y']);
    const context = decodeRequest(Buffer.concat([field(5, of('a')), field(5, of('b'))])).context;
    expect(Buffer.from(context ?? [])).toEqual(Buffer.concat([of('a'), of('b')]));
  });

  it('a resource named metadata keeps what lies at its root', () => {
    const resources = { metadata: { resource: structOf({ managedFields: 1, metadata: { managedFields: 2, a: 3 } }) } };
    const read = decodeRequest(encodeBy('Request', { observed: { resources } }));
    expect(read.resources.get('metadata')?.resource).toEqual({ managedFields: 1, metadata: { a: 3 } });
  });

  it('a name in required and in extra resources is the required one, in either order', () => {
    const items = (name: string) => mapEntry('n', field(1, field(1, entry(name, Buffer.from([0x20, 1])))));
    const [extra, required] = [field(6, items('extra')), field(8, items('required'))];
    for (const bytes of [Buffer.concat([extra, required]), Buffer.concat([required, extra])]) {
      const found = decodeRequest(bytes).requiredResources.get('n');
      expect(found?.map((item) => item.resource)).toEqual([{ required: true }]);
    }
  });

  it('100,000 connection details are read in time that grows with their number', () => {
    const details = Buffer.concat(
      Array.from({ length: 100_000 }, (_, index) => field(2, field(1, Buffer.from(`k${index}`)))),
    );
    const started = performance.now();
    const read = decodeRequest(field(2, field(1, details)));
    expect(read.composite?.connectionDetails.size).toBe(100_000);
    expect(performance.now() - started).toBeLessThan(5_000);
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
  return field(1, mapEntry(key, value));
}

function mapEntry(key: string, value: Uint8Array): Buffer {
  return Buffer.concat([field(1, Buffer.from(key)), field(2, value)]);
}
