import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { isObject, type JsonObject, objectAt } from '../../../function/json.ts';
import { eventually } from './eventually.ts';
import { conditionOf, type Kube } from './kube.ts';

export const root = join(import.meta.dirname, '../../..');

/** The objects of a YAML file, or of all YAML files of a folder. */
export function manifestsOf(path: string): JsonObject[] {
  if (!statSync(path).isDirectory()) return parseManifests(readFileSync(path, 'utf8'));
  const files = readdirSync(path).filter((name) => /\.ya?ml$/.test(name));
  return files.sort().flatMap((name) => manifestsOf(join(path, name)));
}

export function parseManifests(text: string): JsonObject[] {
  const documents = parseAllDocuments(text);
  return ('empty' in documents ? [] : documents).map((document): unknown => document.toJS()).filter(isObject);
}

/** The rules of a template of Crossplane's chart: with its only variables, the names, filled in. */
export function chartTemplate(text: string): JsonObject[] {
  const filled = text.replaceAll('{{ template "crossplane.name" . }}', 'crossplane');
  return parseManifests(filled.replaceAll(/^.*\{\{.*$/gm, ''));
}

export async function applyDefinitions(kube: Kube, definitions: readonly JsonObject[]): Promise<void> {
  await Promise.all(definitions.map((definition) => kube.apply(withoutConversion(definition))));
  await Promise.all(definitions.map((definition) => established(kube, definition)));
}

/** A conversion webhook is completed by the package manager, which does not run here; nothing is stored in two versions. */
function withoutConversion(definition: JsonObject): JsonObject {
  const { conversion: _, ...spec } = objectAt(definition, 'spec') ?? {};
  return { ...definition, spec };
}

async function established(kube: Kube, definition: JsonObject): Promise<void> {
  const metadata = definition['metadata'];
  const name = isObject(metadata) ? String(metadata['name']) : '';
  await eventually(async () => {
    const live = await kube.get({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name });
    return conditionOf(live, 'Established')?.['status'] === 'True';
  }, 30_000);
}
