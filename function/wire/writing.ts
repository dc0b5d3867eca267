import type protobuf from 'protobufjs/minimal.js';
import { delimited } from './fields.ts';

/** A half of a surrogate pair has no UTF-8, and Crossplane refuses the whole response for it: it becomes U+FFFD. */
export function writeText(writer: protobuf.Writer, field: number, text: string): void {
  writer.uint32(delimited(field)).string(text.toWellFormed());
}
