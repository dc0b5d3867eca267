import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHART_VALUES } from '../../../function/core/compose/values.table.ts';
import { at, type Json, type JsonObject } from '../../../function/json.ts';
import { chartValueProblems } from '../../chart/values.ts';
import { validSettings } from '../invariants/specs.ts';
import { MINIMAL, World } from '../world.ts';
import { desired, desiredAt, readyWorld, SETTINGS, valuesOf } from './fixtures.ts';

const RESTART = ['controlPlane', 'statefulSet', 'pods', 'annotations', 'platform.di-framework.dev/restart'];

function fresh(input: JsonObject): JsonObject {
  const world = new World(MINIMAL, { input });
  world.step();
  world.syncObjects();
  return valuesOf(world);
}

describe('fresh values', () => {
  it("fit the chart's closed schema, whatever the settings", () => {
    fc.assert(
      fc.property(validSettings, (input) => {
        expect(chartValueProblems(fresh({ ...input, holdForFinalizer: false }))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('carry every setting, with the overlay below what the function sets itself', () => {
    const overlay = { telemetry: { enabled: true }, controlPlane: { statefulSet: { labels: { team: 'a' } } } };
    const values = fresh({ ...SETTINGS, chart: { values: overlay } });
    const world = new World(MINIMAL);
    world.step();
    const host = world.hostNamespace;
    expect(values).toEqual({
      exportKubeConfig: { context: 'blue', server: `https://vcluster.${host}.svc:443` },
      controlPlane: {
        advanced: {
          defaultImageRegistry: 'registry.example:5000',
          serviceAccount: { imagePullSecrets: [{ name: 'pull' }] },
        },
        distro: { k8s: { image: { tag: expect.stringMatching(/^v1\.\d+\.\d+$/) } } },
        proxy: { extraSANs: [`vcluster.${host}.svc`, `vcluster.${host}.svc.cluster.local`] },
        statefulSet: {
          image: { repository: 'loft-sh/vcluster-oss' },
          labels: { team: 'a' },
          pods: { annotations: { 'platform.di-framework.dev/restart': '0' } },
          persistence: { volumeClaim: { retentionPolicy: 'Retain', size: '9Gi', storageClass: 'fast' } },
          resources: { limits: { memory: '8Gi' } },
          scheduling: {
            nodeSelector: { pool: 'a' },
            tolerations: [{ key: 'pool', operator: 'Equal', value: 'a', effect: 'NoSchedule' }],
            affinity: { nodeAffinity: {} },
          },
        },
      },
      sync: {
        toHost: {
          networkPolicies: { enabled: true },
          persistentVolumes: { enabled: true },
          pods: { enforceTolerations: ['pool=a:NoSchedule'] },
        },
        fromHost: { nodes: { enabled: true, selector: { labels: { pool: 'a' } } } },
      },
      telemetry: { enabled: false },
    });
  });

  it.each<[JsonObject, string | undefined]>([
    [{ operator: 'Exists' }, '*'],
    [{ operator: 'Exists', effect: 'NoExecute' }, ':NoExecute'],
    [{ key: 'a', operator: 'Exists' }, 'a:'],
    [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }, 'a:NoSchedule'],
    [{ key: 'a', value: 'b' }, 'a=b'],
    [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' }, 'a=b:NoSchedule'],
    [{ key: 'a', effect: 'NoSchedule' }, 'a=:NoSchedule'],
    [{ key: 'a', operator: 'Gt', value: '3' }, undefined],
    [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }, undefined],
  ])('say the toleration %j to tenant pods as %s', (toleration, text) => {
    const values = fresh({ placement: { tolerations: [toleration] } });
    const pods = text === undefined ? undefined : { enforceTolerations: [text] };
    expect(at(values, 'sync', 'toHost', 'pods')).toEqual(pods);
    expect(at(values, 'controlPlane', 'statefulSet', 'scheduling', 'tolerations')).toEqual([toleration]);
  });
});

describe('values in use', () => {
  /** Values as an older function may have written them. */
  function older(world: World, change: (values: JsonObject) => void): JsonObject {
    const values = at(world.composed.get('vcluster'), 'spec', 'forProvider', 'values') as JsonObject;
    change(values);
    return structuredClone(values);
  }

  it('are carried whole, also when today’s function would write others', () => {
    const world = readyWorld(MINIMAL);
    const values = older(world, (held) => {
      held['telemetry'] = { enabled: true };
      held['logging'] = { encoding: 'json' };
    });
    expect(JSON.stringify(valuesOf(world))).toBe(JSON.stringify(values));
  });

  it('are written anew when their restart counter was edited away', () => {
    const world = readyWorld(MINIMAL);
    const before = valuesOf(world);
    older(world, (held) => {
      (at(held, ...RESTART.slice(0, -1)) as JsonObject)['platform.di-framework.dev/restart'] = '7';
    });
    expect(valuesOf(world)).toEqual(before);
  });

  it('are written anew for a setting that the user changed, and keep what is fixed', () => {
    const world = readyWorld(MINIMAL, { vcluster: { volumeSize: '9Gi', storageClassName: 'fast' } });
    older(world, (held) => {
      held['exportKubeConfig'] = { context: 'old', server: 'https://old.example' };
    });
    world.input = {
      vcluster: { volumeSize: '20Gi', storageClassName: 'slow', resources: { limits: { memory: '1Gi' } } },
    };
    const values = valuesOf(world);
    const pick = (...path: string[]): Json | undefined => at(values, ...path);
    expect(pick('exportKubeConfig')).toEqual({ context: 'old', server: 'https://old.example' });
    expect(pick('controlPlane', 'statefulSet', 'persistence', 'volumeClaim')).toEqual({
      retentionPolicy: 'Retain',
      size: '9Gi',
      storageClass: 'fast',
    });
    expect(pick('controlPlane', 'statefulSet', 'resources')).toEqual({ limits: { memory: '1Gi' } });
    expect(pick(...RESTART)).toBe('0');
  });

  it('[X03] are not written anew for a volume setting alone', () => {
    const world = readyWorld(MINIMAL);
    const before = desired(world)['vcluster'];
    world.input = { vcluster: { volumeSize: '20Gi', storageClassName: 'slow' } };
    expect(desired(world)['vcluster']).toEqual(before);
  });
});

describe('the table of values', () => {
  /** A setting of each sticky or fixed row, other than the default. */
  const OTHER: JsonObject = {
    vcluster: {
      imageRegistry: 'registry.example',
      imagePullSecrets: ['pull'],
      kubernetesVersion: 'v1.35.7',
      imageRepository: 'mirror/vcluster',
      volumeSize: '20Gi',
      storageClassName: 'slow',
      resources: { limits: { memory: '1Gi' } },
    },
    placement: {
      nodeSelector: { pool: 'b' },
      tolerations: [{ key: 'pool', operator: 'Exists' }],
      affinity: { podAffinity: {} },
    },
  };
  const rows = CHART_VALUES.flatMap((row) => {
    return row.setting === undefined ? [] : [[row.setting.join('.'), row, at(OTHER, ...row.setting) as Json] as const];
  });

  it('has every value once, and all that is rendered comes from it', () => {
    const paths = CHART_VALUES.map(({ path }) => path.join(' '));
    expect(new Set(paths).size).toBe(paths.length);
    const values = fresh(OTHER);
    expect(CHART_VALUES.filter(({ path }) => at(values, ...path) === undefined)).toEqual([]);
  });

  it.each(rows)('treats setting %s of a release that exists as its policy says', (_, row, value) => {
    const world = readyWorld(MINIMAL);
    const before = at(valuesOf(world), ...row.path);
    const token = desiredAt(world, 'platform-stack', 'metadata', 'annotations', 'pulumi.com/reconciliation-request');
    world.input = row.setting?.toReversed().reduce<Json>((below, key) => ({ [key]: below }), value) as JsonObject;
    const after = at(valuesOf(world), ...row.path);
    const wanted = row.path.at(-1) === 'imagePullSecrets' ? [{ name: 'pull' }] : value;
    expect(after).toEqual(row.policy === 'fixed' ? before : wanted);
    expect(desiredAt(world, 'platform-stack', 'metadata', 'annotations', 'pulumi.com/reconciliation-request')).toBe(
      token,
    );
  });
});
