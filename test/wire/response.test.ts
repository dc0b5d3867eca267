import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../function/json.ts';
import { encodeRequest } from '../../function/wire/caller/request.ts';
import { decodeResponse } from '../../function/wire/caller/response.ts';
import { WireError } from '../../function/wire/errors.ts';
import type { RunFunctionResponse } from '../../function/wire/messages.ts';
import { decodeRequest } from '../../function/wire/request.ts';
import { encodeResponse } from '../../function/wire/response.ts';
import { MINIMAL, World } from '../core/world.ts';
import { decodeBy, encodeBy, jsonOf, structOf } from './referee.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const NOTHING = { composite: undefined, compositeRest: new Uint8Array(), names: [], entries: [] };

const response: RunFunctionResponse = {
  tag: 'tag',
  ttlSeconds: 60,
  desired: {
    composite: { status: { phase: 'Ready', list: [1, null, 'a'], nested: { x: false } } },
    compositeReady: 1,
    resources: new Map([
      ['b', { resource: { kind: 'B' }, ready: 2 }],
      ['a', { resource: { kind: 'A', n: 1.5 }, ready: 1 }],
    ]),
    earlier: NOTHING,
  },
  results: [{ severity: 2, message: 'Careful', reason: 'Reason', target: 2 }],
  context: encodeBy('Struct', structOf({ 'x/y': { kept: true } })),
  requirements: {
    resources: new Map([['s', { apiVersion: 'v1', kind: 'Service', matchName: 'n', namespace: 'ns' }]]),
    schemas: new Map([['k', { apiVersion: 'v1', kind: 'K' }]]),
  },
  conditions: [{ type: 'T', status: 3, reason: 'R', message: 'M', target: 2 }],
};

describe('encodeResponse', () => {
  it('is read by protobuf reflection as what it says', () => {
    const read = decodeBy('Response', encodeResponse(response));
    const desired = read['desired'] as {
      composite: { resource: unknown; ready: number };
      resources: Record<string, { resource: unknown; ready: number }>;
    };
    expect(read['meta']).toEqual({ tag: 'tag', ttl: { seconds: 60 } });
    expect([jsonOf(desired.composite.resource), desired.composite.ready]).toEqual([response.desired.composite, 1]);
    expect(
      Object.entries(desired.resources).map(([name, entry]) => [name, jsonOf(entry.resource), entry.ready]),
    ).toEqual([
      ['a', { kind: 'A', n: 1.5 }, 1],
      ['b', { kind: 'B' }, 2],
    ]);
    expect(read['results']).toEqual([{ severity: 2, message: 'Careful', reason: 'Reason', target: 2 }]);
    expect(jsonOf(read['context'])).toEqual({ 'x/y': { kept: true } });
    expect(read['requirements']).toEqual({
      resources: { s: { apiVersion: 'v1', kind: 'Service', matchName: 'n', namespace: 'ns' } },
      schemas: { k: { apiVersion: 'v1', kind: 'K' } },
    });
    expect(read['conditions']).toEqual([{ type: 'T', status: 3, reason: 'R', message: 'M', target: 2 }]);
  });

  it('is read back by our own caller', () => {
    const { earlier: _, ...desired } = response.desired;
    const read = decodeResponse(encodeResponse(response));
    expect({ ...read, context: Buffer.from(read.context ?? []) }).toEqual({
      ...response,
      desired: { ...desired, resources: new Map([...desired.resources].sort()), earlier: NOTHING },
      context: Buffer.from(response.context ?? []),
    });
  });

  it('gives the same bytes for the same response, whatever the order of its maps', () => {
    const reversed = {
      ...response,
      desired: { ...response.desired, resources: new Map([...response.desired.resources].reverse()) },
    };
    expect(encodeResponse(reversed)).toEqual(encodeResponse(response));
  });

  it('writes what earlier steps desire beside ours, and our readiness of the composite over theirs', () => {
    const request = decodeRequest(
      encodeBy('Request', {
        desired: {
          composite: {
            resource: structOf({ status: { other: 1 } }),
            ready: 2,
            connectionDetails: { k: Buffer.from('v') },
          },
          resources: { other: { resource: structOf({ kind: 'Other' }), ready: 1 } },
        },
      }),
    );
    const read = decodeBy(
      'Response',
      encodeResponse({ ...response, desired: { ...response.desired, earlier: request.desired } }),
    );
    const desired = read['desired'] as {
      composite: Record<string, unknown>;
      resources: Record<string, { resource: unknown }>;
    };
    expect(desired.composite['ready']).toBe(1);
    expect(desired.composite['connectionDetails']).toEqual({ k: Buffer.from('v').toString('base64') });
    expect(Object.keys(desired.resources).sort()).toEqual(['a', 'b', 'other']);
    expect(jsonOf(desired.resources['other']?.resource)).toEqual({ kind: 'Other' });
  });

  it('hands on the whole composite of earlier steps when there is none of ours', () => {
    const theirs: JsonObject = {
      metadata: { managedFields: [{ manager: 'm' }], annotations: { [LAST_APPLIED]: '{}' } },
      status: { copy: { kind: 'Secret', data: { key: 'dmFsdWU=' } } },
    };
    const { desired: earlier } = decodeRequest(
      encodeBy('Request', { desired: { composite: { resource: structOf(theirs) } } }),
    );
    const desired = { ...response.desired, composite: undefined, earlier };
    const read = decodeBy('Response', encodeResponse({ ...response, desired }));
    expect(jsonOf((read['desired'] as { composite: { resource: unknown } }).composite.resource)).toEqual(theirs);
  });

  it.each([
    ['short', 'a\ud800'],
    ['long', `${'b'.repeat(50)}\udc00`],
  ])('writes valid UTF-8 for half a surrogate pair in a %s text', (_, text) => {
    const name = new Map([[text, { resource: { [text]: text }, ready: 1 as const }]]);
    const bytes = encodeResponse({
      ...response,
      tag: text,
      desired: { ...response.desired, composite: { status: { list: [text] } }, resources: name },
      results: [{ severity: 2, message: text, reason: text, target: 1 }],
      conditions: [{ type: text, status: 1, reason: text, message: text, target: 1 }],
    });
    const replaced = Buffer.from(text.toWellFormed());
    const cut = Buffer.from([...replaced.subarray(0, -3), 0xed]);
    expect([replaced, cut].map((part) => Buffer.from(bytes).includes(part))).toEqual([true, false]);
    expect(
      jsonOf((decodeBy('Response', bytes)['desired'] as { composite: { resource: unknown } }).composite.resource),
    ).toEqual({ status: { list: [text.toWellFormed()] } });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses %s by its place', (value) => {
    const bad = { ...response, desired: { ...response.desired, composite: { status: { size: value } } } };
    expect(() => encodeResponse(bad)).toThrow(
      new WireError('cannot encode RunFunctionResponse: composite.status.size is not a finite number'),
    );
  });
});

describe('encodeRequest', () => {
  it('is read back as the same request', () => {
    const request = World.ready(MINIMAL).request();
    expect(decodeRequest(encodeRequest(request))).toEqual(request);
  });

  it('of any tag and capabilities', () => {
    fc.assert(
      fc.property(fc.string(), fc.uniqueArray(fc.nat(50)), (tag, capabilities) => {
        const request = {
          ...World.ready(MINIMAL).request(),
          tag,
          capabilities: new Set(capabilities.sort((a, b) => a - b)),
        };
        expect(decodeRequest(encodeRequest(request))).toEqual(request);
      }),
      { numRuns: 20 },
    );
  });
});
