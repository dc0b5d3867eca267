import { type Command, ExitCode, type Host } from './command.ts';

/** Loaded on demand: a preview needs no logger, a server no YAML. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./server/command.ts')).serve,
  preview: async () => (await import('./preview/command.ts')).preview,
  // A bundle of its own: the Kubernetes client is larger than all the rest.
  teardown: async () => (await import('./teardown.js')).teardown,
};

const USAGE = `Usage: main.js [serve] [flags]    answer Crossplane's calls (the default)
       main.js preview [FILE] [flags]  print what a PlatformInstance composes
       main.js teardown [flags]        take deleted PlatformInstances apart, in their cluster
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

// Node writes to pipes, files and terminals at once on Linux and macOS, so an exit right afterwards loses nothing.
const print = (text: string) => void process.stdout.write(text);
const complain = (line: string) => void process.stderr.write(`${line}\n`);

/** The text of an unexpected error may quote what a request held, so only its name and its frames are told. */
function crash(error: unknown): void {
  // Whoever read our output has enough of it, such as `head`.
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'EPIPE') process.exit(ExitCode.Failed);
  const frames = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : [];
  complain(
    `cannot go on: ${error instanceof Error ? error.name : typeof error}${frames.map((line) => `\n${line}`).join('')}`,
  );
  process.exit(ExitCode.Failed);
}

process.on('uncaughtException', crash);
process.on('unhandledRejection', crash);
process.exit(await run(process.argv.slice(2), { environment: process.env, stop: stopOnSignal(), print, complain }));
