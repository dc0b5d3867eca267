import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const BUNDLE = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [key: string]: unknown;
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built bundle in a process of its own, without the environment of the test run. */
export class Program {
  readonly process: ChildProcess;
  stdout = '';
  stderr = '';
  private readonly ended: Promise<Finished>;

  constructor(args: readonly string[], environment: Record<string, string> = {}, bundle = BUNDLE) {
    this.process = spawn(process.execPath, [bundle, ...args], { env: { PATH: process.env['PATH'], ...environment } });
    this.process.stdout?.on('data', (chunk) => (this.stdout += chunk));
    this.process.stderr?.on('data', (chunk) => (this.stderr += chunk));
    this.ended = once(this.process, 'close').then(([code, signal]) => ({
      code,
      signal,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
  }

  finished(): Promise<Finished> {
    return this.ended;
  }

  log(): LogLine[] {
    const lines = this.stderr.split('\n').slice(0, -1);
    return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  }

  async logged(message: string, milliseconds = 10_000): Promise<LogLine> {
    return until(
      `log line "${message}"`,
      () => this.log().find((line) => line.msg === message),
      milliseconds,
      () => {
        if (this.process.exitCode !== null) throw new Error(`the program ended: ${this.stderr}`);
      },
    );
  }

  async stop(): Promise<Finished> {
    this.process.kill('SIGTERM');
    return this.finished();
  }
}

/** A program for one test, killed at the end of it. */
export async function serving(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Program & { readonly port: number; readonly httpPort: number } & AsyncDisposable> {
  const program = new Program(['--address=127.0.0.1:0', '--http-address=127.0.0.1:0', ...args], environment);
  const line = await program.logged('serving');
  return Object.assign(program, {
    port: Number(line['port']),
    httpPort: Number(line['httpPort']),
    async [Symbol.asyncDispose]() {
      program.process.kill('SIGKILL');
      await program.finished();
    },
  });
}

export async function until<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  milliseconds = 10_000,
  check: () => void = () => undefined,
): Promise<T> {
  const deadline = Date.now() + milliseconds;
  while (Date.now() < deadline) {
    const found = await look();
    if (found !== undefined) return found;
    check();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`no ${what} within ${milliseconds} ms`);
}
