// Bundles the benchmark as the function itself is bundled, and runs it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
try {
  const outfile = join(folder, 'bench.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['test/bench/bench.ts'],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'warning',
    alias: { jsonpath: join(root, 'function/sdk/jsonpath.ts') },
    banner: { js: "import { createRequire as r } from 'node:module';const require = r(import.meta.url);" },
  });
  await import(pathToFileURL(outfile).href);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
