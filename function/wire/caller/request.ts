import protobuf from 'protobufjs/minimal.js';
import type { JsonObject } from '../../json.ts';
import { guarded } from '../errors.ts';
import {
  CredentialDataField,
  CredentialsField,
  delimited,
  MapEntryField,
  RequestField,
  RequestMetaField,
  ResourceField,
  ResourcesField,
  SchemaField,
  StateField,
  varint,
} from '../fields.ts';
import type { ObservedResource, RunFunctionRequest, SecretKeys } from '../messages.ts';
import { writeStruct } from '../struct.write.ts';
import { Trail } from '../trail.ts';

/** What stands for a secret value, which the caller of a preview does not have either. */
const PLACEHOLDER = new Uint8Array([1]);

/** A request as Crossplane would send it. Secret values are not there to be sent: a non-empty key gets one byte. */
export function encodeRequest(request: RunFunctionRequest): Uint8Array {
  const trail = new Trail(512);
  return guarded('encode RunFunctionRequest', trail, () => new RequestWriter(trail).write(request));
}

class RequestWriter {
  private readonly writer = protobuf.Writer.create();
  private readonly trail: Trail;

  constructor(trail: Trail) {
    this.trail = trail;
  }

  write(request: RunFunctionRequest): Uint8Array {
    const { writer } = this;
    this.nested(RequestField.meta, () => {
      if (request.tag !== '') writer.uint32(delimited(RequestMetaField.tag)).string(request.tag);
      for (const capability of [...request.capabilities].sort((a, b) => a - b)) {
        writer.uint32(varint(RequestMetaField.capabilities)).int32(capability);
      }
    });
    this.nested(RequestField.observed, () => {
      const { composite } = request;
      if (composite !== undefined) this.nested(StateField.composite, () => this.resource(composite));
      this.map(StateField.resources, request.resources, (resource) => this.resource(resource));
    });
    this.desired(request);
    if (request.input !== undefined) this.struct(RequestField.input, request.input);
    if (request.context !== undefined) writer.uint32(delimited(RequestField.context)).bytes(request.context);
    this.map(RequestField.credentials, request.credentials, (keys) => {
      this.nested(CredentialsField.credentialData, () => this.secret(CredentialDataField.data, keys));
    });
    this.map(RequestField.requiredResources, request.requiredResources, (items) => {
      for (const item of items) this.nested(ResourcesField.items, () => this.resource(item));
    });
    this.map(RequestField.requiredSchemas, request.requiredSchemas, (schema) => {
      if (schema !== undefined) this.struct(SchemaField.openapiV3, schema);
    });
    return writer.finish();
  }

  private desired({ desired }: RunFunctionRequest): void {
    const { writer } = this;
    const { composite, compositeRest, entries } = desired;
    if (composite === undefined && compositeRest.length === 0 && entries.length === 0) return;
    this.nested(RequestField.desired, () => {
      if (composite !== undefined || compositeRest.length > 0) {
        const own = protobuf.Writer.create();
        if (composite !== undefined) {
          own.uint32(delimited(ResourceField.resource)).fork();
          writeStruct(own, composite, this.trail);
          own.ldelim();
        }
        writer.uint32(delimited(StateField.composite)).bytes(Buffer.concat([own.finish(), compositeRest]));
      }
      for (const bytes of entries) writer.uint32(delimited(StateField.resources)).bytes(bytes);
    });
  }

  private nested(field: number, work: () => void): void {
    this.writer.uint32(delimited(field)).fork();
    work();
    this.writer.ldelim();
  }

  private map<T>(field: number, map: ReadonlyMap<string, T>, work: (value: T) => void): void {
    for (const [key, value] of [...map].sort(([a], [b]) => (a < b ? -1 : 1))) {
      this.nested(field, () => {
        this.writer.uint32(delimited(MapEntryField.key)).string(key);
        this.nested(MapEntryField.value, () => work(value));
      });
    }
  }

  private struct(field: number, object: JsonObject): void {
    this.nested(field, () => writeStruct(this.writer, object, this.trail));
  }

  private resource({ resource, connectionDetails }: ObservedResource): void {
    this.struct(ResourceField.resource, resource);
    this.secret(ResourceField.connectionDetails, connectionDetails);
  }

  private secret(field: number, keys: SecretKeys): void {
    for (const [key, isFilled] of [...keys].sort(([a], [b]) => (a < b ? -1 : 1))) {
      this.nested(field, () => {
        this.writer.uint32(delimited(MapEntryField.key)).string(key);
        if (isFilled) this.writer.uint32(delimited(MapEntryField.value)).bytes(PLACEHOLDER);
      });
    }
  }
}
