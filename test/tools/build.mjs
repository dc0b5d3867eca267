#!/usr/bin/env node
// Builds the real components of the end-to-end tests from Go modules: one module per folder beside this file, each with
// its own go.mod and go.sum. What is built stays in a cache folder under a name made from all that goes in.
//   node test/tools/build.mjs [tool ...]
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const cache = process.env.E2E_TOOLS_CACHE ?? join(here, '../../.cache/tools');

const CROSSPLANE = 'github.com/crossplane/crossplane';
const HELM = 'github.com/crossplane-contrib/provider-helm';
const KUBERNETES = 'github.com/crossplane-contrib/provider-kubernetes';

// A manager of controller-runtime that is told nothing serves metrics on port 8080 of every address; `0` serves none.
const NO_METRICS = { 'sigs.k8s.io/controller-runtime/pkg/metrics/server.DefaultBindAddress': '0' };

/**
 * module: the one whose version is stamped into the binaries; stamps: linker variable -> text, where {whole}, {major} and
 * {minor} stand for that version; files: what is copied out of the module's source, target folder -> path.
 */
const TOOLS = {
  etcd: { module: 'go.etcd.io/etcd/server/v3', stamps: {}, files: {} },
  kubernetes: {
    module: 'k8s.io/kubernetes',
    // The API server reports these on /version, and Helm puts them into .Capabilities.KubeVersion.
    stamps: {
      'k8s.io/component-base/version.gitVersion': '{whole}',
      'k8s.io/component-base/version.gitMajor': '{major}',
      'k8s.io/component-base/version.gitMinor': '{minor}',
    },
    files: {},
  },
  crossplane: {
    module: `${CROSSPLANE}/v2`,
    stamps: { 'github.com/crossplane/crossplane-runtime/v2/pkg/version.version': '{whole}', ...NO_METRICS },
    files: { crds: 'cluster/crds', 'chart-templates': 'cluster/charts/crossplane/templates' },
  },
  'crossplane-cli': {
    module: 'github.com/crossplane/cli/v2',
    stamps: { 'github.com/crossplane/crossplane-runtime/v2/pkg/version.version': '{whole}' },
    files: {},
  },
  'provider-kubernetes': {
    module: KUBERNETES,
    stamps: { [`${KUBERNETES}/internal/version.Version`]: '{whole}' },
    files: { crds: 'package/crds' },
  },
  'provider-helm': {
    module: HELM,
    stamps: {
      [`${HELM}/pkg/version.Version`]: '{whole}',
      // Pulled charts are kept by name and version for ever; in the working directory they go with the test run.
      [`${HELM}/pkg/clients/helm.chartCache`]: 'charts',
      ...NO_METRICS,
    },
    files: { crds: 'package/crds' },
  },
};

export const TOOL_NAMES = Object.keys(TOOLS);

/** The folder with a tool's binaries and files, whether it exists or not. */
export function toolFolder(tool) {
  return join(cache, `${tool}-${fingerprint(tool)}`);
}

/** Builds the named tools, all when none is named, unless the cache has them. */
export function buildTools(names = TOOL_NAMES) {
  for (const tool of names) {
    if (!(tool in TOOLS)) throw new Error(`cannot build ${tool}: it is not one of ${TOOL_NAMES.join(', ')}`);
    if (!existsSync(toolFolder(tool))) build(tool);
  }
}

function build(tool) {
  const started = Date.now();
  process.stdout.write(`building ${tool} ...\n`);
  const target = toolFolder(tool);
  const unfinished = `${target}.${process.pid}`;
  mkdirSync(join(unfinished, 'bin'), { recursive: true });
  try {
    compile(tool, join(unfinished, 'bin'));
    copyFiles(tool, unfinished);
    removeOlder(tool);
    renameSync(unfinished, target);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  process.stdout.write(`built ${tool} in ${Math.round((Date.now() - started) / 1000)} s\n`);
}

function compile(tool, folder) {
  const args = ['build', '-trimpath', `-ldflags=${linkerFlags(tool)}`, '-o', `${folder}/`, 'tool'];
  const { status, error } = spawnSync('go', args, { cwd: join(here, tool), env: goEnvironment(), stdio: 'inherit' });
  if (error !== undefined) throw new Error(`cannot build ${tool}: ${error.message}`);
  if (status !== 0) throw new Error(`cannot build ${tool}: go build ended with status ${status}`);
}

function linkerFlags(tool) {
  const { module, stamps } = TOOLS[tool];
  const whole = go(tool, 'list', '-m', '-f', '{{.Version}}', module);
  const [major, minor] = whole.slice(1).split('.');
  const filled = (text) => text.replace('{whole}', whole).replace('{major}', major).replace('{minor}', minor);
  return ['-s', '-w', ...Object.entries(stamps).map(([variable, text]) => `-X ${variable}=${filled(text)}`)].join(' ');
}

function copyFiles(tool, folder) {
  const { module, files } = TOOLS[tool];
  for (const [name, path] of Object.entries(files)) {
    const source = go(tool, 'list', '-m', '-f', '{{.Dir}}', module);
    cpSync(join(source, path), join(folder, name), { recursive: true });
    // The module cache is read-only, and so is its copy.
    execFileSync('chmod', ['-R', 'u+w', join(folder, name)]);
  }
}

function removeOlder(tool) {
  const ours = new RegExp(`^${tool}-[0-9a-f]{16}$`);
  for (const name of readdirSync(cache).filter((entry) => ours.test(entry)))
    rmSync(join(cache, name), { recursive: true });
}

function fingerprint(tool) {
  const hash = createHash('sha256').update(JSON.stringify(TOOLS[tool]));
  for (const file of sources(join(here, tool))) hash.update(file.slice(here.length)).update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

function sources(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function go(tool, ...args) {
  return execFileSync('go', args, { cwd: join(here, tool), env: goEnvironment(), encoding: 'utf8' }).trim();
}

function goEnvironment() {
  return { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2);
  buildTools(names.length > 0 ? names : undefined);
}
