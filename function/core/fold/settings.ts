import { type JsonObject, stringAt } from '../../json.ts';
import { storageRootInUse } from '../decide/storage-root.ts';
import { Key } from '../keys.ts';
import type { Observed } from '../observe/index.ts';
import { someOf } from '../text.ts';
import type { Verdict } from './verdict.ts';

/** A setting that is fixed once the instance exists, and where its value in use stands. */
interface FixedSetting {
  readonly setting: string;
  readonly wanted: (observed: Observed) => string | undefined;
  readonly inUse: (observed: Observed) => string | undefined;
}

const input = (observed: Observed, ...path: readonly string[]): string | undefined => stringAt(observed.input, ...path);
const inVolumeClaim = (observed: Observed, field: string): string | undefined =>
  stringAt(observed.release?.values, 'controlPlane', 'statefulSet', 'persistence', 'volumeClaim', field);
const claimSpec = (observed: Observed): JsonObject | undefined => {
  const manifest = observed.resources.get(Key.StackState);
  const spec = manifest === undefined ? undefined : manifest['spec'];
  return typeof spec === 'object' && spec !== null && !Array.isArray(spec) ? spec : undefined;
};
const inStateClaim = (observed: Observed, ...path: readonly string[]): string | undefined =>
  stringAt(claimSpec(observed), 'forProvider', 'manifest', 'spec', ...path);

const FIXED: readonly FixedSetting[] = [
  {
    setting: 'storageRootBase',
    wanted: (observed) =>
      observed.spec?.platform?.storageRoot
        ? undefined
        : `${observed.settings.storageRootBase}/${observed.identity.namespace}/${observed.identity.name}`,
    inUse: storageRootInUse,
  },
  {
    setting: 'vcluster.volumeSize',
    wanted: (observed) => input(observed, 'vcluster', 'volumeSize'),
    inUse: (observed) => inVolumeClaim(observed, 'size'),
  },
  {
    setting: 'vcluster.storageClassName',
    wanted: (observed) => input(observed, 'vcluster', 'storageClassName'),
    inUse: (observed) => inVolumeClaim(observed, 'storageClass') ?? (observed.release === undefined ? undefined : ''),
  },
  {
    setting: 'workspace.backend',
    wanted: (observed) => input(observed, 'workspace', 'backend'),
    inUse: (observed) => stringAt(observed.stack?.resource, 'spec', 'backend'),
  },
  {
    setting: 'workspace.stateSize',
    wanted: (observed) => input(observed, 'workspace', 'stateSize'),
    inUse: (observed) => inStateClaim(observed, 'resources', 'requests', 'storage'),
  },
  {
    setting: 'workspace.stateStorageClassName',
    wanted: (observed) => input(observed, 'workspace', 'stateStorageClassName'),
    inUse: (observed) =>
      inStateClaim(observed, 'storageClassName') ?? (claimSpec(observed) === undefined ? undefined : ''),
  },
];

/** Whether every setting is in effect. One that is fixed at creation keeps its old value and is named here. */
export function settingsApplied(observed: Observed): Verdict {
  const kept = FIXED.flatMap(({ setting, wanted, inUse }) => {
    const want = wanted(observed);
    const use = inUse(observed);
    return want === undefined || use === undefined || want === use
      ? []
      : [`${setting} stays ${use === '' ? 'the default' : use}`];
  });
  if (kept.length === 0) return { status: 'True', reason: 'Applied', message: 'All settings are in effect' };
  return {
    status: 'False',
    reason: 'ImmutableSettingKept',
    message: `Settings that are fixed at creation differ from what is in use: ${someOf(kept, 6)}`,
  };
}
