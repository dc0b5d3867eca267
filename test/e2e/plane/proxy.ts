import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request, type Server } from 'node:https';
import { join } from 'node:path';
import type { Plane } from './plane.ts';

export interface Proxy {
  readonly url: string;
  readonly server: Server;
}

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Passes everything on to the API server, and calls `written` when a write was answered, before the answer goes back. */
export async function startProxy(plane: Plane, written: () => void): Promise<Proxy> {
  const folder = join(plane.folder, 'apiserver');
  const identity = { cert: readFileSync(join(folder, 'tls.crt')), key: readFileSync(join(folder, 'tls.key')) };
  const server = createServer(identity, (incoming, outgoing) => pass(plane, incoming, outgoing, written));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, url: `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` };
}

function pass(plane: Plane, incoming: IncomingMessage, outgoing: ServerResponse, written: () => void): void {
  const { host: _, ...headers } = incoming.headers;
  const asked = request(`${plane.server}${incoming.url}`, {
    method: incoming.method,
    headers,
    ca: plane.certificateAuthority,
  });
  asked.on('error', () => outgoing.destroy());
  asked.on('response', (answer) => {
    if (WRITES.has(incoming.method ?? '')) written();
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
    answer.on('error', () => outgoing.destroy());
  });
  outgoing.on('close', () => asked.destroy());
  incoming.pipe(asked);
}
