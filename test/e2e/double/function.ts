import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type handleUnaryCall, Server, ServerCredentials } from '@grpc/grpc-js';
import { bytesMethod, RUNNER_SERVICES, runFunctionPath } from '../../../function/server/service.ts';
import type { RunFunctionRequest, RunFunctionResponse } from '../../../function/wire/messages.ts';
import { decodeRequest } from '../../../function/wire/request.ts';
import { encodeResponse } from '../../../function/wire/response.ts';

export interface Served {
  readonly server: Server;
  readonly port: number;
}

/** A function beside ours, over mutual TLS as Crossplane wants it. */
export async function serveFunction(
  folder: string,
  answer: (request: RunFunctionRequest) => RunFunctionResponse,
): Promise<Served> {
  const server = new Server();
  const run: handleUnaryCall<Buffer, Buffer> = (call, callback) => {
    callback(null, Buffer.from(encodeResponse(answer(decodeRequest(call.request)))));
  };
  for (const service of RUNNER_SERVICES) {
    server.addService({ RunFunction: bytesMethod(runFunctionPath(service)) }, { RunFunction: run });
  }
  const tls = (name: string) => readFileSync(join(folder, 'function-tls', name));
  const identity = { cert_chain: tls('tls.crt'), private_key: tls('tls.key') };
  const credentials = ServerCredentials.createSsl(tls('ca.crt'), [identity], true);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error === null ? resolve(bound) : reject(error)));
  });
  return { server, port };
}
