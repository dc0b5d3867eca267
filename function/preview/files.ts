import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject, listAt } from '../json.ts';
import type { Problem, Read } from './problems.ts';
import { readYaml } from './yaml.ts';

/** One manifest and where it was read. */
export interface Manifest {
  readonly file: string;
  readonly document: number;
  readonly object: JsonObject;
}

/** The manifests of a YAML file, or of the .yaml and .yml files of a folder in the order of their names. */
export function readManifests(path: string): Read<readonly Manifest[]> {
  const listed = listFiles(path);
  const read = listed.value.map(readManifestFile);
  return {
    value: read.flatMap((file) => file.value),
    problems: [...listed.problems, ...read.flatMap((file) => file.problems)],
  };
}

function listFiles(path: string): Read<readonly string[]> {
  return attempt(path, [], () => {
    if (!statSync(path).isDirectory()) return { value: [path], problems: [] };
    const names = readdirSync(path, { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && /\.ya?ml$/.test(entry.name))
      .map((entry) => join(path, entry.name));
    const problems = names.length > 0 ? [] : [{ file: path, path: '', message: 'holds no .yaml or .yml file' }];
    return { value: names.sort(), problems };
  });
}

function readManifestFile(file: string): Read<readonly Manifest[]> {
  const text = readTextFile(file);
  const manifests: Manifest[] = [];
  const problems: Problem[] = [...text.problems];
  for (const { number, content } of readYaml(text.value)) {
    if ('errors' in content) problems.push(...content.errors.map((error) => ({ file, document: number, ...error })));
    else if (!isObject(content.value))
      problems.push({ file, document: number, path: '', message: 'must be an object' });
    else manifests.push(...itemsOf(content.value).map((object) => ({ file, document: number, object })));
  }
  return { value: manifests, problems };
}

/** `kubectl get -o yaml` of several objects prints them as one List. */
function itemsOf(object: JsonObject): readonly JsonObject[] {
  const isList = object['apiVersion'] === 'v1' && object['kind'] === 'List';
  return isList ? listAt(object, 'items').filter(isObject) : [object];
}

export function readTextFile(file: string): Read<string> {
  return attempt(file, '', () => {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
    return { value: text, problems: [] };
  });
}

const CAUSES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read',
  EISDIR: 'is a folder',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8 text',
};

export function attempt<T>(file: string, otherwise: T, read: () => Read<T>): Read<T> {
  try {
    return read();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return { value: otherwise, problems: [{ file, path: '', message: CAUSES[code] ?? `cannot be read: ${code}` }] };
  }
}
