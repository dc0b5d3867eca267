// Bundles the function: one file without node_modules, so that the image is Node and this.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MAIN_LIMIT = 1024 * 1024;

const bundles = [
  { source: 'function/main.ts', output: 'dist/main.js', limit: MAIN_LIMIT },
  { source: 'function/teardown/main.ts', output: 'dist/teardown.js', limit: undefined },
].filter(({ source }) => existsSync(join(root, source)));

if (process.argv.includes('--if-stale') && !isStale()) process.exit(0);

for (const { source, output, limit } of bundles) {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [source],
    outfile: output,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
    // teardown is loaded at run time, and only for its own command
    external: ['./teardown.js'],
    alias: { jsonpath: join(root, 'function/sdk/jsonpath.ts') },
    // Some dependencies are CommonJS and ask for Node's own modules with require.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
    },
  });
  const { bytes } = result.metafile.outputs[output];
  // Standard output belongs to what is run after the build, such as a preview that goes into a file.
  process.stderr.write(`${output} ${Math.round(bytes / 1024)} KB\n`);
  if (limit !== undefined && bytes > limit) {
    process.stderr.write(`cannot build ${output}: ${bytes} bytes are over the budget of ${limit}\n`);
    process.exit(1);
  }
}

function isStale() {
  const built = bundles.map(({ output }) => join(root, output));
  if (!built.every(existsSync)) return true;
  const oldest = Math.min(...built.map((file) => statSync(file).mtimeMs));
  return newest(join(root, 'function'), join(root, 'package/build.mjs'), join(root, 'package-lock.json')) > oldest;
}

function newest(folder, ...files) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const all = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Math.max(...[...all, ...files].map((file) => statSync(file).mtimeMs));
}
