import { type JsonObject, stringAt } from '../../json.ts';
import { HELM_RELEASE } from '../names.ts';
import { Id, many, one } from './found.ts';
import { type Found, Kinds } from './requests.ts';
import { sorted, type Thing, thing } from './thing.ts';

/** What a vCluster has outside its host Namespace, and what therefore stays when that is gone. */

/** The chart's cluster-wide role and binding bear no label of ours; Helm notes on them which release they belong to. */
export function chartRoles(found: Found, host: string): readonly Thing[] {
  const all = [
    [Id.ChartRoleBinding, Kinds.ClusterRoleBinding],
    [Id.ChartRole, Kinds.ClusterRole],
  ] as const;
  return all.flatMap(([id, kind]) => {
    const resource = one(found, id);
    return resource !== undefined && isOfRelease(resource, host) ? [thing(kind, resource)] : [];
  });
}

function isOfRelease(resource: JsonObject, host: string): boolean {
  const note = (name: string) => stringAt(resource, 'metadata', 'annotations', `meta.helm.sh/${name}`);
  return note('release-namespace') === host && note('release-name') === HELM_RELEASE;
}

const SYNCED_VOLUME = new RegExp(`^${HELM_RELEASE}-.+-x-.+-x-${HELM_RELEASE}$`);
const SYNCED_BY = 'vcluster.loft.sh/managed-by';

/**
 * vCluster gives the volumes it syncs to the host no owner, so they stay behind. It marks them with its namespace and name;
 * the names it gives them are cut and end in a hash when they are long (syncer, pkg/util/translate).
 */
export function leakedVolumes(found: Found, host: string): readonly Thing[] {
  const leaked = many(found, Id.Volumes).filter((volume) => isMarked(volume, host) || isNamedAndClaimed(volume, host));
  return sorted(leaked.map((volume) => thing(Kinds.Volume, volume)));
}

function isMarked(volume: JsonObject, host: string): boolean {
  const isNamed = stringAt(volume, 'metadata', 'name')?.startsWith(`${HELM_RELEASE}-`) === true;
  return isNamed && stringAt(volume, 'metadata', 'labels', SYNCED_BY) === `${host}-x-${HELM_RELEASE}`;
}

function isNamedAndClaimed(volume: JsonObject, host: string): boolean {
  const isNamed = SYNCED_VOLUME.test(stringAt(volume, 'metadata', 'name') ?? '');
  return isNamed && stringAt(volume, 'spec', 'claimRef', 'namespace') === host;
}
