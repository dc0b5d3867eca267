import type { handleServerStreamingCall, handleUnaryCall, Server, ServerWritableStream } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import { decodeHealthService, encodeHealth, Serving } from './health.messages.ts';
import { bytesMethod, RUNNER_SERVICES } from './service.ts';

/** The empty name stands for the server as a whole. */
const KNOWN: ReadonlySet<string> = new Set(['', ...RUNNER_SERVICES]);

export interface Health {
  readonly serving: () => boolean;
  readonly set: (serving: boolean) => void;
  /** Ends the watches: a server with an open stream never finishes draining. */
  readonly end: () => void;
}

/** grpc.health.v1: NOT_SERVING until told otherwise. */
export function addHealthService(server: Server): Health {
  let serving = false;
  const watchers = new Map<ServerWritableStream<Buffer, Buffer>, string>();
  const answer = (service: string): Buffer =>
    encodeHealth(!KNOWN.has(service) ? Serving.ServiceUnknown : serving ? Serving.Serving : Serving.NotServing);

  const check: handleUnaryCall<Buffer, Buffer> = (call, callback) => {
    const service = decodeHealthService(call.request);
    if (service === undefined)
      callback({ code: status.INVALID_ARGUMENT, details: 'cannot decode the HealthCheckRequest' });
    else if (!KNOWN.has(service)) callback({ code: status.NOT_FOUND, details: 'unknown service' });
    else callback(null, answer(service));
  };
  const watch: handleServerStreamingCall<Buffer, Buffer> = (call) => {
    const service = decodeHealthService(call.request);
    if (service === undefined) {
      call.destroy(Object.assign(new Error('cannot decode the HealthCheckRequest'), { code: status.INVALID_ARGUMENT }));
      return;
    }
    watchers.set(call, service);
    call.on('cancelled', () => watchers.delete(call));
    call.write(answer(service));
  };
  server.addService(
    { Check: bytesMethod('/grpc.health.v1.Health/Check'), Watch: bytesMethod('/grpc.health.v1.Health/Watch', true) },
    { Check: check, Watch: watch },
  );
  return {
    serving: () => serving,
    set(next) {
      if (next === serving) return;
      serving = next;
      for (const [call, service] of watchers) if (KNOWN.has(service)) call.write(answer(service));
    },
    end() {
      for (const call of watchers.keys()) call.end();
      watchers.clear();
    },
  };
}
