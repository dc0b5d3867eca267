import type { PlatformInstanceSpec } from '../../api/instance.ts';
import { shortHash } from '../../hash.ts';
import { at, isObject, type Json, type JsonObject, stringAt } from '../../json.ts';
import { canonicalJson, merged } from '../canonical.ts';
import type { Plan } from '../decide/plan.ts';
import { Annotation } from '../keys.ts';
import type { Observed } from '../observe/index.ts';
import { CHART_VALUES, type ChartValue, GROUPS, type Sources, SPEC_FIELDS } from './values.table.ts';

const RESTART = ['controlPlane', 'statefulSet', 'pods', 'annotations', Annotation.Restart] as const;

/**
 * The chart's values. Any change of them restarts the control plane, so they are carried byte for byte until there is a
 * cause: a restart, or something of what they are made of that the user changed.
 */
export function values(observed: Observed, plan: Plan): JsonObject {
  const inUse = observed.release?.values;
  if (inUse === undefined) return rendered(observed, plan);
  const isSame =
    isRecorded(observed, Annotation.ValuesSettings, valuesSettings(observed)) &&
    isRecorded(observed, Annotation.ValuesSpec, valuesSpec(observed));
  const carriesRestart = stringAt(inUse, ...RESTART) === String(plan.target.restart.n);
  return isSame && carriesRestart && !plan.target.restart.started ? inUse : rendered(observed, plan);
}

/** What was never recorded has not changed: a release of the function that looks at more restarts nothing. */
function isRecorded(observed: Observed, annotation: string, hash: string | undefined): boolean {
  const recorded = stringAt(observed.release?.resource, 'metadata', 'annotations', annotation);
  return recorded === undefined || hash === undefined || recorded === hash;
}

/** Hash of the settings that values are made of, as the user wrote them, without those that are fixed. */
export function valuesSettings(observed: Observed): string {
  const { input } = observed;
  const groups = GROUPS.flatMap((group) => {
    const given = at(input, group) ?? NOT_GIVEN[group];
    return given === undefined ? [] : [[group, withoutFixed(group, given)] as const];
  });
  return shortHash(canonicalJson({ ...Object.fromEntries(groups), values: at(input, 'chart', 'values') ?? null }));
}

/** How the first release of the function hashed a group that is not given; a group that came later is left out then. */
const NOT_GIVEN: { readonly [group in (typeof GROUPS)[number]]?: Json } = { vcluster: {}, placement: null };

function withoutFixed(group: string, given: Json): Json {
  if (!isObject(given)) return given;
  const isFixed = (name: string): boolean =>
    CHART_VALUES.some(({ policy, setting }) => policy === 'fixed' && setting?.[0] === group && setting[1] === name);
  return Object.fromEntries(Object.entries(given).filter(([name]) => !isFixed(name)));
}

/** Hash of what the spec says for the values; undefined while they are made of settings alone. */
export function valuesSpec(observed: Observed): string | undefined {
  const said = specValues(observed);
  return Object.keys(said).length === 0 ? undefined : shortHash(canonicalJson(said));
}

function specValues({ spec }: Observed): Sources['spec'] {
  const fields: readonly (readonly [string, (spec: PlatformInstanceSpec) => Json | undefined])[] =
    Object.entries(SPEC_FIELDS);
  const said = fields.map(([name, read]) => [name, (spec === undefined ? undefined : read(spec)) ?? null] as const);
  return Object.fromEntries(said) as Sources['spec'];
}

function rendered(observed: Observed, plan: Plan): JsonObject {
  const sources: Sources = {
    settings: observed.settings,
    spec: specValues(observed),
    name: observed.identity.name,
    host: observed.hostNamespace.name,
    restart: plan.target.restart.n,
    isNew: observed.release?.values === undefined,
  };
  const own = CHART_VALUES.reduce<JsonObject>((built, row) => {
    const value = rowValue(observed, row, sources, built);
    return value === undefined ? built : merged(built, nested(row.path, value));
  }, {});
  return merged(observed.settings.chart.values, own);
}

function rowValue(observed: Observed, row: ChartValue, sources: Sources, built: JsonObject): Json | undefined {
  const { path, policy, setting, render } = row;
  const isGiven = setting !== undefined && at(observed.input, ...setting) !== undefined;
  const isKept = policy === 'fixed' || (policy === 'sticky' && !isGiven);
  return (isKept ? at(observed.release?.values, ...path) : undefined) ?? render(sources, built) ?? undefined;
}

function nested(path: readonly string[], value: Json): JsonObject {
  return path.reduceRight<Json>((below, key) => ({ [key]: below }), value) as JsonObject;
}
