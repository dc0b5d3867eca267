import protobuf from 'protobufjs/minimal.js';

/** Source: grpc/grpc-proto grpc/health/v1/health.proto, HealthCheckResponse.ServingStatus. */
export const Serving = { Unknown: 0, Serving: 1, NotServing: 2, ServiceUnknown: 3 } as const;
export type Serving = (typeof Serving)[keyof typeof Serving];

/** HealthCheckRequest.service, undefined when the bytes are no such message. */
export function decodeHealthService(bytes: Uint8Array): string | undefined {
  try {
    const reader = protobuf.Reader.create(bytes);
    let service = '';
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag === 0x0a) service = reader.string();
      else reader.skipType(tag & 7);
    }
    return service;
  } catch {
    return undefined;
  }
}

export function encodeHealth(serving: Serving): Buffer {
  return Buffer.from(protobuf.Writer.create().uint32(0x08).int32(serving).finish());
}
