import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readComposedErrors } from '../../function/sdk/index.ts';

type Resource = Record<string, unknown>;

function read(resources: Record<string, Resource>) {
  return readComposedErrors(new Map(Object.entries(resources)));
}

function managed(...conditions: unknown[]): Resource {
  return {
    apiVersion: 'helm.m.crossplane.io/v1beta1',
    kind: 'Release',
    metadata: { name: 'pi-blue-abcdefgh-vcluster' },
    status: { conditions },
  };
}

const readyFalse = { type: 'Ready', status: 'False', reason: 'Unavailable', message: 'release is uninstalling' };
const syncedFalse = { type: 'Synced', status: 'False', reason: 'ReconcileError', message: 'cannot pull chart' };
const creating = { type: 'Ready', status: 'False', reason: 'Creating' };
const healthy = [
  { type: 'Synced', status: 'True', reason: 'ReconcileSuccess' },
  { type: 'Ready', status: 'True', reason: 'Available' },
];

describe('errors of observed composed resources', () => {
  test.each([
    { title: 'healthy', resource: managed(...healthy), expected: [] },
    { title: 'new: Ready False Creating is no error', resource: managed(creating), expected: [] },
    {
      title: 'no status yet',
      resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } },
      expected: [],
    },
    {
      title: 'Ready False',
      resource: managed(readyFalse),
      expected: [{ name: 'key', reason: 'Unavailable', message: 'Unavailable: release is uninstalling' }],
    },
    {
      title: 'Synced goes before Ready, whatever their order, and says it alone',
      resource: managed(readyFalse, syncedFalse),
      expected: [{ name: 'key', reason: 'ReconcileError', message: 'ReconcileError: cannot pull chart' }],
    },
    {
      title: 'Synced False of a resource that is still Creating',
      resource: managed(creating, syncedFalse),
      expected: [{ name: 'key', reason: 'ReconcileError', message: 'ReconcileError: cannot pull chart' }],
    },
    {
      title: 'condition without reason or message',
      resource: managed({ type: 'Synced', status: 'False' }),
      expected: [{ name: 'key', reason: '', message: '' }],
    },
    {
      title: 'Object of the old group without a manifest, its state at first creation',
      resource: {
        apiVersion: 'kubernetes.crossplane.io/v1alpha2',
        kind: 'Object',
        metadata: { name: 'x' },
        status: { conditions: [syncedFalse] },
      },
      expected: [{ name: 'key', reason: 'ReconcileError', message: 'ReconcileError: cannot pull chart' }],
    },
    {
      title: 'null where objects are due',
      resource: { metadata: null, status: { conditions: [null, 1] } },
      expected: [],
    },
  ])('$title', ({ resource, expected }) => {
    expect(read({ key: resource })).toEqual(expected);
  });

  test('messages are one line of bounded length', () => {
    const message = `a\nb\t\u0007${'é'.repeat(5000)}\u2028end`;
    const [error] = read({ key: managed({ ...syncedFalse, message }) });
    expect(error?.message).toMatch(/^ReconcileError: a b é+…$/u);
    expect(Array.from(error?.message ?? '')).toHaveLength(256);
  });

  test('sorted by composition resource name, and at most 32', () => {
    const names = Array.from({ length: 60 }, (_, index) => `key-${String(index).padStart(2, '0')}`);
    const shuffled = [...names].reverse();
    const errors = read(Object.fromEntries(shuffled.map((name) => [name, managed(syncedFalse)])));
    expect(errors.map((error) => error.name)).toEqual(names.slice(0, 32));
  });

  test('never throws and never changes what it reads, whatever the resource looks like', () => {
    const condition = fc.record({ type: fc.constantFrom('Ready', 'Synced'), status: fc.constant('False') });
    const resource = fc.oneof(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.record({
        status: fc.record({ conditions: fc.oneof(fc.jsonValue(), fc.array(fc.oneof(condition, fc.jsonValue()))) }),
      }),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), resource), (resources) => {
        const before = structuredClone(resources);
        read(resources);
        expect(resources).toEqual(before);
      }),
    );
  });
});
