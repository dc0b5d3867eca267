import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { isObject, type JsonObject, stringAt } from '../../function/json.ts';
import { toolFolder } from '../tools/build.mjs';
import { root } from './plane/manifests.ts';

const MAIN = join(root, 'dist/main.js');
const COMPOSITION = join(root, 'package/configuration/composition.yaml');
const DEFINITION = join(root, 'package/configuration/definition.yaml');
const STAGES = ['', 'provisioning', 'installing', 'ready'] as const;

const examples = readdirSync(join(root, 'examples')).filter((name) =>
  existsSync(join(root, 'examples', name, 'xr.yaml')),
);

let folder = '';
let functions = '';
let server: ChildProcess | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'render-'));
  const [port, http] = [await freePort(), await freePort()];
  const args = ['serve', '--insecure', '--address', `127.0.0.1:${port}`, '--http-address', `127.0.0.1:${http}`];
  server = spawn(process.execPath, [MAIN, ...args], { stdio: 'ignore' });
  functions = join(folder, 'functions.yaml');
  writeFileSync(
    functions,
    stringify({
      apiVersion: 'pkg.crossplane.io/v1',
      kind: 'Function',
      metadata: {
        name: 'di-framework-function-platform-instance',
        annotations: {
          'render.crossplane.io/runtime': 'Development',
          'render.crossplane.io/runtime-development-target': `127.0.0.1:${port}`,
        },
      },
      spec: { package: 'example.org/function-platform-instance:v0' },
    }),
  );
});

afterAll(() => {
  server?.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

/** What the real reconciler, run once by the render command, makes of the files: its output without events. */
function render(xr: string, extra: readonly string[] = []): JsonObject[] {
  const cli = join(toolFolder('crossplane-cli'), 'bin/crossplane');
  const engine = `--crossplane-binary=${join(toolFolder('crossplane'), 'bin/crossplane')}`;
  const args = ['composition', 'render', xr, COMPOSITION, functions, engine, `--xrd=${DEFINITION}`, ...extra];
  return documents(execFileSync(cli, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }));
}

function preview(xr: string, extra: readonly string[] = []): JsonObject[] {
  const args = [MAIN, 'preview', xr, ...extra];
  const output = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return documents(output).filter((document) => document['kind'] !== 'Result');
}

function documents(text: string): JsonObject[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as unknown)
    .filter(isObject);
}

interface Case {
  readonly name: string;
  readonly xr: string;
  readonly renderFlags: readonly string[];
  readonly previewFlags: readonly string[];
}

function cases(example: string): Case[] {
  const base = join(root, 'examples', example);
  return STAGES.flatMap((stage) => {
    const observed = join(base, 'observed', stage);
    const required = join(base, 'required', stage);
    if (stage !== '' && !existsSync(observed)) return [];
    const hasRequired = stage === '' ? existsSync(required) && hasFiles(required) : existsSync(required);
    return [
      {
        name: `${example}${stage === '' ? '' : `, ${stage}`}`,
        xr: join(base, 'xr.yaml'),
        renderFlags: [
          ...(stage === '' ? [] : [`--observed-resources=${observed}`]),
          ...(hasRequired ? [`--required-resources=${required}`] : []),
        ],
        previewFlags: [
          ...(stage === '' ? [] : ['--observed', observed]),
          ...(hasRequired ? ['--required', required] : []),
        ],
      },
    ];
  });
}

function hasFiles(path: string): boolean {
  return readdirSync(path).some((name) => name.endsWith('.yaml'));
}

describe.each(examples.flatMap(cases))(
  'crossplane composition render of $name',
  ({ xr, renderFlags, previewFlags }) => {
    it('prints what our own preview prints', () => {
      const real = render(xr, renderFlags);
      expect(real.length).toBeGreaterThan(1);
      expect(preview(xr, previewFlags)).toEqual(real);
    });

    it('is a fixed point: its output as observed gives its output again', () => {
      const [, ...composed] = render(xr, renderFlags);
      const observed = mkdtempSync(join(folder, 'observed-'));
      mkdirSync(observed, { recursive: true });
      const withStatus = new Map(observedFiles(renderFlags).map((resource) => [keyOf(resource), resource]));
      for (const [index, resource] of composed.entries()) {
        const status = withStatus.get(keyOf(resource))?.['status'];
        const whole = status === undefined ? resource : { ...resource, status };
        writeFileSync(join(observed, `${index}.yaml`), stringify(whole));
      }
      const flags = [
        ...renderFlags.filter((flag) => !flag.startsWith('--observed')),
        `--observed-resources=${observed}`,
      ];
      const [, ...again] = render(xr, flags);
      expect(again).toEqual(composed);
    });
  },
);

function observedFiles(flags: readonly string[]): JsonObject[] {
  const path = flags.find((flag) => flag.startsWith('--observed-resources='))?.split('=')[1];
  if (path === undefined) return [];
  return readdirSync(path).flatMap((name) => documents(readFileSync(join(path, name), 'utf8')));
}

function keyOf(resource: JsonObject): string {
  return stringAt(resource, 'metadata', 'annotations', 'crossplane.io/composition-resource-name') ?? '';
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
