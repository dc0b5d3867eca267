import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type handleUnaryCall, Server, ServerCredentials } from '@grpc/grpc-js';
import { at, isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../../function/json.ts';
import { bytesMethod, RUNNER_SERVICES, runFunctionPath } from '../../../function/server/service.ts';
import { Ready, type RunFunctionRequest, type RunFunctionResponse } from '../../../function/wire/messages.ts';
import { decodeRequest } from '../../../function/wire/request.ts';
import { encodeResponse } from '../../../function/wire/response.ts';
import { conditionOf } from '../plane/kube.ts';

/**
 * Plays function-patch-and-transform, which cannot be had here, as far as the example of a larger composition uses it: three
 * kinds of patches, and readiness by a condition.
 */
export async function servePatchFunction(folder: string): Promise<{ readonly server: Server; readonly port: number }> {
  const server = new Server();
  const run: handleUnaryCall<Buffer, Buffer> = (call, callback) => {
    callback(null, Buffer.from(encodeResponse(patched(decodeRequest(call.request)))));
  };
  for (const service of RUNNER_SERVICES) {
    server.addService({ RunFunction: bytesMethod(runFunctionPath(service)) }, { RunFunction: run });
  }
  const tls = (name: string) => readFileSync(join(folder, 'function-tls', name));
  const identity = { cert_chain: tls('tls.crt'), private_key: tls('tls.key') };
  const credentials = ServerCredentials.createSsl(tls('ca.crt'), [identity], true);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error === null ? resolve(bound) : reject(error)));
  });
  return { server, port };
}

function patched(request: RunFunctionRequest): RunFunctionResponse {
  const composite = request.composite?.resource ?? {};
  const templates = listAt(request.input, 'resources').filter(isObject);
  const status: JsonObject = {};
  const resources = templates.map((template) => {
    const name = stringAt(template, 'name') ?? '';
    const observed = request.resources.get(name)?.resource;
    const resource = structuredClone(objectAt(template, 'base') ?? {});
    for (const patch of listAt(template, 'patches')) apply(patch, composite, resource, observed, status);
    const ready = conditionOf(observed, 'Ready')?.['status'] === 'True' ? Ready.True : Ready.False;
    return [name, { resource, ready }] as const;
  });
  return {
    tag: request.tag,
    ttlSeconds: 60,
    desired: {
      composite: { apiVersion: composite['apiVersion'] ?? '', kind: composite['kind'] ?? '', ...status },
      compositeReady: Ready.Unspecified,
      resources: new Map(resources),
      earlier: request.desired,
    },
    results: [],
    context: request.context,
    requirements: { resources: new Map(), schemas: new Map() },
    conditions: [],
  };
}

function apply(
  patch: Json,
  composite: JsonObject,
  resource: JsonObject,
  observed: JsonObject | undefined,
  status: JsonObject,
): void {
  const type = stringAt(patch, 'type');
  const from = stringAt(patch, 'fromFieldPath') ?? '';
  const to = stringAt(patch, 'toFieldPath') ?? '';
  if (type === 'FromCompositeFieldPath') put(resource, to, read(composite, from));
  else if (type === 'ToCompositeFieldPath') put(status, to, read(observed, from));
  else if (type === 'CombineFromComposite') put(resource, to, combined(patch, composite));
  else throw new Error(`the double knows no patch of type ${type}`);
}

function combined(patch: Json, composite: JsonObject): string {
  const values = listAt(patch, 'combine', 'variables').map((variable) =>
    String(read(composite, stringAt(variable, 'fromFieldPath') ?? '')),
  );
  const format = stringAt(patch, 'combine', 'string', 'fmt') ?? '';
  return values.reduce((text, value) => text.replace('%s', value), format);
}

function read(object: JsonObject | undefined, path: string): Json | undefined {
  return at(object, ...path.split('.'));
}

/** A value that is not there patches nothing. */
function put(object: JsonObject, path: string, value: Json | undefined): void {
  if (value === undefined) return;
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  let current = object;
  for (const step of steps) {
    const next = current[step];
    const below = isObject(next) ? next : {};
    current[step] = below;
    current = below;
  }
  current[last] = value;
}
