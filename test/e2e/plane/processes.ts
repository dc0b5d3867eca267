import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { eventually } from './eventually.ts';

/** A program of the plane. It leads a process group of its own, which is ended as a whole. */
export interface ProcessSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

interface ProcessRecord extends ProcessSpec {
  readonly pid: number;
}

const STOP_MS = 10_000;

/** What runs is written down in files, so that the tests' processes and the guard agree on it. */
export function startProcess(folder: string, spec: ProcessSpec): void {
  for (const name of ['processes', 'logs']) mkdirSync(join(folder, name), { recursive: true });
  const log = openSync(logFile(folder, spec.name), 'a');
  // NODE_* of the test runner would reach our own programs.
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(NODE|VITEST)/.test(name)));
  const child = spawn(spec.command, spec.args, {
    detached: true,
    stdio: ['ignore', log, log],
    cwd: folder,
    env: { ...inherited, HOME: folder, ...spec.env },
  });
  closeSync(log);
  child.on('error', () => undefined);
  child.unref();
  if (child.pid === undefined) throw new Error(`cannot start ${spec.name}: ${spec.command} does not run`);
  const record: ProcessRecord = { ...spec, pid: child.pid };
  writeFileSync(recordFile(folder, spec.name), JSON.stringify(record));
}

/** Returns what it takes to start it again. */
export async function stopProcess(
  folder: string,
  name: string,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<ProcessSpec> {
  const { pid, ...spec } = readRecord(folder, name);
  kill(pid, signal);
  const gone = await eventually(() => !kill(pid, 0), STOP_MS).catch(() => false);
  if (!gone) kill(pid, 'SIGKILL');
  rmSync(recordFile(folder, name));
  return spec;
}

export async function restartProcess(
  folder: string,
  name: string,
  signal: NodeJS.Signals = 'SIGTERM',
  change: (spec: ProcessSpec) => ProcessSpec = (spec) => spec,
): Promise<void> {
  startProcess(folder, change(await stopProcess(folder, name, signal)));
}

/** The last lines that a program wrote, for the message of a failed test. */
export function logTail(folder: string, name: string, lines = 25): string {
  const file = logFile(folder, name);
  const text = existsSync(file) ? readFileSync(file, 'utf8').trimEnd() : '(no log)';
  return [`--- ${name} ---`, ...text.split('\n').slice(-lines)].join('\n');
}

export function isRunning(folder: string, name: string): boolean {
  return existsSync(recordFile(folder, name)) && kill(readRecord(folder, name).pid, 0);
}

export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function readRecord(folder: string, name: string): ProcessRecord {
  return JSON.parse(readFileSync(recordFile(folder, name), 'utf8'));
}

function recordFile(folder: string, name: string): string {
  return join(folder, 'processes', `${name}.json`);
}

function logFile(folder: string, name: string): string {
  return join(folder, 'logs', `${name}.log`);
}

/** False when the group is gone. */
function kill(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}
