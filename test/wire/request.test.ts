import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../function/json.ts';
import { decodeRequest } from '../../function/wire/request.ts';
import { encodeBy, structOf } from './referee.ts';

/** JSON that no rule of the decoder touches: keys that it looks at are left to tests of their own. */
const key = fc.string({ maxLength: 12 }).filter((text) => !['kind', 'managedFields', '__proto__'].includes(text));
const json = fc.letrec<{ value: JsonObject[string]; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(key, tie('value'), { maxKeys: 5, noNullPrototype: true }),
}));

const resource = fc.record({ resource: json.object, ready: fc.constantFrom(0, 1, 2) });
const named = <T>(value: fc.Arbitrary<T>) => fc.dictionary(key, value, { maxKeys: 3, noNullPrototype: true });

const request = fc.record({
  tag: fc.string(),
  capabilities: fc.array(fc.integer({ min: 0, max: 99 })),
  composite: fc.option(resource, { nil: undefined }),
  resources: named(resource),
  input: fc.option(json.object, { nil: undefined }),
  required: named(fc.array(json.object, { maxLength: 3 })),
  schemas: named(fc.option(json.object, { nil: undefined })),
});
type Generated = typeof request extends fc.Arbitrary<infer T> ? T : never;

function message(generated: Generated) {
  const of = (entry: { resource: JsonObject; ready: number }) => ({
    resource: structOf(entry.resource),
    ready: entry.ready,
  });
  const map = <T, U>(entries: Record<string, T>, work: (value: T) => U): Record<string, U> =>
    Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, work(value)]));
  return {
    meta: { tag: generated.tag, capabilities: generated.capabilities },
    observed: {
      ...(generated.composite === undefined ? {} : { composite: of(generated.composite) }),
      resources: map(generated.resources, of),
    },
    ...(generated.input === undefined ? {} : { input: structOf(generated.input) }),
    requiredResources: map(generated.required, (items) => ({
      items: items.map((item) => ({ resource: structOf(item) })),
    })),
    requiredSchemas: map(generated.schemas, (schema) => (schema === undefined ? {} : { openapiV3: structOf(schema) })),
  };
}

describe('decodeRequest', () => {
  it('reads any request as protobuf reflection wrote it', () => {
    fc.assert(
      fc.property(request, (generated) => {
        const read = decodeRequest(encodeBy('Request', message(generated)));
        const plain = (resources: ReadonlyMap<string, { resource: JsonObject }>) =>
          Object.fromEntries([...resources].map(([name, entry]) => [name, entry.resource]));
        expect({
          tag: read.tag,
          capabilities: [...read.capabilities].sort(),
          composite: read.composite?.resource,
          resources: plain(read.resources),
          input: read.input,
          required: Object.fromEntries(
            [...read.requiredResources].map(([name, items]) => [name, items.map((item) => item.resource)]),
          ),
          schemas: Object.fromEntries(read.requiredSchemas),
        }).toEqual({
          tag: generated.tag,
          capabilities: [...new Set(generated.capabilities)].sort(),
          composite: generated.composite?.resource,
          resources: Object.fromEntries(
            Object.entries(generated.resources).map(([name, entry]) => [name, entry.resource]),
          ),
          input: generated.input,
          required: generated.required,
          schemas: generated.schemas,
        });
      }),
      { numRuns: 400 },
    );
  });

  it('hands on earlier steps, their composite and the context as the bytes they came in', () => {
    fc.assert(
      fc.property(named(resource), resource, json.object, (resources, composite, context) => {
        const of = (entry: { resource: JsonObject; ready: number }) => ({
          resource: structOf(entry.resource),
          ready: entry.ready,
          connectionDetails: { k: Buffer.from('v') },
        });
        const read = decodeRequest(
          encodeBy('Request', {
            desired: {
              composite: of(composite),
              resources: Object.fromEntries(Object.entries(resources).map(([name, entry]) => [name, of(entry)])),
            },
            context: structOf(context),
          }),
        );
        expect(read.desired.names).toEqual(Object.keys(resources));
        expect(read.desired.composite).toEqual(composite.resource);
        expect(Buffer.from(read.context ?? [])).toEqual(Buffer.from(encodeBy('Struct', structOf(context))));
        const rest = encodeBy('Resource', { connectionDetails: { k: Buffer.from('v') }, ready: composite.ready });
        expect(Buffer.from(read.desired.compositeRest)).toEqual(Buffer.from(rest));
        const state = encodeBy('State', {
          resources: Object.fromEntries(Object.entries(resources).map(([name, entry]) => [name, of(entry)])),
        });
        const rebuilt = read.desired.entries.map((entry) =>
          Buffer.concat([Buffer.from([0x12]), varint(entry.length), entry]),
        );
        expect(Buffer.concat(rebuilt)).toEqual(Buffer.from(state));
      }),
      { numRuns: 200 },
    );
  });

  it('takes the deprecated extra_resources for required ones', () => {
    const items = { items: [{ resource: structOf({ a: 1 }) }] };
    const read = decodeRequest(
      encodeBy('Request', { extraResources: { old: items }, requiredResources: { none: {} } }),
    );
    expect([...read.requiredResources].map(([name, found]) => [name, found.map((item) => item.resource)])).toEqual([
      ['old', [{ a: 1 }]],
      ['none', []],
    ]);
  });
});

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest >>>= 7;
  }
  return Buffer.from([...bytes, rest]);
}
