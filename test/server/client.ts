import { type ChannelCredentials, Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import protobuf from 'protobufjs/minimal.js';
import type { Identity } from './certificates.ts';

const same = (bytes: Buffer): Buffer => bytes;

export const V1 = '/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction';
export const V1BETA1 = '/apiextensions.fn.proto.v1beta1.FunctionRunnerService/RunFunction';

export interface Outcome {
  readonly code: number;
  readonly details: string;
  readonly response: Buffer | undefined;
}

/** A gRPC client that sends and receives bytes. */
export class RawClient {
  readonly grpc: Client;

  /** a port of this machine, or a target as gRPC writes it */
  constructor(target: number | string, channel: ChannelCredentials = credentials.createInsecure(), options = {}) {
    const name = typeof target === 'number' ? `localhost:${target}` : target;
    this.grpc = new Client(name, channel, { 'grpc.enable_http_proxy': 0, ...options });
  }

  call(bytes: Buffer, path = V1, milliseconds = 20_000): Promise<Outcome> {
    return new Promise((resolve) => {
      const deadline = Date.now() + milliseconds;
      const done = (error: ServiceError | null, response?: Buffer) =>
        resolve({ code: error?.code ?? status.OK, details: error?.details ?? '', response });
      this.grpc.makeUnaryRequest(path, same, same, bytes, { deadline } as never, done);
    });
  }

  /** the serving status of grpc.health.v1 as its number, or the code of the failure */
  async health(service = ''): Promise<{ readonly status: number } | { readonly code: number }> {
    const { code, response } = await this.call(healthRequest(service), '/grpc.health.v1.Health/Check');
    return response === undefined ? { code } : { status: healthStatus(response) };
  }

  watch(service = ''): { readonly statuses: number[]; readonly ended: Promise<number> } {
    const statuses: number[] = [];
    const stream = this.grpc.makeServerStreamRequest(
      '/grpc.health.v1.Health/Watch',
      same,
      same,
      healthRequest(service),
    );
    stream.on('data', (bytes: Buffer) => statuses.push(healthStatus(bytes)));
    stream.on('error', () => undefined);
    const ended = new Promise<number>((resolve) => stream.on('status', ({ code }) => resolve(code)));
    return { statuses, ended };
  }

  [Symbol.dispose](): void {
    this.grpc.close();
  }
}

export function mutualTls(authority: string, identity?: Identity): ChannelCredentials {
  const key = identity === undefined ? null : Buffer.from(identity.key);
  const certificate = identity === undefined ? null : Buffer.from(identity.certificate);
  return credentials.createSsl(Buffer.from(authority), key, certificate);
}

function healthRequest(service: string): Buffer {
  return Buffer.from(protobuf.Writer.create().uint32(0x0a).string(service).finish());
}

function healthStatus(bytes: Buffer): number {
  const reader = protobuf.Reader.create(bytes);
  reader.uint32();
  return reader.int32();
}
