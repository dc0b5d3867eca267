import { Kinds } from '../../function/core/teardown/requests.ts';
import { isObject, type JsonObject, listAt, stringAt } from '../../function/json.ts';
import { Life } from '../core/teardown/life.ts';
import { ApiServer } from './api.server.ts';
import { INSTANCES } from './plan.ts';

const RESOURCES = new Map<string, { readonly apiVersion: string; readonly resource: string }>(
  Object.values(Kinds).map((kind) => [kind.kind, kind]),
);

export const INSTANCE = { namespace: 'team-a', name: 'blue' };

/** What belongs to an instance that was Ready, by its settings: a whole life, so once is enough. */
const objects = new Map<string, readonly JsonObject[]>();

function objectsFor(settings: JsonObject): readonly JsonObject[] {
  const key = JSON.stringify(settings);
  const known = objects.get(key) ?? new Life().setSettings(settings).cluster.all();
  objects.set(key, known);
  return structuredClone(known);
}

/** That instance in an API server, with the controllers that its deletion meets. */
export async function world(settings: JsonObject = {}): Promise<ApiServer> {
  const server = await new ApiServer().start();
  for (const object of objectsFor(settings)) {
    const kind = RESOURCES.get(String(object['kind']));
    if (kind === undefined) continue;
    const { apiVersion, resource } = kind;
    server.store.put(`${apiVersion}/${resource}`, { apiVersion, ...object });
  }
  addControllers(server);
  return server;
}

export function instanceOf(server: ApiServer): JsonObject | undefined {
  return server.store.at(INSTANCES, INSTANCE.name, INSTANCE.namespace);
}

export function deleteWorld(server: ApiServer): void {
  server.store.delete(INSTANCES, { collection: '', resource: INSTANCES, ...INSTANCE, subresource: undefined });
}

/** Everything but the API's own objects. */
export function left(server: ApiServer): string[] {
  return server.store.names().filter((each) => !/definitions|compositionrevisions|events/.test(each));
}

/** Whoever keeps an object lets it go a little later; Jobs succeed at once, and their pods go with them. */
function addControllers({ store }: ApiServer): void {
  const pods = 'v1/pods';
  store.subscribe(({ type, resource, object }) => {
    const name = stringAt(object, 'metadata', 'name') ?? '';
    const namespace = stringAt(object, 'metadata', 'namespace');
    const place = { collection: '', resource, namespace, name, subresource: undefined };
    const isDeleting = stringAt(object, 'metadata', 'deletionTimestamp') !== undefined;
    if (resource === 'batch/v1/jobs' && type === 'ADDED') {
      const template = (object['spec'] as JsonObject)['template'] as JsonObject;
      const labels = stringAt(template, 'metadata', 'labels') ?? (template['metadata'] as JsonObject)['labels'] ?? {};
      store.put(pods, { metadata: { namespace: namespace ?? '', name: `${name}-pod`, labels, finalizers: ['grace'] } });
      setTimeout(
        () => store.patch(resource, place, { status: { conditions: [{ type: 'Complete', status: 'True' }] } }),
        2,
      );
    } else if (resource === 'batch/v1/jobs' && type === 'DELETED') {
      const pod = { ...place, resource: pods, name: `${name}-pod` };
      store.delete(pods, pod);
    } else if (
      type !== 'DELETED' &&
      isDeleting &&
      resource !== INSTANCES &&
      listAt(object, 'metadata', 'finalizers').length > 0
    ) {
      setTimeout(() => {
        if (isObject(store.at(resource, name, namespace)))
          store.patch(resource, place, { metadata: { finalizers: [] } });
      }, 2);
    }
  });
}
