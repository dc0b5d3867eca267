import { Agent, request } from 'node:https';
import { isObject, type JsonObject, listAt, objectAt, stringAt } from '../../../function/json.ts';

/** Who asks which API server. */
export interface Access {
  readonly server: string;
  readonly certificateAuthority: string;
  readonly token: string;
}

export interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const TIMEOUT_MS = 30_000;

/** The few requests that the tests make, with the API server's own answer to a refusal. */
export class Kube {
  readonly access: Access;
  readonly #agent: Agent;

  constructor(access: Access) {
    this.access = access;
    this.#agent = new Agent({ keepAlive: true, ca: access.certificateAuthority });
  }

  /** undefined when it does not exist */
  async find(reference: Reference): Promise<JsonObject | undefined> {
    const answer = await this.request('GET', pathOf(reference));
    return answer.status === 404 ? undefined : accepted(answer, 'get', reference);
  }

  async get(reference: Reference): Promise<JsonObject> {
    return accepted(await this.request('GET', pathOf(reference)), 'get', reference);
  }

  /** All of a kind, in one namespace or in all. */
  async list(kind: Omit<Reference, 'name'>, query = ''): Promise<JsonObject[]> {
    const answer = await this.request('GET', `${collectionOf(kind)}${query}`);
    return listAt(accepted(answer, 'list', { ...kind, name: '' }), 'items').filter(isObject);
  }

  async create(object: JsonObject, query = ''): Promise<JsonObject> {
    return accepted(await this.tryCreate(object, query), 'create', referenceOf(object));
  }

  tryCreate(object: JsonObject, query = ''): Promise<Answer> {
    return this.request('POST', `${collectionOf(referenceOf(object))}${query}`, object);
  }

  /** Server-side apply, taking over what others own. */
  async apply(object: JsonObject, subresource?: string): Promise<JsonObject> {
    const reference = referenceOf(object);
    const path = `${pathOf(reference)}${subresource === undefined ? '' : `/${subresource}`}`;
    const answer = await this.request('PATCH', `${path}?fieldManager=e2e&force=true`, object, APPLY);
    return accepted(answer, 'apply', reference);
  }

  async patch(reference: Reference, change: JsonObject, subresource?: string): Promise<JsonObject> {
    const path = `${pathOf(reference)}${subresource === undefined ? '' : `/${subresource}`}`;
    return accepted(await this.request('PATCH', path, change, MERGE), 'patch', reference);
  }

  async delete(reference: Reference, propagationPolicy = 'Background'): Promise<void> {
    const answer = await this.tryDelete(reference, propagationPolicy);
    if (answer.status !== 404) accepted(answer, 'delete', reference);
  }

  tryDelete(reference: Reference, propagationPolicy = 'Background'): Promise<Answer> {
    return this.request('DELETE', pathOf(reference), { propagationPolicy });
  }

  request(method: string, path: string, body?: JsonObject, type = 'application/json'): Promise<Answer> {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const { server, token } = this.access;
    return new Promise((resolve, reject) => {
      const asked = request(`${server}${path}`, {
        method,
        agent: this.#agent,
        timeout: TIMEOUT_MS,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          ...(payload && { 'content-type': type, 'content-length': payload.length }),
        },
      });
      asked.on('timeout', () => asked.destroy(new Error(`cannot ${method} ${path}: no answer in time`)));
      asked.on('error', reject);
      asked.on('response', async (response) => {
        const chunks: Buffer[] = await response.toArray().catch(() => []);
        resolve({ status: response.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString()) });
      });
      asked.end(payload);
    });
  }
}

export function referenceOf(object: JsonObject): Reference {
  const namespace = stringAt(object, 'metadata', 'namespace');
  return {
    apiVersion: stringAt(object, 'apiVersion') ?? '',
    kind: stringAt(object, 'kind') ?? '',
    name: stringAt(object, 'metadata', 'name') ?? '',
    ...(namespace !== undefined && { namespace }),
  };
}

export function pathOf(reference: Reference): string {
  return `${collectionOf(reference)}/${encodeURIComponent(reference.name)}`;
}

export function collectionOf({ apiVersion, kind, namespace }: Omit<Reference, 'name'>): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${pluralOf(kind)}`;
}

function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (/(s|x|ch)$/.test(singular)) return `${singular}es`;
  return /[^aeo]y$/.test(singular) ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}

/** Health endpoints answer in plain text. */
function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : { message: text };
  } catch {
    return { message: text };
  }
}

function accepted({ status, body }: Answer, verb: string, { kind, namespace, name }: Reference): JsonObject {
  if (status < 300) return body;
  const object = [kind, namespace, name].filter(Boolean).join(' ');
  throw new Error(`cannot ${verb} ${object}: ${status} ${stringAt(body, 'message') ?? JSON.stringify(body)}`);
}

/** A condition of an object, as `True Ready: message`; undefined when it has none of that type. */
export function conditionOf(object: JsonObject | undefined, type: string): JsonObject | undefined {
  const conditions = listAt(objectAt(object, 'status'), 'conditions');
  return conditions.filter(isObject).find((condition) => condition['type'] === type);
}
