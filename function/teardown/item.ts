import { type JsonObject, stringAt } from '../json.ts';

/** A PlatformInstance as a list or a watch shows it. What it is like is read anew when it is worked on. */
export interface Item {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deletionTimestamp: string | undefined;
}

export function itemOf(object: JsonObject): Item | undefined {
  const text = (name: string) => stringAt(object, 'metadata', name);
  const [namespace, name, uid, resourceVersion] = [
    text('namespace'),
    text('name'),
    text('uid'),
    text('resourceVersion'),
  ];
  if (!namespace || !name || !uid || !resourceVersion) return undefined;
  return { namespace, name, uid, resourceVersion, deletionTimestamp: text('deletionTimestamp') };
}

export function keyOf({ namespace, name }: Pick<Item, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}
