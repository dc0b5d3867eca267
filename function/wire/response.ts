import protobuf from 'protobufjs/minimal.js';
import { guarded } from './errors.ts';
import {
  ConditionField,
  DurationField,
  delimited,
  MapEntryField,
  RequirementsField,
  ResourceField,
  ResourceSelectorField,
  ResponseField,
  ResponseMetaField,
  ResultField,
  SchemaSelectorField,
  StateField,
  varint,
} from './fields.ts';
import { type Condition, Ready, type Requirements, type Result, type RunFunctionResponse } from './messages.ts';
import { writeStruct } from './struct.write.ts';
import { Trail } from './trail.ts';
import { writeText } from './writing.ts';

/**
 * The response's bytes: equal responses give equal bytes.
 * @throws WireError when a value has no place in JSON; it names the place, never the value
 */
export function encodeResponse(response: RunFunctionResponse): Uint8Array {
  const trail = new Trail(512);
  return guarded('encode RunFunctionResponse', trail, () => {
    const writer = protobuf.Writer.create();
    writeMeta(writer, response);
    writeDesired(writer, response, trail);
    for (const result of response.results) writeResult(writer, result);
    if (response.context !== undefined) writer.uint32(delimited(ResponseField.context)).bytes(response.context);
    writeRequirements(writer, response.requirements);
    for (const condition of response.conditions) writeCondition(writer, condition);
    return writer.finish();
  });
}

function writeMeta(writer: protobuf.Writer, response: RunFunctionResponse): void {
  writer.uint32(delimited(ResponseField.meta)).fork();
  if (response.tag !== '') writeText(writer, ResponseMetaField.tag, response.tag);
  writer.uint32(delimited(ResponseMetaField.ttl)).fork();
  writer.uint32(varint(DurationField.seconds)).int64(response.ttlSeconds);
  writer.ldelim().ldelim();
}

function writeDesired(writer: protobuf.Writer, response: RunFunctionResponse, trail: Trail): void {
  const { desired } = response;
  const { earlier } = desired;
  const step = trail.descend();
  writer.uint32(delimited(ResponseField.desired)).fork();
  const composite = desired.composite ?? earlier.composite;
  if (composite !== undefined || earlier.compositeRest.length > 0 || desired.compositeReady !== Ready.Unspecified) {
    trail.steps[step] = 'composite';
    const own = protobuf.Writer.create();
    if (composite !== undefined) {
      own.uint32(delimited(ResourceField.resource)).fork();
      writeStruct(own, composite, trail);
      own.ldelim();
    }
    // The last of a field counts, so ours stands behind what earlier steps said.
    if (desired.compositeReady !== Ready.Unspecified)
      own.uint32(varint(ResourceField.ready)).int32(desired.compositeReady);
    writer.uint32(delimited(StateField.composite)).bytes(Buffer.concat([earlier.compositeRest, own.finish()]));
  }
  for (const entry of earlier.entries) writer.uint32(delimited(StateField.resources)).bytes(entry);
  for (const [name, { resource, ready }] of sorted(desired.resources)) {
    trail.steps[step] = name;
    writer.uint32(delimited(StateField.resources)).fork();
    writeText(writer, MapEntryField.key, name);
    writer.uint32(delimited(MapEntryField.value)).fork();
    writer.uint32(delimited(ResourceField.resource)).fork();
    writeStruct(writer, resource, trail);
    writer.ldelim();
    if (ready !== Ready.Unspecified) writer.uint32(varint(ResourceField.ready)).int32(ready);
    writer.ldelim().ldelim();
  }
  writer.ldelim();
  trail.depth = step;
}

function writeResult(writer: protobuf.Writer, result: Result): void {
  writer.uint32(delimited(ResponseField.results)).fork();
  writer.uint32(varint(ResultField.severity)).int32(result.severity);
  writeText(writer, ResultField.message, result.message);
  if (result.reason !== undefined) writeText(writer, ResultField.reason, result.reason);
  writer.uint32(varint(ResultField.target)).int32(result.target);
  writer.ldelim();
}

function writeCondition(writer: protobuf.Writer, condition: Condition): void {
  writer.uint32(delimited(ResponseField.conditions)).fork();
  writeText(writer, ConditionField.type, condition.type);
  writer.uint32(varint(ConditionField.status)).int32(condition.status);
  writeText(writer, ConditionField.reason, condition.reason);
  if (condition.message !== undefined) writeText(writer, ConditionField.message, condition.message);
  writer.uint32(varint(ConditionField.target)).int32(condition.target);
  writer.ldelim();
}

function writeRequirements(writer: protobuf.Writer, { resources, schemas }: Requirements): void {
  if (resources.size + schemas.size === 0) return;
  writer.uint32(delimited(ResponseField.requirements)).fork();
  for (const [name, selector] of sorted(resources)) {
    writer.uint32(delimited(RequirementsField.resources)).fork();
    writeText(writer, MapEntryField.key, name);
    writer.uint32(delimited(MapEntryField.value)).fork();
    writeText(writer, ResourceSelectorField.apiVersion, selector.apiVersion);
    writeText(writer, ResourceSelectorField.kind, selector.kind);
    writeText(writer, ResourceSelectorField.matchName, selector.matchName);
    if (selector.namespace !== undefined) {
      writeText(writer, ResourceSelectorField.namespace, selector.namespace);
    }
    writer.ldelim().ldelim();
  }
  for (const [name, selector] of sorted(schemas)) {
    writer.uint32(delimited(RequirementsField.schemas)).fork();
    writeText(writer, MapEntryField.key, name);
    writer.uint32(delimited(MapEntryField.value)).fork();
    writeText(writer, SchemaSelectorField.apiVersion, selector.apiVersion);
    writeText(writer, SchemaSelectorField.kind, selector.kind);
    writer.ldelim().ldelim();
  }
  writer.ldelim();
}

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
