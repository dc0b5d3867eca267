import type { Issue } from '../../api/issues.ts';
import { annotationTrouble, labelTrouble } from '../../api/metadata.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';

/** undefined for a value that the chart's schema and the API server take */
type Shape = (value: Json) => string | undefined;

const stringMap =
  (trouble: (name: string, value: string) => string | undefined): Shape =>
  (value) => {
    if (!isObject(value)) return 'must be an object';
    for (const [name, text] of Object.entries(value)) {
      if (typeof text !== 'string') return `must have text in ${name}, such as "1"`;
      const found = trouble(name, text);
      if (found !== undefined) return `${found} in ${name}`;
    }
    return undefined;
  };

const oneOf =
  (...allowed: readonly Json[]): Shape =>
  (value) =>
    allowed.includes(value) ? undefined : `must be one of ${allowed.join(', ')}`;

const listOf =
  (what: string, isGood: (item: Json) => boolean): Shape =>
  (value) =>
    Array.isArray(value) && value.every(isGood) ? undefined : `must be a list of ${what}`;

/** Fields that mean the same wherever the chart has them; its schema is closed and its types are those of Kubernetes. */
const SHAPES: { readonly [key: string]: Shape } = {
  labels: stringMap(labelTrouble),
  nodeSelector: stringMap(labelTrouble),
  annotations: stringMap(annotationTrouble),
  enabled: oneOf(true, false, 'auto', 'true', 'false'),
  replicas: (value) => (Number.isInteger(value) && Number(value) >= 0 ? undefined : 'must be a whole number'),
  imagePullPolicy: oneOf('', 'Always', 'IfNotPresent', 'Never'),
  podManagementPolicy: oneOf('Parallel', 'OrderedReady'),
  dnsPolicy: oneOf('', 'ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'),
  tolerations: listOf('objects', isObject),
  topologySpreadConstraints: listOf('objects', isObject),
  affinity: (value) => (isObject(value) ? undefined : 'must be an object'),
  imagePullSecrets: listOf('objects with a name', (item) => isObject(item) && typeof item['name'] === 'string'),
  resources: (value) => (isObject(value) ? resourcesTrouble(value) : 'must be an object'),
};

const QUANTITY = /^\d+(\.\d*)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE]\d+)?$/;

function resourcesTrouble(resources: JsonObject): string | undefined {
  for (const field of ['requests', 'limits']) {
    const given = resources[field];
    if (given === undefined || given === null) continue;
    if (!isObject(given)) return `must have an object in ${field}`;
    const bad = Object.entries(given).find(([, amount]) => amount !== null && !QUANTITY.test(String(amount)));
    if (bad !== undefined) return `must have a quantity in ${field}.${bad[0]}`;
  }
  return undefined;
}

/** Deeper than the chart nests its values. */
const DEPTH = 12;

/** Values that no control plane could be made of, each at its path. null leaves the chart's own value out. */
export function shapeIssues(values: JsonObject, path: string, depth = DEPTH): readonly Issue[] {
  if (depth === 0) return [];
  return Object.entries(values).flatMap(([key, value]): readonly Issue[] => {
    if (value === null) return [];
    const here = `${path}.${key}`;
    const shape = Object.hasOwn(SHAPES, key) ? SHAPES[key] : undefined;
    if (shape !== undefined) {
      const message = shape(value);
      return message === undefined ? [] : [{ path: here, message }];
    }
    return isObject(value) ? shapeIssues(value, here, depth - 1) : [];
  });
}
