import protobuf from 'protobufjs/minimal.js';
import type { JsonObject } from '../json.ts';
import { guarded } from './errors.ts';
import {
  CredentialDataField,
  CredentialsField,
  delimited,
  RequestField,
  RequestMetaField,
  ResourceField,
  ResourcesField,
  SchemaField,
  StateField,
  varint,
} from './fields.ts';
import { KeyCache } from './keys.ts';
import type { EarlierDesired, ObservedResource, RunFunctionRequest, SecretKeys } from './messages.ts';
import { entry, expectEnd, fields, limit, raw, text } from './reading.ts';
import { StructReader } from './struct.read.ts';

const NO_KEYS: SecretKeys = new Map();

/** Shared by all calls: it changes how fast a key is read, never what is read. */
const KEYS = new KeyCache();

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * The request as the core sees it.
 * @throws WireError for bytes that are no RunFunctionRequest; it names the place, never a value
 */
export function decodeRequest(bytes: Uint8Array): RunFunctionRequest {
  const structs = new StructReader(KEYS);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return guarded('decode RunFunctionRequest', structs.trail, () => new RequestReader(buffer, structs).read());
}

class RequestReader {
  private readonly reader: protobuf.Reader;
  private readonly structs: StructReader;
  private readonly resources = new Map<string, ObservedResource>();
  private readonly requiredResources = new Map<string, readonly ObservedResource[]>();
  private readonly requiredSchemas = new Map<string, JsonObject | undefined>();
  private readonly credentials = new Map<string, SecretKeys>();
  private readonly capabilities = new Set<number>();
  private readonly desired: Mutable<EarlierDesired> & { names: string[]; entries: Uint8Array[] } = {
    composite: undefined,
    compositeRest: new Uint8Array(),
    names: [],
    entries: [],
  };
  private readonly request: Mutable<RunFunctionRequest> = {
    tag: '',
    capabilities: this.capabilities,
    composite: undefined,
    resources: this.resources,
    desired: this.desired,
    input: undefined,
    context: undefined,
    requiredResources: this.requiredResources,
    requiredSchemas: this.requiredSchemas,
    credentials: this.credentials,
  };

  constructor(buffer: Buffer, structs: StructReader) {
    this.reader = protobuf.Reader.create(buffer);
    this.structs = structs;
  }

  read(): RunFunctionRequest {
    const { reader } = this;
    fields(reader, reader.len, (tag) => {
      const read = this.readers[tag];
      read?.();
      return read !== undefined;
    });
    return this.request;
  }

  private readonly readers: { readonly [tag: number]: () => void } = {
    [delimited(RequestField.meta)]: () => this.meta(),
    [delimited(RequestField.observed)]: () => this.observed(),
    [delimited(RequestField.desired)]: () => this.earlier(),
    [delimited(RequestField.input)]: () => {
      this.request.input = this.at('input', () => this.structs.struct(this.reader));
    },
    [delimited(RequestField.context)]: () => {
      this.request.context = raw(this.reader);
    },
    [delimited(RequestField.extraResources)]: () => this.required('extraResources'),
    [delimited(RequestField.requiredResources)]: () => this.required('requiredResources'),
    [delimited(RequestField.requiredSchemas)]: () => this.schema(),
    [delimited(RequestField.credentials)]: () => this.credential(),
  };

  private at<T>(name: string | number, work: () => T): T {
    const { trail } = this.structs;
    const step = trail.descend();
    trail.steps[step] = name;
    const result = work();
    trail.depth = step;
    return result;
  }

  /** Reads the value of the map entry that stands next. */
  private named(work: (key: string, end: number) => void): void {
    const found = entry(this.reader);
    this.reader.pos = found.valueAt;
    this.at(found.key, () => work(found.key, found.valueEnd));
    expectEnd(this.reader, found.valueEnd);
    this.reader.pos = found.end;
  }

