import { parseDuration } from '../api/durations.ts';
import type { Flags, ParsedFlags } from '../flags.ts';
import { readAddress } from './address.ts';

export interface ServeOptions {
  readonly address: string;
  /** undefined serves no HTTP */
  readonly httpAddress: string | undefined;
  /** undefined is plain text */
  readonly certificatesDirectory: string | undefined;
  readonly debug: boolean;
  readonly maxReceiveBytes: number;
  /** milliseconds, as all times here; 0 keeps connections for ever */
  readonly maxConnectionAge: number;
  readonly maxConnectionAgeGrace: number;
  readonly drainTimeout: number;
}

export const SERVE_USAGE = `Usage: main.js [serve] [flags]

Answers Crossplane's calls. \`main.js help\` lists the other commands.`;

/** --debug, --insecure, --tls-certs-dir and TLS_SERVER_CERTS_DIR are what Crossplane's function specification asks for. */
export const SERVE_FLAGS: Flags = {
  address: {
    type: 'string',
    value: 'HOST:PORT',
    help: 'where to answer gRPC (default [::]:9443, IPv4 where there is no IPv6)',
  },
  'http-address': {
    type: 'string',
    value: 'HOST:PORT',
    help: 'where to serve /metrics, /healthz and /readyz (default [::]:8080, empty for none)',
  },
  'tls-certs-dir': {
    type: 'string',
    value: 'DIR',
    help: 'directory of tls.crt, tls.key and ca.crt, read again when they change (TLS_SERVER_CERTS_DIR)',
  },
  insecure: { type: 'boolean', help: 'plain text, also when certificates are given' },
  debug: { type: 'boolean', short: 'd', help: 'log a line for every call' },
  'max-recv-message-size': {
    type: 'string',
    value: 'MIB',
    help: 'largest request in MiB (default 64; FUNCTION_PLATFORM_INSTANCE_MAX_RECV_MESSAGE_SIZE)',
  },
  'max-connection-age': {
    type: 'string',
    value: 'DURATION',
    help: 'close connections when they are that old, so that new replicas get calls (default 10m, 0 for never)',
  },
  'max-connection-age-grace': {
    type: 'string',
    value: 'DURATION',
    help: 'how long calls on a connection that is too old may still take (default 2m)',
  },
  'drain-timeout': {
    type: 'string',
    value: 'DURATION',
    help: 'how long calls may still take after SIGTERM (default 20s)',
  },
};

const MAX_RECEIVE_VARIABLE = 'FUNCTION_PLATFORM_INSTANCE_MAX_RECV_MESSAGE_SIZE';
const MEBIBYTE = 1024 * 1024;
/** the longest timer of Node, 24 days */
const LONGEST = 2 ** 31 - 1;

type Environment = Readonly<Record<string, string | undefined>>;

export function readServeOptions(
  flags: ParsedFlags,
  environment: Environment,
): { readonly options: ServeOptions } | { readonly problem: string } {
  const [operand] = flags.operands;
  if (operand !== undefined) return { problem: `unexpected argument ${JSON.stringify(operand)}` };

  const problems: string[] = [];
  const read = <T>(
    source: string,
    text: string,
    parse: (text: string) => T | undefined,
    rule: string,
    otherwise: T,
  ): T => {
    const value = parse(text);
    if (value === undefined) problems.push(`${source} must be ${rule}, not ${JSON.stringify(text)}`);
    return value ?? otherwise;
  };
  const duration = (name: string, otherwise: string): number =>
    read(`--${name}`, flags.text(name) ?? otherwise, boundedDuration, 'a duration such as 30s or 10m', 0);

  const httpAddress = flags.text('http-address') ?? '[::]:8080';
  const sizeFlag = flags.text('max-recv-message-size');
  const sizeSource = sizeFlag === undefined ? MAX_RECEIVE_VARIABLE : '--max-recv-message-size';
  const options: ServeOptions = {
    address: read('--address', flags.text('address') ?? '[::]:9443', readAddress, 'HOST:PORT', ''),
    httpAddress:
      httpAddress === '' ? undefined : read('--http-address', httpAddress, readAddress, 'HOST:PORT or empty', ''),
    certificatesDirectory: flags.on('insecure')
      ? undefined
      : nonEmpty(flags.text('tls-certs-dir') ?? environment['TLS_SERVER_CERTS_DIR']),
    debug: flags.on('debug'),
    maxReceiveBytes: read(
      sizeSource,
      sizeFlag ?? nonEmpty(environment[MAX_RECEIVE_VARIABLE]) ?? '64',
      readMebibytes,
      'a whole number of MiB from 1 to 1024',
      0,
    ),
    maxConnectionAge: duration('max-connection-age', '10m'),
    maxConnectionAgeGrace: duration('max-connection-age-grace', '2m'),
    drainTimeout: duration('drain-timeout', '20s'),
  };
  if (options.certificatesDirectory === undefined && !flags.on('insecure')) {
    problems.push('--tls-certs-dir or TLS_SERVER_CERTS_DIR must be set, or --insecure for plain text');
  }
  return problems.length > 0 ? { problem: problems.join('; ') } : { options };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function boundedDuration(text: string): number | undefined {
  const duration = text === '0' ? 0 : parseDuration(text);
  return duration === undefined || duration * 1000 > LONGEST ? undefined : Math.round(duration * 1000);
}

function readMebibytes(text: string): number | undefined {
  if (!/^[1-9]\d{0,3}$/.test(text)) return undefined;
  const size = Number(text);
  return size <= 1024 ? size * MEBIBYTE : undefined;
}
