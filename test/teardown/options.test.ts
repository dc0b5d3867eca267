import { describe, expect, test } from 'vitest';
import { readFlags } from '../../function/flags.ts';
import { readTeardownOptions, TEARDOWN_FLAGS, TEARDOWN_USAGE } from '../../function/teardown/options.ts';

function read(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const flags = readFlags(args, TEARDOWN_FLAGS, TEARDOWN_USAGE);
  return 'parsed' in flags ? readTeardownOptions(flags.parsed, environment) : flags;
}

describe('options', () => {
  test('have defaults that work in a cluster', () => {
    expect(read([], { KUBERNETES_SERVICE_HOST: '10.0.0.1' })).toEqual({
      options: { kubeconfig: { inCluster: true }, httpAddress: '[::]:8080', concurrency: 4, debug: false },
    });
  });

  test('are all taken', () => {
    const args = ['--kubeconfig=/a', '--http-address', ':81', '--concurrency=100', '-d'];
    expect(read(args, { KUBECONFIG: '/b', KUBERNETES_SERVICE_HOST: 'x' })).toEqual({
      options: { kubeconfig: { files: ['/a'] }, httpAddress: '[::]:81', concurrency: 100, debug: true },
    });
  });

  test('find the files of KUBECONFIG before the own ServiceAccount', () => {
    expect(read(['--http-address='], { KUBECONFIG: '/a::/b', KUBERNETES_SERVICE_HOST: 'x' })).toEqual({
      options: { kubeconfig: { files: ['/a', '/b'] }, httpAddress: undefined, concurrency: 4, debug: false },
    });
  });

  test('that make no sense are all named at once', () => {
    expect(read(['--http-address=nowhere', '--concurrency=0'])).toEqual({
      problem:
        '--kubeconfig or KUBECONFIG must be set outside of a cluster; ' +
        '--http-address must be HOST:PORT or empty, not "nowhere"; ' +
        '--concurrency must be a whole number from 1 to 100, not "0"',
    });
  });

  test.each(['101', '1e2', '-1', '4.5', ''])('refuse a concurrency of %o', (text) => {
    expect(read(['--kubeconfig=/a', `--concurrency=${text}`])).toHaveProperty('problem');
  });

  test('refuse arguments and flags that nobody knows', () => {
    expect(read(['now'])).toEqual({ problem: 'unexpected argument "now"' });
    expect(read(['--namespace=x'])).toEqual({ problem: "unknown option '--namespace'; --help lists the flags" });
  });
});
