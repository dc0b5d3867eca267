import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject, listAt, objectAt, stringAt } from '../json.ts';
import type { SchemaSelector } from '../wire/messages.ts';
import { attempt, readTextFile } from './files.ts';
import type { Problem, Read } from './problems.ts';

/** Whole OpenAPI v3 documents, as `kubectl get --raw /openapi/v3/apis/<group>/<version>` prints them. */
export function readSchemaDocuments(directory: string): Read<readonly JsonObject[]> {
  const listed = attempt(directory, [] as readonly string[], () => {
    const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.json'),
    );
    const problems = names.length > 0 ? [] : [{ file: directory, path: '', message: 'holds no .json file' }];
    return { value: names.sort().map((name) => join(directory, name)), problems };
  });
  const documents: JsonObject[] = [];
  const problems: Problem[] = [...listed.problems];
  for (const file of listed.value) {
    const text = readTextFile(file);
    const document = text.problems.length > 0 ? undefined : parseJson(text.value);
    problems.push(...text.problems);
    if (isObject(document)) documents.push(document);
    else if (text.problems.length === 0)
      problems.push({ file, path: '', message: 'must be an OpenAPI document in JSON' });
  }
  return { value: documents, problems };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const REFERENCE = '#/components/schemas/';

/** The schema of a kind with its references written out; undefined when no document has it. */
export function findSchema(documents: readonly JsonObject[], selector: SchemaSelector): JsonObject | undefined {
  for (const document of documents) {
    const schemas = objectAt(document, 'components', 'schemas') ?? {};
    const found = Object.values(schemas).find((schema) => isSchemaOf(schema, selector));
    if (isObject(found)) return writeOut(found, schemas, new Set());
  }
  return undefined;
}

/** Schemas that several kinds share, such as DeleteOptions, carry more than one kind and are the schema of none. */
function isSchemaOf(schema: unknown, selector: SchemaSelector): boolean {
  const kinds = isObject(schema) ? listAt(schema, 'x-kubernetes-group-version-kind') : [];
  const [kind] = kinds;
  if (kinds.length !== 1 || kind === undefined) return false;
  const group = stringAt(kind, 'group') ?? '';
  const version = stringAt(kind, 'version') ?? '';
  return (
    stringAt(kind, 'kind') === selector.kind && (group === '' ? version : `${group}/${version}`) === selector.apiVersion
  );
}

function writeOut(schema: JsonObject, schemas: JsonObject, above: ReadonlySet<string>): JsonObject {
  const reference = stringAt(schema, '$ref')?.replace(REFERENCE, '');
  if (reference !== undefined) {
    const target = objectAt(schemas, reference);
    // A schema within itself cannot be written out; it stays open there.
    if (target === undefined || above.has(reference)) return {};
    return writeOut(target, schemas, new Set([...above, reference]));
  }
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      isObject(value)
        ? writeOut(value, schemas, above)
        : Array.isArray(value)
          ? value.map((item) => (isObject(item) ? writeOut(item, schemas, above) : item))
          : value,
    ]),
  );
}
