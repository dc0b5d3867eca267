import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instanceNames } from '../../../function/core/names.ts';
import { runFunction } from '../../../function/core/run.ts';
import { at, isObject, type Json, type JsonObject, stringAt } from '../../../function/json.ts';
import { MINIMAL, World } from '../world.ts';

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789'] as const;
const part = fc
  .tuple(fc.constantFrom(...letters), fc.array(fc.constantFrom(...letters, '-'), { maxLength: 61 }))
  .map(([first, rest]) => `${first}${rest.join('')}`.replace(/-+$/, ''));
const namespace = fc.oneof(part, fc.constantFrom('a', 'a-b', '9', 'n'.repeat(63)));
const name = fc.oneof(
  part,
  fc
    .array(part, { minLength: 2, maxLength: 4 })
    .map((parts) => parts.join('.').slice(0, 63))
    .map((text) => text.replace(/[-.]+$/, '')),
  fc.constantFrom('9blue.prod', 'x'.repeat(63), `${'y'.repeat(31)}.${'y'.repeat(31)}`, '0', 'b-c', 'c'),
);

function preview(owner: string, called: string): readonly JsonObject[] {
  const world = new World(MINIMAL, { name: called });
  const request = world.request();
  const composite = request.composite?.resource as JsonObject;
  composite['metadata'] = { namespace: owner, name: called, uid: 'uid' };
  return [...runFunction(request, 0).desired.resources.values()].map(({ resource }) => resource);
}

/** Every name of the objects, however deep: of the composed resource itself and of what a manifest makes. */
function* names(resource: JsonObject): Generator<string> {
  yield stringAt(resource, 'metadata', 'name') ?? '';
  const manifest = at(resource, 'spec', 'forProvider', 'manifest');
  if (isObject(manifest)) {
    yield stringAt(manifest, 'metadata', 'name') ?? '';
    const inside = stringAt(manifest, 'metadata', 'namespace');
    if (inside !== undefined) yield inside;
  }
  const target = stringAt(resource, 'spec', 'forProvider', 'namespace');
  if (target !== undefined) yield target;
}

function* labelValues(value: Json | undefined): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* labelValues(item);
  if (!isObject(value)) return;
  for (const label of Object.values(isObject(value['labels']) ? value['labels'] : {})) yield String(label);
  for (const item of Object.values(value)) yield* labelValues(item);
}

describe('the names of what is composed', () => {
  it('are DNS labels of at most 63 characters, the Stack 42, the host namespace 49, whatever the instance is called', () => {
    fc.assert(
      fc.property(namespace, name, (owner, called) => {
        const composed = preview(owner, called);
        expect(composed.length).toBe(11);
        for (const resource of composed) {
          for (const each of names(resource)) expect(each).toMatch(LABEL);
          for (const label of labelValues(resource)) expect(label).toMatch(/^[a-z0-9]([-._a-z0-9]{0,61}[a-z0-9])?$/i);
        }
        const all = instanceNames(owner, called);
        expect(all.composed['platform-stack'].length).toBeLessThanOrEqual(42);
        expect(all.hostNamespace.length).toBeLessThanOrEqual(49);
        // A Service must begin with a letter, and takes its place in names that are made of these.
        expect(all.hostNamespace).toMatch(/^[a-z]/);
      }),
      { numRuns: 200 },
    );
  });

  it('are all different within an instance, kind by kind', () => {
    fc.assert(
      fc.property(namespace, name, (owner, called) => {
        const identities = preview(owner, called).map((resource) => {
          return `${stringAt(resource, 'kind')} ${stringAt(resource, 'metadata', 'name')}`;
        });
        expect(new Set(identities).size).toBe(identities.length);
      }),
      { numRuns: 50 },
    );
  });

  it('are shared by no two instances, also where only the separator differs', () => {
    const clash = (a: readonly [string, string], b: readonly [string, string]): readonly string[] => {
      const [first, second] = [instanceNames(...a), instanceNames(...b)];
      const left = new Set([...Object.values(first.composed), first.hostNamespace]);
      return [...Object.values(second.composed), second.hostNamespace].filter((each) => left.has(each));
    };
    expect(clash(['a-b', 'c'], ['a', 'b-c'])).toEqual([]);
    expect(clash(['a', 'b.c'], ['a', 'b-c'])).toEqual([]);
    expect(clash(['a', 'x'.repeat(62)], ['a', 'x'.repeat(63)])).toEqual([]);
    fc.assert(
      fc.property(namespace, name, namespace, name, (ownerA, nameA, ownerB, nameB) => {
        fc.pre(ownerA !== ownerB || nameA !== nameB);
        expect(clash([ownerA, nameA], [ownerB, nameB])).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('do not depend on the labels that an instance carries as part of another composition', () => {
    const request = new World(MINIMAL).request();
    const nested = structuredClone(request);
    const metadata = nested.composite?.resource['metadata'] as JsonObject;
    metadata['labels'] = { 'crossplane.io/composite': 'parent', 'crossplane.io/claim-name': 'claim' };
    const composed = (asked: typeof request) => runFunction(asked, Date.UTC(2026, 5, 1)).desired.resources;
    expect(composed(nested)).toEqual(composed(request));
  });
});
