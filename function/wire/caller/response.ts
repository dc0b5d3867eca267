import protobuf from 'protobufjs/minimal.js';
import type { JsonObject } from '../../json.ts';
import { guarded } from '../errors.ts';
import {
  ConditionField,
  DurationField,
  delimited,
  RequirementsField,
  ResourceField,
  ResourceSelectorField,
  ResponseField,
  ResponseMetaField,
  ResultField,
  SchemaSelectorField,
  StateField,
  varint,
} from '../fields.ts';
import { KeyCache } from '../keys.ts';
import type {
  Condition,
  ConditionStatus,
  Ready,
  ResourceSelector,
  Result,
  RunFunctionResponse,
  SchemaSelector,
  Severity,
  Target,
} from '../messages.ts';
import { entry, fields, limit, raw, text } from '../reading.ts';
import { StructReader } from '../struct.read.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A response as its caller reads it. All of desired comes as ours: who desired what is not on the wire. */
export function decodeResponse(bytes: Uint8Array): RunFunctionResponse {
  const structs = new StructReader(new KeyCache());
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return guarded('decode RunFunctionResponse', structs.trail, () => new ResponseReader(buffer, structs).read());
}

class ResponseReader {
  private readonly reader: protobuf.Reader;
  private readonly structs: StructReader;
  private tag = '';
  private ttlSeconds = 0;
  private context: Uint8Array | undefined;
  private composite: JsonObject | undefined;
  private compositeReady: Ready = 0;
  private readonly resources = new Map<string, { resource: JsonObject; ready: Ready }>();
  private readonly results: Result[] = [];
  private readonly conditions: Condition[] = [];
  private readonly selectors = new Map<string, ResourceSelector>();
  private readonly schemas = new Map<string, SchemaSelector>();

  constructor(buffer: Buffer, structs: StructReader) {
    this.reader = protobuf.Reader.create(buffer);
    this.structs = structs;
  }

  read(): RunFunctionResponse {
    const { reader } = this;
    fields(reader, reader.len, (tag) => {
      if (tag === delimited(ResponseField.meta)) this.meta();
      else if (tag === delimited(ResponseField.desired)) this.desired();
      else if (tag === delimited(ResponseField.results)) this.results.push(this.result());
      else if (tag === delimited(ResponseField.context)) this.context = raw(reader);
      else if (tag === delimited(ResponseField.requirements)) this.requirements();
      else if (tag === delimited(ResponseField.conditions)) this.conditions.push(this.condition());
      else return false;
      return true;
    });
    return {
      tag: this.tag,
      ttlSeconds: this.ttlSeconds,
      desired: {
        composite: this.composite,
        compositeReady: this.compositeReady,
        resources: this.resources,
        earlier: { composite: undefined, compositeRest: new Uint8Array(), names: [], entries: [] },
      },
      results: this.results,
      context: this.context,
      requirements: { resources: this.selectors, schemas: this.schemas },
      conditions: this.conditions,
    };
  }

  private meta(): void {
    const { reader } = this;
    fields(reader, limit(reader), (tag) => {
      if (tag === delimited(ResponseMetaField.tag)) this.tag = text(reader);
      else if (tag === delimited(ResponseMetaField.ttl)) {
        fields(reader, limit(reader), (inner) => {
          if (inner !== varint(DurationField.seconds)) return false;
          this.ttlSeconds = Number(reader.int64());
          return true;
        });
      } else return false;
      return true;
    });
  }

  private desired(): void {
    const { reader } = this;
    fields(reader, limit(reader), (tag) => {
      if (tag === delimited(StateField.composite)) {
        const { resource, ready } = this.resource(limit(reader));
        this.composite = resource;
        this.compositeReady = ready;
      } else if (tag === delimited(StateField.resources)) {
        this.named((key, end) => {
          const { resource, ready } = this.resource(end);
          this.resources.set(key, { resource: resource ?? {}, ready });
        });
      } else return false;
      return true;
    });
  }

  private resource(end: number): { resource: JsonObject | undefined; ready: Ready } {
    const { reader } = this;
    let resource: JsonObject | undefined;
    let ready: Ready = 0;
    fields(reader, end, (tag) => {
      if (tag === delimited(ResourceField.resource)) resource = this.structs.struct(reader);
      else if (tag === varint(ResourceField.ready)) ready = reader.int32() as Ready;
      else return false;
      return true;
    });
    return { resource, ready };
  }

  private named(work: (key: string, end: number) => void): void {
    const found = entry(this.reader);
    this.reader.pos = found.valueAt;
    work(found.key, found.valueEnd);
    this.reader.pos = found.end;
  }

  private result(): Result {
    const { reader } = this;
    const result: Mutable<Result> = { severity: 0, message: '', target: 0 };
    fields(reader, limit(reader), (tag) => {
      if (tag === varint(ResultField.severity)) result.severity = reader.int32() as Severity;
      else if (tag === delimited(ResultField.message)) result.message = text(reader);
      else if (tag === delimited(ResultField.reason)) result.reason = text(reader);
      else if (tag === varint(ResultField.target)) result.target = reader.int32() as Target;
      else return false;
      return true;
    });
    return result;
  }

  private condition(): Condition {
    const { reader } = this;
    const condition: Mutable<Condition> = { type: '', status: 0, reason: '', target: 0 };
    fields(reader, limit(reader), (tag) => {
      if (tag === delimited(ConditionField.type)) condition.type = text(reader);
      else if (tag === varint(ConditionField.status)) condition.status = reader.int32() as ConditionStatus;
      else if (tag === delimited(ConditionField.reason)) condition.reason = text(reader);
      else if (tag === delimited(ConditionField.message)) condition.message = text(reader);
      else if (tag === varint(ConditionField.target)) condition.target = reader.int32() as Target;
      else return false;
      return true;
    });
    return condition;
  }

  private requirements(): void {
    const { reader } = this;
    fields(reader, limit(reader), (tag) => {
      if (tag === delimited(RequirementsField.resources)) {
        this.named((key, end) => {
          const selector: Mutable<ResourceSelector> = { apiVersion: '', kind: '', matchName: '' };
          fields(reader, end, (inner) => {
            if (inner === delimited(ResourceSelectorField.apiVersion)) selector.apiVersion = text(reader);
            else if (inner === delimited(ResourceSelectorField.kind)) selector.kind = text(reader);
            else if (inner === delimited(ResourceSelectorField.matchName)) selector.matchName = text(reader);
            else if (inner === delimited(ResourceSelectorField.namespace)) selector.namespace = text(reader);
            else return false;
            return true;
          });
          this.selectors.set(key, selector);
        });
      } else if (tag === delimited(RequirementsField.schemas)) {
        this.named((key, end) => {
          const selector: Mutable<SchemaSelector> = { apiVersion: '', kind: '' };
          fields(reader, end, (inner) => {
            if (inner === delimited(SchemaSelectorField.apiVersion)) selector.apiVersion = text(reader);
            else if (inner === delimited(SchemaSelectorField.kind)) selector.kind = text(reader);
            else return false;
            return true;
          });
          this.schemas.set(key, selector);
        });
      } else return false;
      return true;
    });
  }
}
