import { describe, expect, it, test } from 'vitest';
import { type JsonObject, listAt, stringAt } from '../../../function/json.ts';
import { Life } from './life.ts';
import { merge } from './merge.ts';

const PREFIX = 'platform.di-framework.dev';
const BEFORE = '2026-01-01T00:00:00Z';
const AFTER = '2026-06-02T00:00:00Z';
const CLAIM = /^PersistentVolumeClaim /;

type Which = (object: JsonObject) => boolean;
const everything: Which = () => true;
const isNamespace: Which = ({ kind }) => kind === 'Namespace';

/** What is real still says that it is an earlier instance's, which was deleted with Retain. */
function relabel(life: Life, which: Which = everything, made = BEFORE): Life {
  for (const each of life.cluster.all()) {
    const isMarked = stringAt(each, 'metadata', 'labels', `${PREFIX}/instance-uid`) === 'uid-xr';
    const isComposed = listAt(each, 'metadata', 'ownerReferences').length > 0;
    if (!isMarked || isComposed || !which(each)) continue;
    life.cluster.edit(each, () =>
      merge(each, { metadata: { labels: { [`${PREFIX}/instance-uid`]: 'uid-earlier' }, creationTimestamp: made } }),
    );
  }
  return life;
}

function dropComposed(life: Life): void {
  for (const each of life.composed()) {
    life.cluster.drop(stringAt(each, 'kind') ?? '', stringAt(each, 'metadata', 'name') ?? '', 'team-a');
  }
}

describe('an instance that has taken over what an earlier one of its name kept', () => {
  test.each<readonly [string, Which]>([
    ['of all that is real', everything],
    ['of the Namespace', isNamespace],
    ['of all but the Namespace', (object) => !isNamespace(object)],
  ])('[D02] [D03] leaves nothing when it is deleted before the provider has changed the labels %s', (_, which) => {
    const life = relabel(new Life(), which);
    life.cluster.down.add('provider-kubernetes');
    life.deleteInBackground().run(60);
    const { done } = life.cluster;
    expect(done.indexOf(`delete Namespace ${life.host}`)).toBeLessThan(done.indexOf('create Job pi-cleanup-uid-xr-0'));
    life.cluster.down.clear();
    life.run(60);
    expect(life.left()).toEqual([]);
    expect(done).toContain(`delete Namespace ${life.host}`);
    expect(done.filter((line) => line.startsWith('create Job'))).toHaveLength(1);
  });

  it('[D02] goes on after a Namespace that is gone to what else still has the old label', () => {
    const life = relabel(new Life()).deleteInBackground();
    life.cluster.down.add('claim-controller');
    life.run(60);
    expect(life.left().filter((key) => CLAIM.test(key))).toHaveLength(1);
    life.cluster.down.clear();
    life.run(60);
    expect(life.left()).toEqual([]);
  });

  it('[D05] never removes a root that the earlier one’s user had set', () => {
    const life = new Life();
    for (const each of [...life.cluster.all('Namespace'), ...life.cluster.all('Object')]) {
      const root = { annotations: { [`${PREFIX}/storage-root`]: '/mnt/fast' } };
      const change = isNamespace(each)
        ? { metadata: root }
        : { spec: { forProvider: { manifest: { metadata: root } } } };
      life.cluster.edit(each, () => merge(each, change));
    }
    life.deleteInBackground().run(60);
    expect([life.left(), life.cluster.done.filter((line) => line.includes('Job'))]).toEqual([[], []]);
  });
});

describe('an instance that has taken over nothing', () => {
  test.each(['nothing was composed for it yet', 'what it composed was collected'])(
    '[X07] [X11] touches nothing that an earlier one of its name kept, when %s',
    (how) => {
      const life = relabel(new Life());
      dropComposed(life);
      if (how === 'nothing was composed for it yet')
        life.edit((xr) => merge(xr, { spec: { crossplane: { resourceRefs: [] } } }));
      const before = structuredClone(life.cluster.all().filter(({ kind }) => kind !== 'PlatformInstance'));
      life.deleteInBackground().run(60);
      expect(life.xr).toBeUndefined();
      expect(life.cluster.all()).toEqual(before);
      expect(life.cluster.done).toEqual([]);
    },
  );

  it('[X11] touches nothing that a later one has: what is younger than the instance is never an earlier one’s', () => {
    const life = relabel(new Life(), everything, AFTER);
    dropComposed(life);
    const before = structuredClone(life.cluster.all().filter(({ kind }) => kind !== 'PlatformInstance'));
    life.deleteInBackground();
    life.annotate({ [`${PREFIX}/teardown`]: JSON.stringify({ host: life.host, root: '/base/team-a/blue' }) });
    life.run(3600);
    expect(life.cluster.all().filter(({ kind }) => kind !== 'PlatformInstance')).toEqual(before);
    expect(life.condition('InstanceReady')).toBe('False TargetDeleteFailed');
  });
});

describe('a Namespace that nobody says is the instance’s any more', () => {
  const strip = (life: Life, labels: JsonObject, annotations: JsonObject): void => {
    const namespace = life.cluster.find('Namespace', life.host) ?? {};
    life.cluster.edit(namespace, () => merge(namespace, { metadata: { labels, annotations } }));
  };

  test.each<readonly [string, JsonObject, JsonObject]>([
    ['label', { [`${PREFIX}/instance-uid`]: null }, {}],
    ['labels', { [`${PREFIX}/instance-uid`]: null, [`${PREFIX}/instance`]: null }, {}],
    ['annotation', {}, { [`${PREFIX}/instance`]: null }],
    ['own name in the annotation', {}, { [`${PREFIX}/instance`]: 'team-b/green' }],
  ])(
    '[T11] by its %s is neither deleted nor forgotten: no data goes while it is there, and it is told',
    (_, labels, annotations) => {
      const life = new Life();
      strip(life, labels, annotations);
      life.deleteInBackground().run(1200);
      const message = `Cannot delete Namespace ${life.host}: its labels and annotations do not say that it is this instance's`;
      expect([life.condition('TargetReady'), life.condition('InstanceReady')]).toEqual(
        Array(2).fill('False TargetDeleteFailed'),
      );
      expect([life.message('TargetReady'), life.message('InstanceReady')]).toEqual([message, message]);
      const roles = life.left().filter((key) => /ClusterRole |PersistentVolume /.test(key));
      expect([roles.length, life.cluster.done.filter((line) => /Namespace|Job/.test(line))]).toEqual([3, []]);
      strip(
        life,
        { [`${PREFIX}/instance-uid`]: 'uid-xr', [`${PREFIX}/instance`]: life.id },
        { [`${PREFIX}/instance`]: 'team-a/blue' },
      );
      life.run(60);
      expect(life.left()).toEqual([]);
    },
  );
});
