import type protobuf from 'protobufjs/minimal.js';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { Fault } from './errors.ts';
import { delimited, fixed64, ListField, MapEntryField, StructField, ValueField, varint } from './fields.ts';
import type { Trail } from './trail.ts';
import { writeText } from './writing.ts';

/** Writes plain objects as google.protobuf.Struct, keys sorted: the same value is always the same bytes. */
export function writeStruct(writer: protobuf.Writer, object: JsonObject, trail: Trail): void {
  const step = trail.descend();
  for (const key of Object.keys(object).sort()) {
    const value = object[key];
    if (value === undefined) continue;
    trail.steps[step] = key;
    writer.uint32(delimited(StructField.fields)).fork();
    writeText(writer, MapEntryField.key, key);
    writer.uint32(delimited(MapEntryField.value)).fork();
    writeValue(writer, value, trail);
    writer.ldelim().ldelim();
  }
  trail.depth = step;
}

function writeValue(writer: protobuf.Writer, value: Json, trail: Trail): void {
  if (typeof value === 'string') writeText(writer, ValueField.string, value);
  else if (typeof value === 'number') writer.uint32(fixed64(ValueField.number)).double(finite(value));
  else if (typeof value === 'boolean') writer.uint32(varint(ValueField.bool)).bool(value);
  else if (value === null) writer.uint32(varint(ValueField.null)).int32(0);
  else if (Array.isArray(value)) writeList(writer, value, trail);
  else if (isObject(value)) {
    writer.uint32(delimited(ValueField.struct)).fork();
    writeStruct(writer, value, trail);
    writer.ldelim();
  } else throw new Fault('is no JSON value');
}

function writeList(writer: protobuf.Writer, list: readonly Json[], trail: Trail): void {
  const step = trail.descend();
  writer.uint32(delimited(ValueField.list)).fork();
  for (const [index, value] of list.entries()) {
    trail.steps[step] = index;
    writer.uint32(delimited(ListField.values)).fork();
    writeValue(writer, value, trail);
    writer.ldelim();
  }
  writer.ldelim();
  trail.depth = step;
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new Fault('is not a finite number');
  return value;
}
