import { stringAt } from '../../json.ts';
import type { Observed } from '../observe/index.ts';

export interface StorageRootDecision {
  /** node path under which the platform keeps tenant data */
  readonly path: string;
  /** why nothing may be installed with it */
  readonly problem: string | undefined;
}

/** Fixed at creation: what is in use wins over the spec, and the spec over the default. */
export function decideStorageRoot(observed: Observed): StorageRootDecision {
  const { identity, settings, spec } = observed;
  const inUse = storageRootInUse(observed);
  const custom = spec?.platform?.storageRoot || undefined;
  const fallback = `${settings.storageRootBase}/${identity.namespace}/${identity.name}`;
  const isNew = custom !== undefined && custom !== inUse;
  return {
    path: inUse ?? custom ?? fallback,
    problem: isNew ? storageRootProblem(custom, settings.storageRootBase) : undefined,
  };
}

export function storageRootInUse(observed: Observed): string | undefined {
  return (
    stringAt(observed.stack?.resource, 'spec', 'config', 'storageRoot') ?? observed.hostNamespace.memory.storageRoot
  );
}

/** A custom root must not meet the base: the cleanup removes default roots below it. */
export function storageRootProblem(path: string, base: string): string | undefined {
  if (!path.startsWith('/')) return `Cannot use storageRoot ${path}: it is not an absolute path`;
  const own = segments(path);
  const other = segments(base);
  const shared = Math.min(own.length, other.length);
  const overlaps = own.slice(0, shared).every((segment, index) => segment === other[index]);
  return overlaps ? `Cannot use storageRoot ${path}: it overlaps the storage root base ${base}` : undefined;
}

/** The path's parts once `.`, `..` and repeated slashes are resolved. */
function segments(path: string): readonly string[] {
  const result: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') result.pop();
    else result.push(segment);
  }
  return result;
}
