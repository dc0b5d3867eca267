import { type Kind, type Reference, type Selection, titleOf } from '../core/teardown/requests.ts';
import type { Seen } from '../core/teardown/step.ts';
import { isObject, type JsonObject, listAt, objectAt, stringAt } from '../json.ts';
import type { Call, Connection } from './connection.ts';
import { ApiError, hasStatus, isMissing, meaning } from './errors.ts';
import { collectionPath, objectPath, selectorOf } from './paths.ts';

export const FIELD_MANAGER = 'platform-instance-teardown';
const PAGE = '500';
/** A list that takes long may find that its continuation is no longer known. */
const LIST_ATTEMPTS = 3;

export interface Listed {
  readonly items: readonly JsonObject[];
  readonly resourceVersion: string;
}

/** The verbs that teardown uses. All throw an ApiError that says what was asked for. */
export interface Api {
  /** undefined when the object, or its kind, does not exist */
  readonly read: (reference: Reference) => Promise<JsonObject | undefined>;
  /** empty when the kind does not exist */
  readonly list: (selection: Selection) => Promise<readonly JsonObject[]>;
  /** Answers the object as it is afterwards. */
  readonly patch: (object: Seen, change: JsonObject, subresource?: 'status') => Promise<JsonObject>;
  readonly remove: (object: Seen) => Promise<void>;
  readonly create: (object: Reference, manifest: JsonObject) => Promise<void>;
}

export function createApi(connection: Connection): Api {
  return {
    read: (reference) =>
      meaning(`read ${titleOf(reference)}`, () =>
        unlessMissing(reference, connection.send({ method: 'GET', path: objectPath(reference) }), undefined),
      ),
    list: (selection) =>
      meaning(`list ${describe(selection)}`, async () => {
        const { items } = await unlessMissing(selection, listAll(connection, selection), { items: [] });
        const { apiVersion, kind } = selection;
        // The items of a list of a built-in kind do not say what they are.
        return items.map((item) => ({ apiVersion, kind, ...item }));
      }),
    patch: (object, change, subresource) =>
      meaning(`patch ${titleOf(object)}${subresource === undefined ? '' : ` ${subresource}`}`, () => {
        const metadata = { ...objectAt(change, 'metadata'), ...precondition(object) };
        return connection.send({
          method: 'PATCH',
          path: objectPath(object, subresource),
          query: { fieldManager: FIELD_MANAGER },
          contentType: 'application/merge-patch+json',
          body: { ...change, metadata },
        });
      }),
    remove: (object) =>
      meaning(`delete ${titleOf(object)}`, async () => {
        await connection.send({
          method: 'DELETE',
          path: objectPath(object),
          body: {
            apiVersion: 'v1',
            kind: 'DeleteOptions',
            propagationPolicy: 'Background',
            preconditions: precondition(object),
          },
        });
      }),
    create: (object, manifest) =>
      meaning(`create ${titleOf(object)}`, async () => {
        await connection.send({
          method: 'POST',
          path: collectionPath(object, object.namespace),
          query: { fieldManager: FIELD_MANAGER },
          body: manifest,
        });
      }),
  };
}

/** All pages, as they were at one moment. */
export async function listAll(connection: Connection, selection: Selection, accept?: string): Promise<Listed> {
  const labelSelector = selectorOf(selection);
  const page = (from: string): Promise<JsonObject> =>
    connection.send({
      method: 'GET',
      path: collectionPath(selection, selection.namespace),
      query: {
        limit: PAGE,
        ...(labelSelector === '' ? {} : { labelSelector }),
        ...(from === '' ? {} : { continue: from }),
      },
      ...(accept === undefined ? {} : { accept }),
    } satisfies Call);
  for (let attempt = 1; ; attempt++) {
    try {
      return await allPages(page);
    } catch (error) {
      if (!hasStatus(error, 410) || attempt >= LIST_ATTEMPTS) throw error;
    }
  }
}

async function allPages(page: (from: string) => Promise<JsonObject>): Promise<Listed> {
  const items: JsonObject[] = [];
  for (let from = ''; ; ) {
    const list = await page(from);
    items.push(...listAt(list, 'items').filter(isObject));
    from = stringAt(list, 'metadata', 'continue') ?? '';
    if (from === '') return { items, resourceVersion: stringAt(list, 'metadata', 'resourceVersion') ?? '' };
  }
}

/** Only the API server's own word counts: a 404 of a proxy must not read as "gone". */
async function unlessMissing<T, U>(kind: Kind, answer: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await answer;
  } catch (error) {
    if (isMissing(error, kind)) return otherwise;
    throw error;
  }
}

/** An empty resourceVersion in a patch would mean whichever there is. */
function precondition({ uid, resourceVersion }: Seen): { readonly uid: string; readonly resourceVersion: string } {
  if (uid === '' || resourceVersion === '') throw new ApiError(0, 'Unseen', 'its uid or resourceVersion is not known');
  return { uid, resourceVersion };
}

function describe({ resource, namespace }: Selection): string {
  return namespace === undefined ? resource : `${resource} in ${namespace}`;
}
