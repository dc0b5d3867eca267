import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../function/json.ts';

export const PACKAGE = resolve(import.meta.dirname, '../../package');

export interface Manifest {
  /** path under package/ */
  readonly file: string;
  readonly content: JsonObject;
}

/** Paths under package/ of every YAML file below a folder. */
export function yamlFiles(folder: string): string[] {
  return readdirSync(join(PACKAGE, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => relative(PACKAGE, join(entry.parentPath, entry.name)))
    .sort();
}

export function manifestsOf(...files: readonly string[]): Manifest[] {
  return files.flatMap((file) => documentsOf(file).map((content) => ({ file, content })));
}

export function textOf(file: string): string {
  return readFileSync(join(PACKAGE, file), 'utf8');
}

function documentsOf(file: string): JsonObject[] {
  const documents = parseAllDocuments(textOf(file), { strict: true, uniqueKeys: true });
  if (!Array.isArray(documents)) throw new Error(`cannot read ${file}: no document`);
  const problems = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]);
  if (problems.length > 0) throw new Error(`cannot read ${file}: ${problems.join(', ')}`);
  return documents.map((document) => document.toJS());
}
