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
  if (response.tag !== '') writer.uint32(delimited(ResponseMetaField.tag)).string(response.tag);
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
    writer.uint32(delimited(MapEntryField.key)).string(name);
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
  writer.uint32(delimited(ResultField.message)).string(result.message);
  if (result.reason !== undefined) writer.uint32(delimited(ResultField.reason)).string(result.reason);
  writer.uint32(varint(ResultField.target)).int32(result.target);
  writer.ldelim();
}

function writeCondition(writer: protobuf.Writer, condition: Condition): void {
  writer.uint32(delimited(ResponseField.conditions)).fork();
  writer.uint32(delimited(ConditionField.type)).string(condition.type);
  writer.uint32(varint(ConditionField.status)).int32(condition.status);
  writer.uint32(delimited(ConditionField.reason)).string(condition.reason);
  if (condition.message !== undefined) writer.uint32(delimited(ConditionField.message)).string(condition.message);
  writer.uint32(varint(ConditionField.target)).int32(condition.target);
  writer.ldelim();
}

function writeRequirements(writer: protobuf.Writer, { resources, schemas }: Requirements): void {
  if (resources.size + schemas.size === 0) return;
  writer.uint32(delimited(ResponseField.requirements)).fork();
  for (const [name, selector] of sorted(resources)) {
    writer.uint32(delimited(RequirementsField.resources)).fork();
    writer.uint32(delimited(MapEntryField.key)).string(name);
    writer.uint32(delimited(MapEntryField.value)).fork();
    writer.uint32(delimited(ResourceSelectorField.apiVersion)).string(selector.apiVersion);
    writer.uint32(delimited(ResourceSelectorField.kind)).string(selector.kind);
    writer.uint32(delimited(ResourceSelectorField.matchName)).string(selector.matchName);
    if (selector.namespace !== undefined) {
      writer.uint32(delimited(ResourceSelectorField.namespace)).string(selector.namespace);
    }
    writer.ldelim().ldelim();
  }
  for (const [name, selector] of sorted(schemas)) {
    writer.uint32(delimited(RequirementsField.schemas)).fork();
    writer.uint32(delimited(MapEntryField.key)).string(name);
    writer.uint32(delimited(MapEntryField.value)).fork();
    writer.uint32(delimited(SchemaSelectorField.apiVersion)).string(selector.apiVersion);
    writer.uint32(delimited(SchemaSelectorField.kind)).string(selector.kind);
    writer.ldelim().ldelim();
  }
  writer.ldelim();
}

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
