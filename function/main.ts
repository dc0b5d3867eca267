import { writeSync } from 'node:fs';
import { type Command, ExitCode, type Host } from './command.ts';

/** Loaded on demand: a preview needs no logger, a server no YAML. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./server/command.ts')).serve,
  preview: async () => (await import('./preview/command.ts')).preview,
};

const USAGE = `Usage: main.js [serve] [flags]    answer Crossplane's calls (the default)
       main.js preview [FILE] [flags]  print what a PlatformInstance composes
Every command explains its flags with --help.
`;

/** Without a command the flags are those of serve: Crossplane starts a function with no arguments or with --insecure. */
async function run(args: readonly string[], host: Host): Promise<number> {
  const [first = 'serve', ...rest] = args;
  if (first === 'help') {
    host.print(USAGE);
    return ExitCode.Ok;
  }
  const named = !first.startsWith('-');
  const name = named ? first : 'serve';
  if (!Object.hasOwn(COMMANDS, name)) {
    host.complain(`unknown command ${JSON.stringify(name)}, want one of ${Object.keys(COMMANDS).join(', ')}`);
    return ExitCode.Usage;
  }
  const command = await COMMANDS[name]?.();
  return command === undefined ? ExitCode.Usage : command(named ? rest : args, host);
}

function stopOnSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

/** Writes at once: process.exit would drop what is still buffered for a pipe. */
function writeTo(descriptor: number): (text: string) => void {
  return (text) => {
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length; ) {
      try {
        written += writeSync(descriptor, bytes, written);
      } catch (error) {
        // A pipe of a slow reader; a closed one ends the command.
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      }
    }
  };
}

const complain = (line: string) => writeTo(2)(`${line}\n`);

/** The text of an unexpected error may quote what a request held, so only its name and its frames are told. */
function crash(error: unknown): void {
  const frames = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : [];
  complain(
    `cannot go on: ${error instanceof Error ? error.name : typeof error}${frames.map((line) => `\n${line}`).join('')}`,
  );
  process.exit(ExitCode.Failed);
}

process.on('uncaughtException', crash);
process.on('unhandledRejection', crash);
process.exit(
  await run(process.argv.slice(2), { environment: process.env, stop: stopOnSignal(), print: writeTo(1), complain }),
);
