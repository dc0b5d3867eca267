import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { root } from './manifests.ts';

/** Its StatefulSet is one that the API server refuses to make out of that of another version. */
export const REFUSED_VERSION = '0.36.3';
/** The versions that the repository serves; the others differ in nothing but that. */
export const CHART_VERSIONS = ['0.36.1', '0.36.2', REFUSED_VERSION];

const NAME = 'vcluster';

/** A Helm repository on loopback with our chart in it. */
export async function serveCharts(folder: string): Promise<{ readonly server: Server; readonly url: string }> {
  const files = new Map(CHART_VERSIONS.map((version) => [`/${NAME}-${version}.tgz`, packed(folder, version)]));
  const tls = (name: string) => readFileSync(join(folder, 'apiserver', name));
  const server = createServer({ cert: tls('tls.crt'), key: tls('tls.key') }, (request, response) => {
    const content = request.url === '/index.yaml' ? index() : files.get(request.url ?? '');
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('cannot serve charts: no port');
  return { server, url: `https://127.0.0.1:${address.port}` };
}

function packed(folder: string, version: string): Buffer {
  mkdirSync(join(folder, 'chart'), { recursive: true });
  const place = mkdtempSync(join(folder, 'chart', 'build-'));
  const chart = join(place, NAME);
  cpSync(join(root, 'test/e2e/chart'), chart, { recursive: true });
  cpSync(join(root, 'test/fixtures/chart-values.schema.json'), join(chart, 'values.schema.json'));
  const description = readFileSync(join(chart, 'Chart.yaml'), 'utf8');
  writeFileSync(join(chart, 'Chart.yaml'), description.replace(/^version: .*$/m, `version: ${version}`));
  if (version === REFUSED_VERSION) {
    const templates = join(chart, 'templates/control-plane.yaml');
    const text = readFileSync(templates, 'utf8');
    writeFileSync(templates, text.replace('podManagementPolicy: Parallel', 'podManagementPolicy: OrderedReady'));
  }
  const file = join(place, 'chart.tgz');
  execFileSync('tar', ['-czf', file, '-C', place, NAME]);
  return readFileSync(file);
}

function index(): string {
  const entry = (version: string) => ({ apiVersion: 'v2', name: NAME, version, urls: [`${NAME}-${version}.tgz`] });
  return JSON.stringify({ apiVersion: 'v1', entries: { [NAME]: CHART_VERSIONS.map(entry) } });
}
