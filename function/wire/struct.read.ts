import type protobuf from 'protobufjs/minimal.js';
import type { Json, JsonObject } from '../json.ts';
import { Fault } from './errors.ts';
import { delimited, fixed64, ListField, MapEntryField, StructField, ValueField, varint } from './fields.ts';
import type { KeyCache } from './keys.ts';
import { expectEnd, limit, once, skip, text, utf8 } from './reading.ts';
import { assign, dropSecretValues, Mark } from './secrets.ts';
import { Trail, UNKNOWN } from './trail.ts';

/** Deeper Structs are refused: each level costs stack, and no Kubernetes object comes near. */
const MAX_DEPTH = 512;

const KEY = delimited(MapEntryField.key);
const VALUE = delimited(MapEntryField.value);
const FIELDS = delimited(StructField.fields);
const VALUES = delimited(ListField.values);

/** Reads google.protobuf.Struct straight into plain objects, in one pass, leaving secret values and bookkeeping behind. */
export class StructReader {
  readonly trail = new Trail(MAX_DEPTH);
  private readonly keys: KeyCache;
  /** how deep the Struct lies in the message: the steps before are no keys of it */
  private root = 0;
  private isWhole = false;

  constructor(keys: KeyCache) {
    this.keys = keys;
  }

  /** A Struct whose length stands next in the message. */
  struct(reader: protobuf.Reader): JsonObject {
    this.root = this.trail.depth;
    return this.fields(reader, limit(reader));
  }

  /** A Struct of which nothing is left behind, because it is written back. */
  whole(reader: protobuf.Reader): JsonObject {
    this.isWhole = true;
    const object = this.struct(reader);
    this.isWhole = false;
    return object;
  }

  private fields(reader: protobuf.Reader, end: number): JsonObject {
    const object: JsonObject = {};
    const step = this.trail.descend();
    let hasKind = false;
    while (reader.pos < end) {
      const tag = reader.uint32();
      if (tag !== FIELDS) skip(reader, tag);
      else hasKind = this.entry(reader, object, step) || hasKind;
    }
    expectEnd(reader, end);
    this.trail.depth = step;
    if (hasKind && !this.isWhole) dropSecretValues(object);
    return object;
  }

  /** One map entry; says whether its key was `kind`. Key and value may come in either order, the last of each counts. */
  private entry(reader: protobuf.Reader, object: JsonObject, step: number): boolean {
    const end = limit(reader);
    let key = '';
    let mark: number = Mark.None;
    let valueAt = end;
    let valueEnd = end;
    let hasValue = false;
    while (reader.pos < end) {
      const tag = reader.uint32();
      if (tag === KEY) {
        key = this.key(reader);
        mark = this.keys.mark;
      } else if (tag === VALUE) {
        once(hasValue);
        hasValue = true;
        valueEnd = limit(reader);
        valueAt = reader.pos;
        reader.pos = valueEnd;
      } else skip(reader, tag);
    }
    expectEnd(reader, end);
    this.trail.steps[step] = key;
    if (mark === Mark.None || !this.isLeftBehind(mark, step)) {
      reader.pos = valueAt;
      const value = this.value(reader, valueEnd);
      if (mark === Mark.Prototype) assign(object, key, value);
      else object[key] = value;
    }
    reader.pos = end;
    this.trail.steps[step] = UNKNOWN;
    return mark === Mark.Kind;
  }

  private isLeftBehind(mark: number, step: number): boolean {
    if (this.isWhole) return false;
    if (mark === Mark.LastApplied) return true;
    return mark === Mark.ManagedFields && step > this.root && this.trail.steps[step - 1] === 'metadata';
  }

  private key(reader: protobuf.Reader): string {
    const end = limit(reader);
    const start = reader.pos;
    reader.pos = end;
    return this.keys.find(reader.buf as Buffer, start, end) ?? this.longKey(reader.buf as Buffer, start, end);
  }

  private longKey(bytes: Buffer, start: number, end: number): string {
    this.keys.mark = Mark.None;
    return utf8(bytes, start, end);
  }

  private value(reader: protobuf.Reader, end: number): Json {
    let value: Json = null;
    while (reader.pos < end) {
      const tag = reader.uint32();
      switch (tag) {
        case STRING:
          value = text(reader);
          break;
        case STRUCT:
          once(isNested(value));
          value = this.fields(reader, limit(reader));
          break;
        case LIST:
          once(isNested(value));
          value = this.list(reader, limit(reader));
          break;
        case NUMBER:
          value = finite(reader.double());
          break;
        case BOOL:
          value = reader.bool();
          break;
        case NULL:
          reader.uint32();
          value = null;
          break;
        default:
          skip(reader, tag);
      }
    }
    expectEnd(reader, end);
    return value;
  }

  private list(reader: protobuf.Reader, end: number): Json[] {
    const list: Json[] = [];
    const step = this.trail.descend();
    while (reader.pos < end) {
      const tag = reader.uint32();
      if (tag !== VALUES) {
        skip(reader, tag);
        continue;
      }
      this.trail.steps[step] = list.length;
      list.push(this.value(reader, limit(reader)));
    }
    expectEnd(reader, end);
    this.trail.depth = step;
    return list;
  }
}

const STRING = delimited(ValueField.string);
const STRUCT = delimited(ValueField.struct);
const LIST = delimited(ValueField.list);
const NUMBER = fixed64(ValueField.number);
const BOOL = varint(ValueField.bool);
const NULL = varint(ValueField.null);

const isNested = (value: Json): boolean => typeof value === 'object' && value !== null;

/** JSON has no word for the others, and Kubernetes never sends them. */
function finite(value: number): number {
  if (!Number.isFinite(value)) throw new Fault('is not a finite number');
  return value;
}
