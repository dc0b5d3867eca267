import { parseAllDocuments, type ScalarTag, stringify } from 'yaml';
import { isObject, type Json, type JsonObject } from '../json.ts';

/**
 * Plain scalars mean what they mean to kubectl and to `crossplane composition render`, which read YAML 1.1 but leave
 * times and base-60 numbers as text. Source: yaml/go-yaml v2 resolve.go.
 */
const KUBERNETES_SCALARS: ScalarTag[] = [
  scalar('null', /^(?:~|null|Null|NULL)?$/, () => null),
  scalar('bool', /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/, () => true),
  scalar('bool', /^(?:n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/, () => false),
  scalar('int', /^[-+]?(?:0[bB][01_]+|0[oO][0-7_]+|0[xX][\da-fA-F_]+|\d[\d_]*)$/, readInteger),
  scalar('float', /^[-+]?(?:\.\d[\d_]*|\d[\d_]*(?:\.[\d_]*)?)(?:[eE][-+]?\d+)?$/, (text) =>
    Number(text.replaceAll('_', '')),
  ),
  scalar('float', /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/, () => Number.NaN),
];

function scalar(name: string, test: RegExp, resolve: (text: string) => unknown): ScalarTag {
  return { tag: `tag:yaml.org,2002:${name}`, default: true, test, resolve };
}

function readInteger(text: string): number {
  const digits = text.replaceAll('_', '').replace(/^[-+]/, '');
  const magnitude = /^0[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number(digits);
  return text.startsWith('-') ? -magnitude : magnitude;
}

export interface YamlDocument {
  /** counted from 1 */
  readonly number: number;
  readonly content: { readonly value: Json } | { readonly errors: readonly YamlError[] };
}

export interface YamlError {
  readonly path: string;
  readonly message: string;
}

/** The documents of a stream; documents without content are left out but counted. */
export function readYaml(text: string): YamlDocument[] {
  const documents = parseAllDocuments(text, {
    schema: 'failsafe',
    customTags: KUBERNETES_SCALARS,
    merge: true,
    logLevel: 'silent',
  });
  return [...documents].flatMap((document, index) => {
    const number = index + 1;
    const errors = [...document.errors, ...document.warnings];
    if (errors.length > 0) {
      // The library adds the lines around the error after a line break.
      const messages = errors.map((error) => ({ path: '', message: (error.message.split(':\n')[0] ?? '').trim() }));
      return [{ number, content: { errors: messages } }];
    }
    return contentOf(() => document.toJS() as Json).map((content) => ({ number, content }));
  });
}

function contentOf(read: () => Json): YamlDocument['content'][] {
  let value: Json;
  try {
    value = read();
  } catch (error) {
    // Aliases that grow into too much.
    return [{ errors: [{ path: '', message: error instanceof Error ? error.message : String(error) }] }];
  }
  if (value === null) return [];
  const errors = [...notJson(value, '')];
  return [errors.length > 0 ? { errors } : { value }];
}

/** Numbers that JSON, and so the API server, has no way to write. */
function* notJson(value: Json, path: string): Generator<YamlError> {
  if (typeof value === 'number' && !Number.isFinite(value)) yield { path, message: 'must be a finite number' };
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* notJson(item, `${path}[${index}]`);
  if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) yield* notJson(item, path === '' ? key : `${path}.${key}`);
  }
}

/** Documents with sorted keys, each after a line of dashes, as `crossplane composition render` prints them. */
export function printYaml(documents: readonly JsonObject[]): string {
  const options = {
    version: '1.1',
    sortMapEntries: true,
    lineWidth: 0,
    indentSeq: false,
    aliasDuplicateObjects: false,
  } as const;
  return documents.map((document) => `---\n${stringify(document, options)}`).join('');
}
