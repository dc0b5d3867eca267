import { type Command, ExitCode } from '../command.ts';
import { readFlags } from '../flags.ts';
import { createLog } from './log.ts';
import { readServeOptions, SERVE_FLAGS, SERVE_USAGE } from './options.ts';
import { serveUntil } from './serve.ts';

export const serve: Command = async (args, host) => {
  const flags = readFlags(args, SERVE_FLAGS, SERVE_USAGE);
  if ('help' in flags) {
    host.print(flags.help);
    return ExitCode.Ok;
  }
  const read = 'problem' in flags ? flags : readServeOptions(flags.parsed, host.environment);
  if ('problem' in read) {
    host.complain(`cannot serve: ${read.problem}`);
    return ExitCode.Usage;
  }
  try {
    await serveUntil(host.stop, read.options, createLog(read.options.debug));
    return ExitCode.Ok;
  } catch (error) {
    host.complain(error instanceof Error ? error.message : String(error));
    return ExitCode.Failed;
  }
};
