import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../function/json.ts';
import { decodeRequest } from '../../function/wire/request.ts';
import { encodeBy, structOf } from './referee.ts';

const SENTINEL = 'sentinel-4f1d';
const secret = (value: string): JsonObject => ({
  data: { key: value, empty: '' },
  stringData: { plain: value },
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 's',
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"data":{"key":"${value}"}}`, kept: 'yes' },
    managedFields: [{ manager: value }],
  },
});

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, entry: unknown) =>
    entry instanceof Map ? [...entry] : entry instanceof Set ? [...entry] : entry,
  );

describe('secret values end in the decoder', () => {
  it('leaves of a Secret its keys and whether they are filled', () => {
    const read = decodeRequest(
      encodeBy('Request', { requiredResources: { s: { items: [{ resource: structOf(secret(SENTINEL)) }] } } }),
    );
    expect(read.requiredResources.get('s')?.[0]?.resource).toEqual({
      data: { key: true, empty: false },
      stringData: { plain: true },
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', annotations: { kept: 'yes' } },
    });
  });

  it('keeps the data of anything that is no Secret', () => {
    const map: JsonObject = { kind: 'ConfigMap', data: { key: 'value' } };
    expect(decodeRequest(encodeBy('Request', { input: structOf(map) })).input).toEqual(map);
  });

  it('finds no planted value anywhere, raw or base64, wherever the Secret lies', () => {
    const places: readonly ((object: JsonObject) => JsonObject)[] = [
      (object) => object,
      (object) => ({ spec: { forProvider: { manifest: object } } }),
      (object) => ({ status: { atProvider: { manifest: object } } }),
      (object) => ({ kind: 'List', items: [object, [object]] }),
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...places),
        fc.constantFrom(SENTINEL, Buffer.from(SENTINEL).toString('base64')),
        (place, value) => {
          const bytes = Buffer.from(value);
          const holder = {
            resource: structOf(place(secret(value))),
            connectionDetails: { kubeconfig: bytes, empty: Buffer.alloc(0) },
          };
          const read = decodeRequest(
            encodeBy('Request', {
              observed: { composite: holder, resources: { r: holder } },
              requiredResources: { s: { items: [holder] } },
              credentials: { c: { credentialData: { data: { token: bytes } } } },
            }),
          );
          expect(shown(read)).not.toContain(value);
          expect(read.resources.get('r')?.connectionDetails).toEqual(
            new Map([
              ['kubeconfig', true],
              ['empty', false],
            ]),
          );
          expect(read.credentials.get('c')).toEqual(new Map([['token', true]]));
        },
      ),
    );
  });
});
