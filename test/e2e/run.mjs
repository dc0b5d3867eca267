#!/usr/bin/env node
// Builds the real components unless the cache has them, then runs the end-to-end tests on them.
//   node test/e2e/run.mjs [arguments of vitest]
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildTools } from '../tools/build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

buildTools();
const args = ['vitest', 'run', '--config', 'test/e2e/vitest.config.ts', ...process.argv.slice(2)];
const tests = spawn('npx', args, { cwd: root, stdio: 'inherit' });
tests.on('exit', (code, signal) => {
  process.exitCode = signal === null ? (code ?? 1) : 1;
});
