import { describe, expect, it } from 'vitest';
import { cleanupJob, cleanupJobName } from '../../../function/core/teardown/job.ts';
import { listAt, objectAt, stringAt } from '../../../function/json.ts';
import { SETTINGS } from '../compose/fixtures.ts';
import { MINIMAL, World } from '../world.ts';
import { containerOf, job, podOf, settingsFrom, UID } from './job.sandbox.ts';

describe('the cleanup Job', () => {
  it('is one pod and one try in the namespace of the settings, kept until somebody has read it', () => {
    const { template, ...spec } = objectAt(job(), 'spec') ?? {};
    const marks = {
      labels: { 'platform.di-framework.dev/instance': 'dfqog7hj', 'platform.di-framework.dev/instance-uid': UID },
      annotations: { 'platform.di-framework.dev/instance': 'team-a/blue' },
    };
    expect(job()).toMatchObject({ apiVersion: 'batch/v1', kind: 'Job' });
    expect(job()['metadata']).toEqual({ name: `pi-cleanup-${UID}-1`, namespace: 'crossplane-system', ...marks });
    expect(objectAt(template, 'metadata')).toEqual(marks);
    expect(spec).toEqual({ backoffLimit: 0, activeDeadlineSeconds: 600 });
    const input = { cleanup: { namespace: 'cleaning' }, intervals: { deletionDeadline: '3m' } };
    expect(job('team-a', 'blue', input)).toMatchObject({
      metadata: { namespace: 'cleaning' },
      spec: { activeDeadlineSeconds: 180 },
    });
  });

  it('sees the base and nothing else of the node, and holds no token', () => {
    const { containers, ...pod } = podOf(job());
    expect(pod).toEqual({
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsUser: 0, runAsGroup: 0, seccompProfile: { type: 'RuntimeDefault' } },
      volumes: [{ name: 'instances', hostPath: { path: '/srv/instances', type: 'DirectoryOrCreate' } }],
    });
    expect(containers).toHaveLength(1);
    const container = objectAt(job(), 'spec', 'template', 'spec');
    expect(listAt(container, 'containers')[0]).toMatchObject({
      image: 'docker.io/library/busybox:1.37.0',
      terminationMessagePolicy: 'FallbackToLogsOnError',
      volumeMounts: [{ name: 'instances', mountPath: '/instances' }],
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'], add: ['DAC_OVERRIDE', 'FOWNER'] },
      },
    });
  });

  it('takes the image of the settings', () => {
    const input = { cleanup: { image: 'registry.example/tools:1' } };
    expect(stringAt(containerOf(job('team-a', 'blue', input)), 'image')).toBe('registry.example/tools:1');
  });

  it('goes where the pods of the vCluster go', () => {
    const world = new World(MINIMAL, { input: SETTINGS });
    world.step();
    world.syncObjects().step();
    const values = objectAt(world.composed.get('vcluster'), 'spec', 'forProvider', 'values');
    const scheduling = objectAt(values, 'controlPlane', 'statefulSet', 'scheduling');
    const { nodeSelector, tolerations, affinity } = podOf(job('team-a', 'blue', SETTINGS));
    expect({ nodeSelector, tolerations, affinity }).toEqual(scheduling);
    expect(Object.keys(scheduling ?? {}).sort()).toEqual(['affinity', 'nodeSelector', 'tolerations']);
  });

  it('is named after the UID and the attempt, which stay apart in 63 characters', () => {
    expect(cleanupJobName(UID, 12)).toBe(`pi-cleanup-${UID}-12`);
    expect(cleanupJobName('u'.repeat(100), 7)).toMatch(/^pi-cleanup-u+-7$/);
    expect(cleanupJobName('u'.repeat(100), 7)).toHaveLength(63);
    expect(cleanupJobName(UID, 2 ** 40)).toHaveLength(61);
  });

  it('is the same for the same instance, and shares nothing with the settings it was made from', () => {
    const settings = settingsFrom(SETTINGS);
    const identity = { namespace: 'team-a', name: 'blue', uid: UID };
    const options = { identity, id: 'dfqog7hj', attempt: 1, base: '/srv/instances', settings };
    const before = structuredClone(settings);
    const first = cleanupJob(options);
    const again = structuredClone(first);
    for (const key of ['nodeSelector', 'tolerations']) podOf(first)[key] = {};
    expect(cleanupJob(options)).toEqual(again);
    expect(settings).toEqual(before);
  });
});
