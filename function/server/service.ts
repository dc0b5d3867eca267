import { type handleUnaryCall, type MethodDefinition, Server, type ServerOptions, status } from '@grpc/grpc-js';
import { type Answer, answer, type Call, type Clock } from './answer.ts';

/** Crossplane asks for v1 and falls back to v1beta1; the messages are the same. */
export const RUNNER_SERVICES = [
  'apiextensions.fn.proto.v1.FunctionRunnerService',
  'apiextensions.fn.proto.v1beta1.FunctionRunnerService',
] as const;

/** Messages cross grpc-js as bytes: it would answer INTERNAL for a request that its own deserialiser refuses. */
export function bytesMethod(path: string, responseStream = false): MethodDefinition<Buffer, Buffer> {
  const same = (bytes: Buffer) => bytes;
  return {
    path,
    requestStream: false,
    responseStream,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  };
}

export function runFunctionPath(service: string): string {
  return `/${service}/RunFunction`;
}

export interface Limits {
  readonly maxReceiveBytes: number;
  readonly maxConnectionAge: number;
  readonly maxConnectionAgeGrace: number;
}

/** A server that answers RunFunction and is not bound yet. */
export function createRunnerServer(limits: Limits, clock: Clock, observe: (call: Call) => void): Server {
  const server = new Server(serverOptions(limits));
  const run: handleUnaryCall<Buffer, Buffer> = (call, callback) => {
    const answered: Answer = answer(call.request, clock);
    if ('response' in answered) callback(null, answered.response);
    else callback({ code: status.INVALID_ARGUMENT, details: answered.undecodable });
    observe(answered.call);
  };
  for (const service of RUNNER_SERVICES) {
    server.addService({ RunFunction: bytesMethod(runFunctionPath(service)) }, { RunFunction: run });
  }
  return server;
}

function serverOptions(limits: Limits): ServerOptions {
  const age = {
    'grpc.max_connection_age_ms': limits.maxConnectionAge,
    'grpc.max_connection_age_grace_ms': limits.maxConnectionAgeGrace,
  };
  return {
    'grpc.max_receive_message_length': limits.maxReceiveBytes,
    // Nothing here serves it, and its records cost time on every call.
    'grpc.enable_channelz': 0,
    ...(limits.maxConnectionAge > 0 ? age : {}),
  };
}
