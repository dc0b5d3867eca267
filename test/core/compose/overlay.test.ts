import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { overlayIssues } from '../../../function/core/compose/overlay.ts';
import type { Json, JsonObject } from '../../../function/json.ts';
import { Severity } from '../../../function/wire/messages.ts';
import { MINIMAL } from '../world.ts';
import { readyWorld } from './fixtures.ts';

function nested(path: string, value: Json): JsonObject {
  return path.split('.').reduceRight<Json>((below, key) => ({ [key]: below }), value) as JsonObject;
}

describe('an overlay of the settings', () => {
  it.each<[string, Json]>([
    ['exportKubeConfig', { insecure: true }],
    ['controlPlane.proxy.extraSANs', []],
    ['controlPlane.statefulSet.persistence', { volumeClaim: { enabled: false } }],
    ['controlPlane.backingStore', { etcd: { deploy: { enabled: true } } }],
    ['controlPlane.service', { enabled: false }],
    ['experimental.syncSettings.setOwner', false],
    ['policies.podSecurityStandard', 'baseline'],
    ['policies.podSecurityStandard', 'restricted'],
    ['controlPlane.statefulSet.highAvailability.replicas', 3],
    ['controlPlane.statefulSet.highAvailability.replicas', 0],
    ['controlPlane.statefulSet.scheduling.podManagementPolicy', 'OrderedReady'],
    ['controlPlane.statefulSet.pods.labels.app', 'mine'],
    ['controlPlane.statefulSet.pods.labels.release', 'mine'],
    ['controlPlane.distro.k8s.version', 'v1.34.0'],
    ['controlPlane.distro.k8s.enabled', false],
    ['controlPlane.distro.k3s', { enabled: true }],
    ['controlPlane.standalone.enabled', true],
    ['rbac.role.enabled', false],
    ['rbac.clusterRole.enabled', 'false'],
    ['controlPlane.advanced.serviceAccount.enabled', false],
    ['sync.toHost.secrets.enabled', false],
    ['sync.toHost.volumeSnapshots', { enabled: false }],
    ['syncer', {}],
    ['sync.toHost.namespaces.enabled', true],
    ['privateNodes.enabled', true],
    ['sleep', { auto: {} }],
    ['networking.resolveDNS', [{}]],
  ])('may not set %s', (path, value) => {
    expect(overlayIssues(nested(path, value))).toEqual([
      { path: `chart.values.${path}`, message: expect.stringMatching(/^cannot be set: \S/) },
    ]);
  });

  it('may not set the restart annotation, and may set any other', () => {
    const annotated = (name: string): JsonObject => {
      return { controlPlane: { statefulSet: { pods: { annotations: { [name]: '1' } } } } };
    };
    expect(overlayIssues(annotated('platform.di-framework.dev/restart'))).toHaveLength(1);
    expect(overlayIssues(annotated('team.example/cost-centre'))).toEqual([]);
  });

  it('may set what the function does not build on', () => {
    expect(overlayIssues({})).toEqual([]);
    expect(overlayIssues({ policies: { podSecurityStandard: 'privileged' }, sync: { toHost: {} } })).toEqual([]);
  });

  it('is told about all its conflicts at once', () => {
    const issues = overlayIssues({ exportKubeConfig: {}, controlPlane: { service: {}, backingStore: {} } });
    expect(issues.map(({ path }) => path)).toEqual([
      'chart.values.exportKubeConfig',
      'chart.values.controlPlane.backingStore',
      'chart.values.controlPlane.service',
    ]);
  });

  it.each<[string, Json]>([
    ['controlPlane.statefulSet.annotations', { a: 1 }],
    ['controlPlane.statefulSet.pods.labels', { owner: 'a b' }],
    ['controlPlane.statefulSet.labels', { 'team.example/owner/x': 'a' }],
    ['controlPlane.statefulSet.labels', { owner: 'x'.repeat(64) }],
    ['controlPlane.ingress.enabled', 'yes'],
    ['controlPlane.coredns.deployment.replicas', '2'],
    ['controlPlane.statefulSet.imagePullPolicy', 'Sometimes'],
    ['controlPlane.statefulSet.dnsPolicy', 'Mine'],
    ['controlPlane.statefulSet.resources', { limits: { memory: '8 GB' } }],
    ['controlPlane.advanced.serviceAccount.imagePullSecrets', ['pull']],
    ['controlPlane.coredns.deployment.tolerations', {}],
  ])('may not give %s what no control plane can be made of: %j', (path, value) => {
    expect(overlayIssues(nested(path, value))).toEqual([
      { path: `chart.values.${path}`, message: expect.stringMatching(/^must (be|have) /) },
    ]);
  });

  it('may not sync a kind both ways', () => {
    const both = { toHost: { storageClasses: { enabled: true } }, fromHost: { storageClasses: { enabled: 'true' } } };
    expect(overlayIssues({ sync: both }).map(({ path }) => path)).toEqual(['chart.values.sync.toHost.storageClasses']);
  });

  it.each<[string, Json]>([
    ['controlPlane.statefulSet.highAvailability.replicas', 1],
    ['controlPlane.statefulSet.scheduling.podManagementPolicy', 'Parallel'],
    ['controlPlane.statefulSet.labels', { 'team.example/owner': 'a', plain: '' }],
    ['controlPlane.statefulSet.annotations', { 'Team.example/Note': 'any text, with spaces' }],
    ['sync.fromHost.storageClasses.enabled', 'auto'],
    ['sync.toHost.namespaces.enabled', false],
    ['sleep', {}],
    ['controlPlane.statefulSet.resources', { limits: { memory: null, cpu: 2 } }],
    ['controlPlane.statefulSet.scheduling.affinity', null],
  ])('may set %s to %j', (path, value) => {
    expect(overlayIssues(nested(path, value))).toEqual([]);
  });

  it('may ask for what only the other image has when that image is set', () => {
    const asked = { sync: { toHost: { namespaces: { enabled: true } } } };
    expect(overlayIssues(asked, { imageRepository: 'loft-sh/vcluster-pro' })).toEqual([]);
    expect(overlayIssues(asked, { imageRepository: 'mirror/loft-sh/vcluster-oss' })).toHaveLength(1);
  });

  it('is judged without an error, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('labels', 'enabled', 'resources', 'sync', 'a'), fc.jsonValue()),
        (given) => {
          expect(Array.isArray(overlayIssues(given as JsonObject))).toBe(true);
        },
      ),
    );
  });

  it('that would stop every instance is refused with its path, and nothing of a live instance is touched', () => {
    const world = readyWorld(MINIMAL);
    world.input = { chart: { values: nested('controlPlane.statefulSet.highAvailability.replicas', 3) } };
    const answer = world.ask();
    expect(answer.desired.resources.size).toBe(0);
    expect(answer.results).toEqual([
      expect.objectContaining({
        severity: Severity.Fatal,
        message: expect.stringContaining('chart.values.controlPlane.statefulSet.highAvailability.replicas'),
      }),
    ]);
  });
});
