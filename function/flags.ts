import { type ParseArgsConfig, parseArgs } from 'node:util';

export interface Flag {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** name of the value in the help text */
  readonly value?: string;
  readonly help: string;
}

export type Flags = Readonly<Record<string, Flag>>;

export interface ParsedFlags {
  readonly text: (name: string) => string | undefined;
  readonly texts: (name: string) => readonly string[];
  readonly on: (name: string) => boolean;
  readonly operands: readonly string[];
}

export type FlagsOutcome = { readonly parsed: ParsedFlags } | { readonly help: string } | { readonly problem: string };

const HELP: Flag = { type: 'boolean', short: 'h', help: 'explain the flags' };

/** Long flags as `--flag value` or `--flag=value`; a flag that is given twice counts as given last. */
export function readFlags(args: readonly string[], flags: Flags, usage: string): FlagsOutcome {
  const known: Flags = { ...flags, help: HELP };
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: Object.fromEntries(Object.entries(known).map(([name, flag]) => [name, option(flag)])),
      allowPositionals: true,
    });
    if (values['help'] === true) return { help: helpText(known, usage) };
    return {
      parsed: {
        text: (name) => lastText(values[name]),
        texts: (name) => [values[name] ?? []].flat().filter((value) => typeof value === 'string'),
        on: (name) => values[name] === true,
        operands: positionals,
      },
    };
  } catch (error) {
    return { problem: firstSentence(error) };
  }
}

function option(flag: Flag): NonNullable<ParseArgsConfig['options']>[string] {
  return {
    type: flag.type,
    ...(flag.short === undefined ? {} : { short: flag.short }),
    ...(flag.multiple === true ? { multiple: true } : {}),
  };
}

function lastText(value: unknown): string | undefined {
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === 'string' ? last : undefined;
}

/** node:util explains at length; its first sentence names the flag. */
function firstSentence(error: unknown): string {
  const [sentence = ''] = (error instanceof Error ? error.message : String(error)).split(/\. |\.?\n/);
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}; --help lists the flags`;
}

function helpText(flags: Flags, usage: string): string {
  const rows = Object.entries(flags).map(([name, flag]) => {
    const short = flag.short === undefined ? '' : `-${flag.short}, `;
    return { left: `  ${short}--${name}${flag.value === undefined ? '' : ` ${flag.value}`}`, right: flag.help };
  });
  const width = Math.max(...rows.map((row) => row.left.length)) + 2;
  return `${usage}\n\n${rows.map((row) => `${row.left.padEnd(width)}${row.right}`).join('\n')}\n`;
}
