import protobuf from 'protobufjs/minimal.js';
import type { JsonObject } from '../json.ts';
import { CredentialDataField, CredentialsField, delimited, ResourceField } from './fields.ts';
import type { ObservedResource, SecretKeys } from './messages.ts';
import { entry, expectEnd, fields, limit, once } from './reading.ts';
import type { StructReader } from './struct.read.ts';

const NO_KEYS: SecretKeys = new Map();

/** Reads what comes in many places of a request, and keeps the place that an error will name. */
export class PlacedReader {
  protected readonly reader: protobuf.Reader;
  protected readonly structs: StructReader;

  constructor(buffer: Buffer, structs: StructReader) {
    this.reader = protobuf.Reader.create(buffer);
    this.structs = structs;
  }

  protected at<T>(name: string | number, work: () => T): T {
    const { trail } = this.structs;
    const step = trail.descend();
    trail.steps[step] = name;
    const result = work();
    trail.depth = step;
    return result;
  }

  /** Reads the value of the map entry that stands next. */
  protected named(work: (key: string, end: number) => void): void {
    const found = entry(this.reader);
    this.reader.pos = found.valueAt;
    this.at(found.key, () => work(found.key, found.valueEnd));
    expectEnd(this.reader, found.valueEnd);
    this.reader.pos = found.end;
  }

  protected resource(end: number): ObservedResource {
    const { reader } = this;
    let resource: JsonObject | undefined;
    let details: Map<string, boolean> | undefined;
    fields(reader, end, (tag) => {
      if (tag === delimited(ResourceField.resource)) {
        once(resource !== undefined);
        resource = this.structs.struct(reader);
      } else if (tag === delimited(ResourceField.connectionDetails)) {
        details ??= new Map();
        this.presence(details);
      } else return false;
      return true;
    });
    return { resource: resource ?? {}, connectionDetails: details ?? NO_KEYS };
  }

  /** One entry of a map of secret bytes: its key, and whether there is anything under it. */
  protected presence(keys: Map<string, boolean>): void {
    const { key, valueAt, valueEnd } = entry(this.reader);
    keys.set(key, valueEnd > valueAt);
  }

  /** The keys of credentials, of which there is one kind: data. */
  protected secretKeys(end: number): SecretKeys {
    const { reader } = this;
    const keys = new Map<string, boolean>();
    fields(reader, end, (tag) => {
      if (tag !== delimited(CredentialsField.credentialData)) return false;
      fields(reader, limit(reader), (inner) => {
        if (inner !== delimited(CredentialDataField.data)) return false;
        this.presence(keys);
        return true;
      });
      return true;
    });
    return keys;
  }
}