  private meta(): void {
    const { reader } = this;
    fields(reader, limit(reader), (tag) => {
      if (tag === delimited(RequestMetaField.tag)) this.request.tag = text(reader);
      else if (tag === varint(RequestMetaField.capabilities)) this.capabilities.add(reader.int32());
      // proto3 packs repeated enums, and readers must take both forms.
      else if (tag === delimited(RequestMetaField.capabilities)) {
        const end = limit(reader);
        while (reader.pos < end) this.capabilities.add(reader.int32());
        expectEnd(reader, end);
      } else return false;
      return true;
    });
  }

  private observed(): void {
    const { reader } = this;
    this.at('observed', () => {
      fields(reader, limit(reader), (tag) => {
        if (tag === delimited(StateField.composite)) {
          this.request.composite = this.at('composite', () => this.resource(limit(reader)));
        } else if (tag === delimited(StateField.resources)) {
          this.named((key, end) => this.resources.set(key, this.resource(end)));
        } else return false;
        return true;
      });
    });
  }

  private resource(end: number): ObservedResource {
    const { reader } = this;
    let resource: JsonObject = {};
    let connectionDetails: SecretKeys = NO_KEYS;
    fields(reader, end, (tag) => {
      if (tag === delimited(ResourceField.resource)) resource = this.structs.struct(reader);
      else if (tag === delimited(ResourceField.connectionDetails)) connectionDetails = this.presence(connectionDetails);
      else return false;
      return true;
    });
    return { resource, connectionDetails };
  }

  /** One entry of a map of secret bytes: its key, and whether there is anything under it. */
  private presence(known: SecretKeys): SecretKeys {
    const { key, valueAt, valueEnd } = entry(this.reader);
    return new Map([...known, [key, valueEnd > valueAt]]);
  }

  private earlier(): void {
    const { reader, desired } = this;
    this.at('desired', () => {
      fields(reader, limit(reader), (tag) => {
        if (tag === delimited(StateField.composite)) this.earlierComposite(limit(reader));
        else if (tag === delimited(StateField.resources)) {
          const start = reader.pos;
          desired.names.push(entry(reader).key);
          reader.pos = start;
          desired.entries.push(raw(reader));
        } else return false;
        return true;
      });
    });
  }

  private earlierComposite(end: number): void {
    const { reader, desired } = this;
    const rest: Uint8Array[] = [desired.compositeRest];
    while (reader.pos < end) {
      const start = reader.pos;
      const tag = reader.uint32();
      if (tag === delimited(ResourceField.resource)) {
        desired.composite = this.at('composite', () => this.structs.struct(reader));
        continue;
      }
      reader.skipType(tag & 7);
      rest.push(Uint8Array.prototype.slice.call(reader.buf, start, reader.pos));
    }
    expectEnd(reader, end);
    desired.compositeRest = new Uint8Array(Buffer.concat(rest));
  }

  private required(field: string): void {
    const { reader } = this;
    this.at(field, () =>
      this.named((key, end) => {
        const items: ObservedResource[] = [];
        fields(reader, end, (tag) => {
          if (tag !== delimited(ResourcesField.items)) return false;
          items.push(this.at(items.length, () => this.resource(limit(reader))));
          return true;
        });
        this.requiredResources.set(key, items);
      }),
    );
  }

  private schema(): void {
    const { reader } = this;
    this.at('requiredSchemas', () =>
      this.named((key, end) => {
        let schema: JsonObject | undefined;
        fields(reader, end, (tag) => {
          if (tag !== delimited(SchemaField.openapiV3)) return false;
          schema = this.structs.struct(reader);
          return true;
        });
        this.requiredSchemas.set(key, schema);
      }),
    );
  }

  private credential(): void {
    const { reader } = this;
    this.at('credentials', () =>
      this.named((key, end) => {
        let keys: SecretKeys = NO_KEYS;
        fields(reader, end, (tag) => {
          if (tag !== delimited(CredentialsField.credentialData)) return false;
          fields(reader, limit(reader), (inner) => {
            if (inner !== delimited(CredentialDataField.data)) return false;
            keys = this.presence(keys);
            return true;
          });
          return true;
        });
        this.credentials.set(key, keys);
      }),
    );
  }
}
