import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../function/json.ts';
import { chartValueProblems } from './values.ts';

const GOOD = {
  exportKubeConfig: { context: 'demo', server: 'https://vcluster.pi-team-a-demo.svc:443' },
  controlPlane: {
    distro: { k8s: { image: { tag: 'v1.35.0' } } },
    proxy: { extraSANs: ['vcluster.pi-team-a-demo.svc'] },
    statefulSet: {
      image: { repository: 'loft-sh/vcluster-oss' },
      pods: { annotations: { restart: '0' } },
      persistence: { volumeClaim: { size: '5Gi', retentionPolicy: 'Retain' } },
    },
  },
  sync: { toHost: { networkPolicies: { enabled: true }, persistentVolumes: { enabled: true } } },
  telemetry: { enabled: false },
} satisfies JsonObject;

describe('the copy of the chart’s rules that tests validate values with', () => {
  test('accepts values that the chart renders', () => {
    expect(chartValueProblems(GOOD)).toEqual([]);
  });

  test.each<[string, JsonObject]>([
    ['an unknown key at the root', { syncer: {} }],
    ['an unknown key deep inside', { controlPlane: { statefulSet: { pods: { annotation: {} } } } }],
    [
      'a pod annotation that is no string',
      { controlPlane: { statefulSet: { pods: { annotations: { restart: 1 } } } } },
    ],
    ['a server without a scheme', { exportKubeConfig: { server: 'vcluster.demo.svc' } }],
    [
      'a control plane without a volume',
      { controlPlane: { statefulSet: { persistence: { volumeClaim: { enabled: false } } } } },
    ],
    ['a pull secret given as text', { controlPlane: { advanced: { serviceAccount: { imagePullSecrets: ['pull'] } } } }],
    ['another distribution', { controlPlane: { distro: { k3s: { enabled: true } } } }],
  ])('refuses %s', (_, values) => {
    expect(chartValueProblems(values)).not.toEqual([]);
  });
});
