import { describe, expect, test } from 'vitest';
import { findSchema } from '../../function/preview/schemas.ts';

const stack = [{ group: 'pulumi.com', version: 'v1', kind: 'Stack' }];
const documents = [
  {
    components: {
      schemas: {
        'com.pulumi.v1.Stack': {
          'x-kubernetes-group-version-kind': stack,
          properties: {
            metadata: { allOf: [{ $ref: '#/components/schemas/Meta' }] },
            spec: { $ref: '#/components/schemas/Spec' },
          },
        },
        Meta: { type: 'object' },
        Spec: { properties: { child: { $ref: '#/components/schemas/Spec' } } },
        DeleteOptions: { 'x-kubernetes-group-version-kind': [...stack, { group: '', version: 'v1', kind: 'Pod' }] },
        Pod: { 'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Pod' }], type: 'object' },
      },
    },
  },
];

describe('schemas of OpenAPI documents', () => {
  test('are found by kind, with references written out and a schema within itself left open', () => {
    expect(findSchema(documents, { apiVersion: 'pulumi.com/v1', kind: 'Stack' })).toEqual({
      'x-kubernetes-group-version-kind': stack,
      properties: {
        metadata: { allOf: [{ type: 'object' }] },
        spec: { properties: { child: {} } },
      },
    });
  });

  test.each([
    { apiVersion: 'v1', kind: 'Pod', found: true },
    { apiVersion: 'pulumi.com/v1', kind: 'Program', found: false },
    { apiVersion: 'pulumi.com/v1alpha1', kind: 'Stack', found: false },
    { apiVersion: 'v1', kind: 'Stack', found: false },
  ])('$apiVersion $kind: $found', ({ apiVersion, kind, found }) => {
    expect(findSchema(documents, { apiVersion, kind }) !== undefined).toBe(found);
  });
});
