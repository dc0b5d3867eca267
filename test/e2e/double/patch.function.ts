import { at, isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../../function/json.ts';
import { Ready, type RunFunctionRequest, type RunFunctionResponse } from '../../../function/wire/messages.ts';
import { conditionOf } from '../plane/kube.ts';
import { type Served, serveFunction } from './function.ts';

/**
 * Plays function-patch-and-transform, which cannot be had here, as far as the example of a larger composition uses it: three
 * kinds of patches, and readiness by a condition.
 */
export function servePatchFunction(folder: string): Promise<Served> {
  return serveFunction(folder, patched);
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
    ttlSeconds: 10,
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
