import type { JsonObject } from '../json.ts';
import { guarded } from './errors.ts';
import {
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
import { PlacedReader } from './placed.ts';
import { entry, expectEnd, fields, joined, limit, once, raw, skip, text } from './reading.ts';
import { StructReader } from './struct.read.ts';

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

class RequestReader extends PlacedReader {
  private readonly resources = new Map<string, ObservedResource>();
  private readonly requiredResources = new Map<string, readonly ObservedResource[]>();
  private readonly extraResources = new Map<string, readonly ObservedResource[]>();
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

  read(): RunFunctionRequest {
    const { reader } = this;
    fields(reader, reader.len, (tag) => {
      const read = this.readers[tag];
      read?.();
      return read !== undefined;
    });
    // A name in both: the deprecated field gives way, whichever came last.
    this.request.requiredResources = new Map([...this.extraResources, ...this.requiredResources]);
    return this.request;
  }

  private readonly readers: { readonly [tag: number]: () => void } = {
    [delimited(RequestField.meta)]: () => this.meta(),
    [delimited(RequestField.observed)]: () => this.observed(),
    [delimited(RequestField.desired)]: () => this.earlier(),
    [delimited(RequestField.input)]: () => {
      this.request.input = this.at('input', () => {
        once(this.request.input !== undefined);
        return this.structs.struct(this.reader);
      });
    },
    [delimited(RequestField.context)]: () => {
      // Bytes of a message that follow each other are the message merged.
      this.request.context = joined(this.request.context, raw(this.reader));
    },
    [delimited(RequestField.extraResources)]: () => this.required('extraResources', this.extraResources),
    [delimited(RequestField.requiredResources)]: () => this.required('requiredResources', this.requiredResources),
    [delimited(RequestField.requiredSchemas)]: () => this.schema(),
    [delimited(RequestField.credentials)]: () => this.credential(),
  };

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
          this.request.composite = this.at('composite', () => {
            once(this.request.composite !== undefined);
            return this.resource(limit(reader));
          });
        } else if (tag === delimited(StateField.resources)) {
          this.named((key, end) => this.resources.set(key, this.resource(end)));
        } else return false;
        return true;
      });
    });
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
        desired.composite = this.at('composite', () => {
          once(desired.composite !== undefined);
          return this.structs.whole(reader);
        });
        continue;
      }
      skip(reader, tag);
      rest.push(Uint8Array.prototype.slice.call(reader.buf, start, reader.pos));
    }
    expectEnd(reader, end);
    desired.compositeRest = new Uint8Array(Buffer.concat(rest));
  }

  private required(field: string, found: Map<string, readonly ObservedResource[]>): void {
    const { reader } = this;
    this.at(field, () =>
      this.named((key, end) => {
        const items: ObservedResource[] = [];
        fields(reader, end, (tag) => {
          if (tag !== delimited(ResourcesField.items)) return false;
          items.push(this.at(items.length, () => this.resource(limit(reader))));
          return true;
        });
        found.set(key, items);
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
          once(schema !== undefined);
          schema = this.structs.struct(reader);
          return true;
        });
        this.requiredSchemas.set(key, schema);
      }),
    );
  }

  private credential(): void {
    this.at('credentials', () =>
      this.named((key, end) => {
        this.credentials.set(key, this.secretKeys(end));
      }),
    );
  }
}
