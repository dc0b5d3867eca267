import { createServer, type RequestListener, type Server } from 'node:http';
import { hostAndPort } from './address.ts';
import type { Metrics } from './metrics.ts';

/** /metrics, /healthz (the process answers) and /readyz (it does its work). */
export function createHttpServer(metrics: Pick<Metrics, 'text' | 'contentType'>, ready: () => boolean): Server {
  const plain = 'text/plain; charset=utf-8';
  const routes: Readonly<Record<string, RequestListener>> = {
    '/healthz': (_, response) => response.writeHead(200, { 'content-type': plain }).end('ok\n'),
    '/readyz': (_, response) =>
      ready()
        ? response.writeHead(200, { 'content-type': plain }).end('ok\n')
        : response.writeHead(503, { 'content-type': plain }).end('not serving\n'),
    '/metrics': (_, response) => {
      metrics.text().then(
        (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    },
  };
  return createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*$/, '');
    if (request.method !== 'GET' && request.method !== 'HEAD') response.writeHead(405, { allow: 'GET, HEAD' }).end();
    else if (Object.hasOwn(routes, path)) routes[path]?.(request, response);
    else response.writeHead(404).end();
  });
}

/** Answers the port. */
export function listenHttp(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(hostAndPort(address), () => {
      server.removeListener('error', reject);
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : 0);
    });
  });
}
