import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildTools, TOOL_NAMES, toolFolder } from '../tools/build.mjs';
import { serveCharts } from './plane/chart.ts';
import { startControlPlane } from './plane/control.plane.ts';
import { startCrossplane } from './plane/crossplane.ts';
import { root } from './plane/manifests.ts';
import { installPackage } from './plane/package.ts';
import { admin, type Plane } from './plane/plane.ts';
import { startTeardown } from './plane/teardown.ts';

declare module 'vitest' {
  interface ProvidedContext {
    plane: Plane;
  }
}

/** Shorter than the defaults, so that what takes minutes in a cluster takes seconds here. */
const QUICK = {
  intervals: { probe: '10s', grace: '8s', deletionDeadline: '1m' },
  retry: { base: '5s', cap: '20s' },
  ttl: { steady: '10s', pending: '2s' },
};

/** Starts everything once for all test files. The guard ends it when this process is gone, whatever became of it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  buildTools();
  const folder = mkdtempSync(join(tmpdir(), 'e2e-'));
  const guard = spawn(process.execPath, [join(import.meta.dirname, 'plane/guard.mjs'), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => guard.on('exit', () => resolve()));
  const started = performance.now();
  const tools = Object.fromEntries(TOOL_NAMES.map((name) => [name, toolFolder(name)]));
  const stop = async () => {
    keepLogs(folder);
    guard.stdin?.end();
    await ended;
  };
  try {
    const bare = await startControlPlane(folder, tools);
    const { server, url } = await serveCharts(folder);
    const plane: Plane = { ...bare, chartRepository: url };
    await startCrossplane(plane);
    await startTeardown(plane, admin(plane));
    await installPackage(admin(plane), { chart: { repository: url }, ...QUICK });
    process.stdout.write(`started the plane in ${Math.round((performance.now() - started) / 1000)} s\n`);
    project.provide('plane', plane);
    return async () => {
      server.close();
      await stop();
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** For whoever looks into a failure afterwards. */
function keepLogs(folder: string): void {
  const kept = join(root, '.artifacts/e2e-logs');
  rmSync(kept, { recursive: true, force: true });
  if (existsSync(join(folder, 'logs'))) cpSync(join(folder, 'logs'), kept, { recursive: true });
}
