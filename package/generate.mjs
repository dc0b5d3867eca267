#!/usr/bin/env node
// Writes the files that come from the schemas in function/api. With --check it writes nothing, and says which are stale.
//   node package/generate.mjs [--check] [--root FOLDER]
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const repository = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, root: { type: 'string', default: repository } },
});

const files = await generatedFiles();
const stale = files.filter(({ path, content }) => contentOf(join(values.root, path)) !== content);
if (values.check) report();
else for (const { path, content } of stale) write(join(values.root, path), content);

/** Node 20 does not run TypeScript. */
async function generatedFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'generate-'));
  try {
    const outfile = join(folder, 'generate.cjs');
    await build({
      entryPoints: [join(repository, 'function/api/generate.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node20',
      logLevel: 'warning',
    });
    return createRequire(import.meta.url)(outfile).generatedFiles();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function contentOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  process.stdout.write(`wrote ${path}\n`);
}

function report() {
  for (const { path } of stale) process.stderr.write(`${path} is stale: run npm run generate\n`);
  process.exitCode = stale.length > 0 ? 1 : 0;
}
