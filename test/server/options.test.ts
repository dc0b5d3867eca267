import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { Program, serving } from './process.ts';

async function run(args: readonly string[], environment: Record<string, string> = {}) {
  return new Program(args, environment).finished();
}

const ENV_SIZE = 'FUNCTION_PLATFORM_INSTANCE_MAX_RECV_MESSAGE_SIZE';

describe('the command line', () => {
  test.each([
    { args: ['--frobnicate'], says: /^cannot serve: unknown option '--frobnicate'; --help lists the flags$/ },
    { args: ['frobnicate'], says: /^unknown command "frobnicate", want one of serve, preview\b.*$/ },
    { args: ['constructor'], says: /^unknown command "constructor"/ },
    { args: ['--insecure', 'extra'], says: /^cannot serve: unexpected argument "extra"$/ },
    { args: ['--insecure=yes'], says: /^cannot serve: option '--insecure' does not take an argument; / },
    { args: ['--insecure', '--address'], says: /^cannot serve: option '--address <value>' argument missing; / },
    { args: ['--insecure', '--address=9443x'], says: /^cannot serve: --address must be HOST:PORT, not "9443x"$/ },
    { args: ['--insecure', '--address=:70000'], says: /^cannot serve: --address must be HOST:PORT, not ":70000"$/ },
    {
      args: ['--insecure', '--max-recv-message-size=abc'],
      says: /^cannot serve: --max-recv-message-size must be a whole number of MiB from 1 to 1024, not "abc"$/,
    },
    {
      args: ['--insecure'],
      environment: { [ENV_SIZE]: 'abc' },
      says: /^cannot serve: FUNCTION_PLATFORM_INSTANCE_MAX_RECV_MESSAGE_SIZE must be a whole number of MiB/,
    },
    {
      args: ['--insecure', '--drain-timeout=soon', '--max-connection-age=1000h'],
      says: /^cannot serve: --max-connection-age must be a duration .*; --drain-timeout must be a duration such as 30s or 10m, not "soon"$/,
    },
    {
      args: [],
      says: /^cannot serve: --tls-certs-dir or TLS_SERVER_CERTS_DIR must be set, or --insecure for plain text$/,
    },
  ])('$args is refused with one line and exit code 2', async ({ args, environment, says }) => {
    const { code, stdout, stderr } = await run(args, environment);
    expect(stderr.trimEnd()).toMatch(says);
    expect(stderr.trimEnd()).not.toContain('\n');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  test.each([{ args: ['--help'] }, { args: ['serve', '-h'] }, { args: ['preview', '--help'] }])(
    '$args explains itself',
    async ({ args }) => {
      const { code, stdout, stderr } = await run(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage: main\.js /);
    },
  );

  test.each([{ flag: '--address' }, { flag: '--http-address' }])(
    'a port that is taken, given as $flag, ends it with one line and exit code 1',
    async ({ flag }) => {
      const taken = createServer();
      const port = await new Promise<number>((resolve) => {
        taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port));
      });
      try {
        const free = '127.0.0.1:0';
        const addresses = { '--address': free, '--http-address': free, [flag]: `127.0.0.1:${port}` };
        const { code, stderr } = await run([
          '--insecure',
          ...Object.entries(addresses).map(([name, address]) => `${name}=${address}`),
        ]);
        expect(stderr).toMatch(new RegExp(`^cannot listen on 127\\.0\\.0\\.1:${port}: .*EADDRINUSE.*\\n$`));
        expect(code).toBe(1);
      } finally {
        taken.close();
      }
    },
  );

  test('--insecure wins over certificates, also over a directory that does not exist', async () => {
    await using program = await serving(['--insecure', '--tls-certs-dir=/nowhere'], {
      TLS_SERVER_CERTS_DIR: '/nowhere',
    });
    expect((await program.logged('serving'))['tls']).toBe(false);
  });

  test('an empty --http-address serves no HTTP', async () => {
    await using program = await serving(['--insecure', '--http-address=']);
    expect(await program.logged('serving')).not.toHaveProperty('httpPort');
  });

  test('it serves on every address by default, IPv4 included', async () => {
    await using program = await serving(['--insecure', '--address=:0', '--http-address=:0']);
    const response = await fetch(`http://127.0.0.1:${program.httpPort}/readyz`);
    expect(response.status).toBe(200);
  });
});
