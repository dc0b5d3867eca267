import { isUtf8 } from 'node:buffer';
import type protobuf from 'protobufjs/minimal.js';
import { Fault } from './errors.ts';

/** Where the length-delimited field ends that stands next. */
export function limit(reader: protobuf.Reader): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new Fault('ends early');
  return end;
}

/** A nested message that ran over its own end read somebody else's bytes. */
export function expectEnd(reader: protobuf.Reader, end: number): void {
  if (reader.pos !== end) throw new Fault('is not valid protobuf');
}

/** Protobuf merges a message that comes twice where it may come once. No writer does that, so it is refused. */
export function once(isThere: boolean): void {
  if (isThere) throw new Fault('comes twice');
}

/** Steps over a field that nobody looks at. protobufjs would take field number 0, which there is not. */
export function skip(reader: protobuf.Reader, tag: number): void {
  if (tag >>> 3 === 0) throw new Fault('is not valid protobuf');
  reader.skipType(tag & 7);
}

const SHORT = 16;
const REPLACEMENT = '\ufffd';

/** Text at [start, end). Node puts U+FFFD where bytes are no UTF-8; protobuf has such a message refused. */
export function utf8(bytes: Buffer, start: number, end: number): string {
  const result = bytes.toString('utf8', start, end);
  if (result.includes(REPLACEMENT) && !isUtf8(bytes.subarray(start, end))) throw new Fault('is not valid UTF-8');
  return result;
}

/** The string that stands next. Short ASCII is put together here: a call into native code costs more. */
export function text(reader: protobuf.Reader): string {
  const end = limit(reader);
  const start = reader.pos;
  const bytes = reader.buf as Buffer;
  reader.pos = end;
  if (end - start > SHORT) return utf8(bytes, start, end);
  let result = '';
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 128;
    if (byte > 127) return utf8(bytes, start, end);
    result += String.fromCharCode(byte);
  }
  return result;
}

/** Walks the fields of a message; a field that the visitor does not take is skipped. */
export function fields(reader: protobuf.Reader, end: number, visit: (tag: number) => boolean): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (!visit(tag)) skip(reader, tag);
  }
  expectEnd(reader, end);
}

/** The bytes of the length-delimited field that stands next, copied: the request's own buffer is not kept alive. */
export function raw(reader: protobuf.Reader): Uint8Array {
  const end = limit(reader);
  const bytes = Uint8Array.prototype.slice.call(reader.buf, reader.pos, end);
  reader.pos = end;
  return bytes;
}

/** Key and value position of the map entry that stands next; the value is read by the caller. */
export function entry(reader: protobuf.Reader): { key: string; valueAt: number; valueEnd: number; end: number } {
  const end = limit(reader);
  let key = '';
  let valueAt = end;
  let valueEnd = end;
  let hasValue = false;
  fields(reader, end, (tag) => {
    if (tag === 10) key = text(reader);
    else if (tag === 18) {
      once(hasValue);
      hasValue = true;
      valueEnd = limit(reader);
      valueAt = reader.pos;
      reader.pos = valueEnd;
    } else return false;
    return true;
  });
  return { key, valueAt, valueEnd, end };
}

export function joined(before: Uint8Array | undefined, bytes: Uint8Array): Uint8Array {
  return before === undefined ? bytes : new Uint8Array(Buffer.concat([before, bytes]));
}
