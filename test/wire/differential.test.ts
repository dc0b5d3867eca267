import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../function/json.ts';
import type { ObservedResource, RunFunctionRequest } from '../../function/wire/messages.ts';
import { decodeRequest } from '../../function/wire/request.ts';
import { fixtures } from '../bench/fixtures.ts';
import { expectedRequest } from './expected.ts';
import { decodeBy, encodeBy, jsonOf, structOf } from './referee.ts';

/** Keys at which the decoder acts, among keys at which it does not. */
const secretKeys = fc.constantFrom('kind', 'data', 'stringData', 'metadata', 'items', 'toString', 'constructor', '');
const leftBehind = fc.constantFrom('managedFields', 'kubectl.kubernetes.io/last-applied-configuration');
const anyKey = fc.string({ unit: 'grapheme', maxLength: 90 });

/** Requests whose maps and Structs have such keys. */
function requests(key: fc.Arbitrary<string>) {
  const { object } = fc.letrec<{ value: JsonObject[string]; object: JsonObject }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      fc.constantFrom('Secret', 'SecretList', '', 'grüße', 'x'.repeat(40)),
      fc.constant(null),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ unit: 'grapheme' }),
      fc.array(tie('value'), { maxLength: 4 }),
      tie('object'),
    ),
    object: fc.dictionary(key, tie('value'), { maxKeys: 6, noNullPrototype: true }),
  }));
  const named = <T>(value: fc.Arbitrary<T>) => fc.dictionary(key, value, { maxKeys: 3, noNullPrototype: true });
  const struct = object.map(structOf);
  const details = named(fc.uint8Array({ maxLength: 3 }));
  const resource = fc.record({ resource: struct, connectionDetails: details, ready: fc.nat(2) }, { requiredKeys: [] });
  const state = fc.record({ composite: resource, resources: named(resource) }, { requiredKeys: [] });
  const items = named(fc.record({ items: fc.array(resource, { maxLength: 2 }) }));
  return fc.record(
    {
      meta: fc.record({ tag: fc.string({ unit: 'grapheme' }), capabilities: fc.array(fc.nat(300)) }),
      observed: state,
      desired: state,
      input: struct,
      context: struct,
      extraResources: items,
      requiredResources: items,
      requiredSchemas: named(fc.record({ openapiV3: struct }, { requiredKeys: [] })),
      credentials: named(fc.record({ credentialData: fc.record({ data: details }) }, { requiredKeys: [] })),
    },
    { requiredKeys: [] },
  );
}

/** What was read, in the shape in which the referee gives it. */
function plain(read: RunFunctionRequest): JsonObject {
  const resourceOf = ({ resource: object, connectionDetails }: ObservedResource): JsonObject => ({
    resource: object,
    keys: Object.fromEntries(connectionDetails),
  });
  const mapOf = <T>(map: ReadonlyMap<string, T>, work: (value: T) => JsonObject[string]): JsonObject =>
    Object.fromEntries([...map].map(([name, value]) => [name, work(value)]));
  return {
    tag: read.tag,
    capabilities: [...read.capabilities].sort(),
    composite: read.composite === undefined ? 'none' : resourceOf(read.composite),
    resources: mapOf(read.resources, resourceOf),
    desiredComposite: read.desired.composite ?? 'none',
    names: [...new Set(read.desired.names)].sort(),
    input: read.input ?? 'none',
    context: read.context === undefined ? 'none' : jsonOf(decodeBy('Struct', read.context)),
    required: mapOf(read.requiredResources, (list) => list.map(resourceOf)),
    schemas: mapOf(read.requiredSchemas, (schema) => schema ?? 'none'),
    credentials: mapOf(read.credentials, (keys) => Object.fromEntries(keys)),
  };
}

describe('decodeRequest beside protobuf reflection', () => {
  it('comes to the same for any message, less what is left behind on purpose', () => {
    fc.assert(
      fc.property(requests(fc.oneof(secretKeys, leftBehind, anyKey)), (message) => {
        const bytes = encodeBy('Request', message);
        expect(plain(decodeRequest(bytes))).toEqual(expectedRequest(bytes));
      }),
      { numRuns: 600 },
    );
  });

  it.each(fixtures())('comes to the same for a request of $name with managedFields', ({ bytes }) => {
    expect(plain(decodeRequest(bytes))).toEqual(expectedRequest(bytes));
  });
});
