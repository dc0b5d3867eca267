import { type Command, ExitCode, type Host } from '../command.ts';
import { type Flags, type ParsedFlags, readFlags } from '../flags.ts';
import { encodeRequest } from '../wire/caller/request.ts';
import { decodeResponse } from '../wire/caller/response.ts';
import { Severity } from '../wire/messages.ts';
import { withFunction } from './call.ts';
import { tellDeletion } from './deleting.ts';
import { type Inputs, readInputs } from './inputs.ts';
import { beforeDeletion } from './inventory.ts';
import { formatProblem } from './problems.ts';
import { render } from './render.ts';
import { firstRequest, nextRequest } from './request.ts';
import { settle } from './settle.ts';
import { printYaml } from './yaml.ts';

const USAGE = `Usage: main.js preview [FILE] [flags]

Prints what the PlatformInstance in FILE composes, its status and the results, as YAML and without a cluster; with
--deleting, in words, what deleting it would destroy and what it would keep.
Files have the formats of \`crossplane composition render\`.`;

const EXAMPLE = 'examples/minimal/xr.yaml';

const FLAGS: Flags = {
  observed: {
    type: 'string',
    short: 'o',
    multiple: true,
    value: 'PATH',
    help: 'composed resources that exist, a YAML file or a folder of them; may be given again',
  },
  required: {
    type: 'string',
    short: 'e',
    multiple: true,
    value: 'PATH',
    help: 'other resources that exist and that the function may ask for; may be given again',
  },
  settings: { type: 'string', value: 'FILE', help: "the pipeline step's input" },
  schemas: {
    type: 'string',
    short: 's',
    value: 'DIR',
    help: 'OpenAPI v3 documents of the kinds that the API server serves',
  },
  deleting: {
    type: 'boolean',
    help: 'tell what deleting the instance destroys and keeps: all that it may have, or what --observed and --required show',
  },
  now: {
    type: 'string',
    value: 'TIME',
    help: 'time of the preview, for an instance with a creationTimestamp (default now)',
  },
};

export const preview: Command = async (args, host) => {
  const flags = readFlags(args, FLAGS, USAGE);
  if ('help' in flags) {
    host.print(flags.help);
    return ExitCode.Ok;
  }
  const problem = 'problem' in flags ? flags.problem : misuse(flags.parsed);
  if (problem !== undefined || !('parsed' in flags)) {
    host.complain(`cannot preview: ${problem}`);
    return ExitCode.Usage;
  }
  return previewFiles(flags.parsed, host);
};

function misuse(flags: ParsedFlags): string | undefined {
  if (flags.operands.length > 1) return `one FILE is previewed at a time, not ${flags.operands.length}`;
  const now = flags.text('now');
  return now !== undefined && Number.isNaN(Date.parse(now))
    ? `--now must be a time, not ${JSON.stringify(now)}`
    : undefined;
}

async function previewFiles(flags: ParsedFlags, host: Host): Promise<number> {
  const [instance = EXAMPLE] = flags.operands;
  if (flags.operands.length === 0) host.complain(`no FILE is given, so this is a preview of ${EXAMPLE}`);
  const inputs = readInputs({
    instance,
    observed: flags.texts('observed'),
    required: flags.texts('required'),
    settings: flags.text('settings'),
    schemas: flags.text('schemas'),
  });
  if ('problems' in inputs) {
    for (const problem of inputs.problems) host.complain(formatProblem(problem));
    return ExitCode.Failed;
  }
  const now = flags.text('now');
  try {
    const clock = now === undefined ? Date.now : () => Date.parse(now);
    return await previewInputs(inputs, { clock, isDeleting: flags.on('deleting') }, host, instance);
  } catch (error) {
    host.complain(`cannot preview ${instance}: ${error instanceof Error ? error.message : String(error)}`);
    return ExitCode.Failed;
  }
}

interface Wish {
  readonly clock: () => number;
  readonly isDeleting: boolean;
}

async function previewInputs(
  inputs: Inputs,
  { clock, isDeleting }: Wish,
  host: Host,
  instance: string,
): Promise<number> {
  const asked = isDeleting ? beforeDeletion(inputs) : inputs;
  const response = await withFunction(clock, (call) =>
    settle(
      firstRequest(asked),
      async (request) => decodeResponse(await call(Buffer.from(encodeRequest(request)))),
      (request, answered) => nextRequest(request, answered.requirements, answered.context, asked),
    ),
  );
  const fatal = response.results.filter((result) => result.severity === Severity.Fatal);
  for (const result of fatal) host.complain(`cannot preview ${instance}: ${result.message}`);
  if (fatal.length > 0) return ExitCode.Failed;
  host.print(isDeleting ? tellDeletion(inputs, response, clock()) : printYaml(render(inputs, response)));
  return ExitCode.Ok;
}
