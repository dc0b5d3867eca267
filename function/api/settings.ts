import * as z from 'zod/mini';
import { isObject, type JsonObject } from '../json.ts';
import { keywords } from './fields.ts';
import type { Parsed } from './issues.ts';
import { read } from './read.ts';
import { freeForm } from './settings.fields.ts';
import { admission, cleanup, intervals, retry, tenantHost, ttl } from './settings.run.ts';
import { chart, placement, providerConfigs, storageRootBase, vcluster, workspace } from './settings.target.ts';
import type { Settings } from './settings.types.ts';

export type { ProviderConfigReference, Settings } from './settings.types.ts';

export const SETTINGS_API = { group: 'settings.platform.di-framework.dev', version: 'v1alpha1', kind: 'Settings' };

export const settings = z.strictObject({
  apiVersion: z.optional(z.literal(`${SETTINGS_API.group}/${SETTINGS_API.version}`)),
  kind: z.optional(z.literal(SETTINGS_API.kind)),
  metadata: z.optional(freeForm('Kept by tools; the function does not look at it.')),
  chart,
  vcluster,
  placement,
  providerConfigs,
  storageRootBase,
  intervals,
  retry,
  ttl,
  tenantHost,
  workspace,
  cleanup,
  admission,
  holdForFinalizer: z._default(z.boolean(), true),
});

keywords.add(settings, {
  description:
    "Settings of function-platform-instance: the input of its step in a Composition's pipeline. Every field has a default.",
});
keywords.add(settings.def.shape.holdForFinalizer, {
  description:
    'Create nothing for a new instance before it carries the finalizer of the teardown controller. False where that ' +
    'controller does not run: then deleting an instance leaves everything real in place.',
});

/** The settings with their defaults, or all that is wrong with the input, each unknown field by its name. */
export function readSettings(input: JsonObject | undefined): Parsed<Settings> {
  const parsed = read(settings, unset(input ?? {}));
  if ('issues' in parsed) return parsed;
  const { apiVersion: _, kind: __, metadata: ___, ...value } = parsed.value;
  return { value };
}

/** Helm and Kubernetes give null a meaning of their own in these. */
const OPAQUE = new Set(['values', 'affinity', 'tolerations']);

/** Deeper than any field of ours. */
const DEPTH = 8;

/** A field that is null counts as not given, but its name must be one we know. */
function unset(group: JsonObject, depth = DEPTH): unknown {
  if (depth === 0) return group;
  const entries = Object.entries(group).map(([name, value]) => {
    if (value === null) return [name, undefined] as const;
    return [name, isObject(value) && !OPAQUE.has(name) ? unset(value, depth - 1) : value] as const;
  });
  return Object.fromEntries(entries);
}
