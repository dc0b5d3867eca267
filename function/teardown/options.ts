import type { Flags, ParsedFlags } from '../flags.ts';
import { readAddress } from '../server/address.ts';

export interface TeardownOptions {
  readonly kubeconfig: ConfigurationSource;
  /** undefined serves no HTTP */
  readonly httpAddress: string | undefined;
  readonly concurrency: number;
  readonly debug: boolean;
}

/** Where the way to the API server is written down. */
export type ConfigurationSource =
  | { readonly files: readonly string[] }
  /** the ServiceAccount of the pod */
  | { readonly inCluster: true };

export const TEARDOWN_USAGE = `Usage: main.js teardown [flags]

Gives PlatformInstances their finalizer and takes deleted ones apart, in the cluster that they are in.`;

export const TEARDOWN_FLAGS: Flags = {
  kubeconfig: {
    type: 'string',
    value: 'FILE',
    help: "how to reach the API server (default KUBECONFIG, else the pod's own ServiceAccount)",
  },
  'http-address': {
    type: 'string',
    value: 'HOST:PORT',
    help: 'where to serve /metrics, /healthz and /readyz (default [::]:8080, empty for none)',
  },
  concurrency: { type: 'string', value: 'NUMBER', help: 'how many instances are worked on at once (default 4)' },
  debug: { type: 'boolean', short: 'd', help: 'log a line for every pass' },
};

type Environment = Readonly<Record<string, string | undefined>>;

export function readTeardownOptions(
  flags: ParsedFlags,
  environment: Environment,
): { readonly options: TeardownOptions } | { readonly problem: string } {
  const [operand] = flags.operands;
  if (operand !== undefined) return { problem: `unexpected argument ${JSON.stringify(operand)}` };
  const kubeconfig = sourceOf(flags, environment);
  const httpText = flags.text('http-address') ?? '[::]:8080';
  const httpAddress = httpText === '' ? undefined : readAddress(httpText);
  const concurrencyText = flags.text('concurrency') ?? '4';
  const concurrency = readConcurrency(concurrencyText);
  const problems = [
    ...(kubeconfig === undefined ? ['--kubeconfig or KUBECONFIG must be set outside of a cluster'] : []),
    ...(httpText !== '' && httpAddress === undefined
      ? [`--http-address must be HOST:PORT or empty, not ${JSON.stringify(httpText)}`]
      : []),
    ...(concurrency === undefined
      ? [`--concurrency must be a whole number from 1 to 100, not ${JSON.stringify(concurrencyText)}`]
      : []),
  ];
  if (kubeconfig === undefined || concurrency === undefined || problems.length > 0) {
    return { problem: problems.join('; ') };
  }
  return { options: { kubeconfig, httpAddress, concurrency, debug: flags.on('debug') } };
}

/** As kubectl does: the flag, else the files that KUBECONFIG lists, else the pod's own. */
function sourceOf(flags: ParsedFlags, environment: Environment): ConfigurationSource | undefined {
  const flag = flags.text('kubeconfig');
  if (flag) return { files: [flag] };
  const files = (environment['KUBECONFIG'] ?? '').split(':').filter((file) => file !== '');
  if (files.length > 0) return { files };
  return environment['KUBERNETES_SERVICE_HOST'] ? { inCluster: true } : undefined;
}

function readConcurrency(text: string): number | undefined {
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= 100 ? number : undefined;
}
