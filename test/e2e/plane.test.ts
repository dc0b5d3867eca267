import { expect, inject, it } from 'vitest';
import { admin } from './plane/plane.ts';

it('serves the API', async () => {
  const kube = admin(inject('plane'));
  expect(await kube.list({ apiVersion: 'platform.di-framework.dev/v1alpha1', kind: 'PlatformInstance' })).toEqual([]);
});
