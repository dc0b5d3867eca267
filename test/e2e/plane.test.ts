import { expect, inject, it } from 'vitest';
import { admin } from './plane/plane.ts';
import { isRunning } from './plane/processes.ts';

const plane = inject('plane');

it.each([
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'crossplane',
  'crossplane-rbac-manager',
  'provider-helm',
  'provider-kubernetes',
  'function',
])('%s runs', (name) => {
  expect(isRunning(plane.folder, name)).toBe(true);
});

it('serves the API', async () => {
  const instances = { apiVersion: 'platform.di-framework.dev/v1alpha1', kind: 'PlatformInstance' };
  await expect(admin(plane).list(instances)).resolves.toBeInstanceOf(Array);
});
