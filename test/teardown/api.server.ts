import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isObject, type JsonObject, stringAt } from '../../function/json.ts';
import { type Change, type Place, Refusal, Store } from './api.store.ts';

export interface Received extends Place {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'patch' | 'delete';
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: JsonObject | undefined;
  /** where it comes from: the same for calls on one connection */
  readonly port: number | undefined;
}

/** What happens to a call instead of, or after, being answered. */
export type Fault =
  | { readonly refuse: number; readonly reason?: string; readonly message?: string }
  /** the connection breaks before the call is carried out, or after it without an answer */
  | { readonly reset: 'before' | 'after' }
  | { readonly hang: true }
  | undefined;

/** An API server on loopback with a store of its own, and all the ways in which one can fail. */
export class ApiServer {
  readonly store = new Store();
  readonly calls: Received[] = [];
  /** `pulumi.com/v1/stacks`: kinds whose definition is missing */
  readonly unserved = new Set<string>();
  fault: (call: Received) => Fault = () => undefined;
  /** the answer to a call, which is carried out, comes when this resolves */
  hold: (call: Received) => Promise<void> | undefined = () => undefined;
  pageSize = Number.POSITIVE_INFINITY;
  /** watches from before this version are refused */
  oldest = 0;
  private readonly watches = new Set<{ readonly response: ServerResponse; readonly resource: string }>();
  private readonly server: Server;
  private readonly scheme: string;
  private port = 0;

  constructor(tls?: ServerOptions) {
    const listener = (request: IncomingMessage, response: ServerResponse) => void this.receive(request, response);
    this.scheme = tls === undefined ? 'http' : 'https';
    this.server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
    this.store.subscribe((change) => this.tell(change));
  }

  async start(): Promise<this> {
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }

  /** Gone from the network; `start` brings it back at the same place. */
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${this.port}`;
  }

  kubeconfig(user: JsonObject = {}, cluster: JsonObject = { 'insecure-skip-tls-verify': true }): string {
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
      clusters: [{ name: 'test', cluster: { server: this.url, ...cluster } }],
      users: [{ name: 'test', user }],
    });
  }

  /** Ends all watches, without a word. */
  dropWatches(): void {
    for (const { response } of this.watches) response.destroy();
  }

  /** What the API server sends into an open watch when it cannot go on. */
  failWatches(code: number): void {
    const object = { kind: 'Status', status: 'Failure', code, reason: 'Expired', message: 'too old resource version' };
    for (const { response } of this.watches) response.end(`${JSON.stringify({ type: 'ERROR', object })}\n`);
    this.watches.clear();
  }

  bookmark(): void {
    const object = { kind: 'PlatformInstance', metadata: { resourceVersion: String(this.store.now) } };
    for (const { response } of this.watches) response.write(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
  }

  sendToWatches(text: string | Buffer): void {
    for (const { response } of this.watches) response.write(text);
  }

  get watchCount(): number {
    return this.watches.size;
  }

  writes(): Received[] {
    return this.calls.filter(({ verb }) => verb === 'create' || verb === 'patch' || verb === 'delete');
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await received(request);
    this.calls.push(call);
    const fault = this.fault(call);
    try {
      if (fault !== undefined && 'hang' in fault) return;
      if (fault !== undefined && 'reset' in fault && fault.reset === 'before') throw new Broken();
      if (fault !== undefined && 'refuse' in fault) {
        const { refuse, reason = 'Forbidden', message = `${call.resource} is forbidden` } = fault;
        throw new Refusal(refuse, reason, message);
      }
      if (this.unserved.has(call.resource)) throw new Refusal(404, '', '404 page not found');
      if (call.verb === 'watch') {
        this.watch(call, response);
        return;
      }
      const answer = this.answer(call);
      if (fault !== undefined) throw new Broken();
      await this.hold(call);
      response.writeHead(call.verb === 'create' ? 201 : 200, JSON_TYPE).end(JSON.stringify(answer));
    } catch (error) {
      if (error instanceof Broken) request.socket.destroy();
      else if (error instanceof Refusal) refuse(response, error);
      else throw error;
    }
  }

  private answer(call: Received): JsonObject {
    const { verb, resource, body = {} } = call;
    if (verb === 'get') return this.store.existing(call);
    if (verb === 'list') return this.list(call);
    if (verb === 'create') return this.store.create(resource, body);
    if (verb === 'patch') return this.store.patch(resource, call, body);
    return this.store.delete(resource, call, isObject(body['preconditions']) ? body['preconditions'] : {});
  }

  private list({ resource, namespace, query }: Received): JsonObject {
    const wanted = (query.get('labelSelector') ?? '').split(',').filter((each) => each !== '');
    const all = this.store.list(resource, namespace).filter((object) =>
      wanted.every((each) => {
        const [name = '', value] = each.split('=');
        return stringAt(object, 'metadata', 'labels', name) === value;
      }),
    );
    const from = Number(query.get('continue') ?? 0);
    const to = from + Math.min(this.pageSize, Number(query.get('limit') ?? Number.POSITIVE_INFINITY));
    const rest = to < all.length ? { continue: String(to) } : {};
    return {
      kind: 'List',
      metadata: { resourceVersion: String(this.store.now), ...rest },
      items: all.slice(from, to),
    };
  }

  private watch({ resource, query }: Received, response: ServerResponse): void {
    const from = Number(query.get('resourceVersion'));
    if (from < this.oldest) throw new Refusal(410, 'Expired', `too old resource version: ${from} (${this.oldest})`);
    response.writeHead(200, JSON_TYPE);
    response.flushHeaders();
    const entry = { response, resource };
    this.watches.add(entry);
    response.on('close', () => this.watches.delete(entry));
    for (const change of this.store.changes) if (change.version > from) send(entry, change);
  }

  private tell(change: Change): void {
    for (const entry of this.watches) send(entry, change);
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };

class Broken extends Error {}

function send({ response, resource }: { response: ServerResponse; resource: string }, change: Change): void {
  if (change.resource !== resource) return;
  response.write(`${JSON.stringify({ type: change.type, object: change.object })}\n`);
}

function refuse(response: ServerResponse, { code, reason, message }: Refusal): void {
  if (reason === '') response.writeHead(code, { 'content-type': 'text/plain' }).end(`${message}\n`);
  else {
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
    response.writeHead(code, JSON_TYPE).end(JSON.stringify(status));
  }
}

async function received(request: IncomingMessage): Promise<Received> {
  const url = new URL(request.url ?? '', 'http://loopback');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const place = placeOf(url.pathname);
  const verbs = {
    GET: place.name === undefined ? 'list' : 'get',
    POST: 'create',
    PATCH: 'patch',
    DELETE: 'delete',
  } as const;
  const verb = url.searchParams.has('watch') ? 'watch' : verbs[request.method as keyof typeof verbs];
  const { headers, socket } = request;
  const port = socket.remotePort;
  return { ...place, verb, query: url.searchParams, headers, body: text === '' ? undefined : JSON.parse(text), port };
}

function placeOf(path: string): Place {
  const [, first, ...rest] = path.split('/').map(decodeURIComponent);
  const group = first === 'api' ? rest.splice(0, 1) : rest.splice(0, 2);
  const namespace = rest[0] === 'namespaces' && rest.length > 2 ? rest.splice(0, 2)[1] : undefined;
  const [plural = '', name, subresource] = rest;
  return { collection: path, resource: `${group.join('/')}/${plural}`, namespace, name, subresource };
}
