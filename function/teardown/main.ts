import { type Command, ExitCode } from '../command.ts';
import { blocked, lookups, planTeardown } from '../core/teardown/index.ts';
import { readFlags } from '../flags.ts';
import { createLog } from '../server/log.ts';
import { readTeardownOptions, TEARDOWN_FLAGS, TEARDOWN_USAGE } from './options.ts';
import { teardownUntil } from './run.ts';

export const teardown: Command = async (args, host) => {
  const flags = readFlags(args, TEARDOWN_FLAGS, TEARDOWN_USAGE);
  if ('help' in flags) {
    host.print(flags.help);
    return ExitCode.Ok;
  }
  const read = 'problem' in flags ? flags : readTeardownOptions(flags.parsed, host.environment);
  if ('problem' in read) {
    host.complain(`cannot tear down: ${read.problem}`);
    return ExitCode.Usage;
  }
  try {
    await teardownUntil(host.stop, read.options, createLog(read.options.debug), { lookups, planTeardown, blocked });
    return ExitCode.Ok;
  } catch (error) {
    host.complain(error instanceof Error ? error.message : String(error));
    return ExitCode.Failed;
  }
};
