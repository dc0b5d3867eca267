import { formatIssue } from '../../api/issues.ts';
import { readSettings, SETTINGS_API } from '../../api/settings.ts';
import type { Settings } from '../../api/settings.types.ts';
import { type Json, type JsonObject, listAt, objectAt, stringAt } from '../../json.ts';
import { oneLine, someOf } from '../text.ts';
import { isObjectName } from './found.ts';

export type SettingsFacts = { readonly value: Settings } | { readonly problem: string };

const FUNCTION = /(^|-)function-platform-instance$/;

/** The name of the CompositionRevision whose pipeline composed the instance. */
export function revisionName(instance: JsonObject): string | undefined {
  const name = stringAt(instance, 'spec', 'crossplane', 'compositionRevisionRef', 'name');
  return isObjectName(name) ? name : undefined;
}

/** What the function was told when it composed the instance: the input of its step in the instance's CompositionRevision. */
export function settingsOf(instance: JsonObject, revision: JsonObject | undefined): SettingsFacts {
  const name = revisionName(instance);
  if (name === undefined) return { problem: 'the instance names no CompositionRevision' };
  if (revision === undefined) return { problem: `CompositionRevision ${name} does not exist` };
  const step = listAt(revision, 'spec', 'pipeline').find(isOurs);
  if (step === undefined) return { problem: `CompositionRevision ${name} has no step of function-platform-instance` };
  const read = readSettings(objectAt(step, 'input'));
  if ('value' in read) return read;
  return { problem: oneLine(`CompositionRevision ${name}: ${someOf(read.issues.map(formatIssue), 10)}`) };
}

/** A function may be installed under any name, but its input has our kind. */
function isOurs(step: Json): boolean {
  if (stringAt(step, 'input', 'apiVersion')?.startsWith(`${SETTINGS_API.group}/`) === true) return true;
  return FUNCTION.test(stringAt(step, 'functionRef', 'name') ?? '');
}
