import { Client, credentials, type Server, ServerCredentials } from '@grpc/grpc-js';
import { createRunnerServer, RUNNER_SERVICES, runFunctionPath } from '../server/service.ts';

export type CallFunction = (request: Buffer) => Promise<Buffer>;

const LARGEST = 1024 * 1024 * 1024;

/** Runs `use` with the function served on a loopback port, called as Crossplane calls it. */
export async function withFunction<T>(now: () => number, use: (call: CallFunction) => Promise<T>): Promise<T> {
  const limits = { maxReceiveBytes: LARGEST, maxConnectionAge: 0, maxConnectionAgeGrace: 0 };
  const server = createRunnerServer(limits, { now, monotonic: () => performance.now() }, () => undefined);
  const port = await listen(server);
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    // The largest response that Crossplane takes.
    'grpc.max_receive_message_length': 4 * 1024 * 1024,
    // A proxy of the environment must not be asked for a loopback address.
    'grpc.enable_http_proxy': 0,
  });
  try {
    return await use((request) => callOnce(client, request));
  } finally {
    client.close();
    server.forceShutdown();
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
}

function callOnce(client: Client, request: Buffer): Promise<Buffer> {
  const same = (bytes: Buffer) => bytes;
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(runFunctionPath(RUNNER_SERVICES[0]), same, same, request, (error, response) => {
      if (error !== null) reject(new Error(error.details));
      else if (response === undefined) reject(new Error('no response'));
      else resolve(response);
    });
  });
}
