import { readInstance } from '../api/instance.ts';
import { readSettings } from '../api/settings.ts';
import { unknownFields } from '../api/unknown.ts';
import { isObject, type JsonObject, listAt, stringAt } from '../json.ts';
import { type Manifest, readManifests } from './files.ts';
import { API_VERSION, describe, identityOf, KIND, previewUid, sameIdentity } from './identity.ts';
import type { Problem, Read } from './problems.ts';
import { readSchemaDocuments } from './schemas.ts';

export interface InputPaths {
  readonly instance: string;
  readonly observed: readonly string[];
  readonly required: readonly string[];
  readonly settings: string | undefined;
  readonly schemas: string | undefined;
}

export interface Inputs {
  /** with the defaults of its schema, as the API server would have stored it */
  readonly composite: JsonObject;
  /** by composition resource name */
  readonly observed: ReadonlyMap<string, JsonObject>;
  readonly required: readonly JsonObject[];
  readonly settings: JsonObject | undefined;
  readonly schemas: readonly JsonObject[] | undefined;
}

export const RESOURCE_NAME_ANNOTATION = 'crossplane.io/composition-resource-name';

/** Everything that the files hold, or everything that is wrong with them. */
export function readInputs(paths: InputPaths): Inputs | { readonly problems: readonly Problem[] } {
  const composite = readComposite(paths.instance);
  const observed = readObserved(paths.observed, composite.value);
  const required = readRequired(paths.required);
  const settings = paths.settings === undefined ? NOTHING : readSettingsFile(paths.settings);
  const schemas = paths.schemas === undefined ? NOTHING : readSchemaDocuments(paths.schemas);
  const problems = [composite, observed, required, settings, schemas].flatMap((part) => part.problems);
  if (problems.length > 0) return { problems };
  return {
    composite: composite.value,
    observed: observed.value,
    required: required.value,
    settings: settings.value,
    schemas: schemas.value,
  };
}

const NOTHING: Read<undefined> = { value: undefined, problems: [] };

function at(manifest: Manifest, path: string, message: string): Problem {
  return { file: manifest.file, document: manifest.document, path, message };
}

function readComposite(path: string): Read<JsonObject> {
  const { value: manifests, problems } = readManifests(path);
  const [manifest, ...others] = manifests;
  if (manifest === undefined) {
    return {
      value: {},
      problems: problems.length > 0 ? problems : [{ file: path, path: '', message: `holds no ${KIND}` }],
    };
  }
  const found = [
    ...problems,
    ...others.map((other) => at(other, '', `is one too many: one ${KIND} is previewed at a time`)),
  ];
  const { apiVersion, kind } = identityOf(manifest.object);
  if (apiVersion !== API_VERSION) found.push(at(manifest, 'apiVersion', `must be ${API_VERSION}`));
  if (kind !== KIND) found.push(at(manifest, 'kind', `must be ${KIND}`));
  found.push(...unknownFields(manifest.object).map((issue) => at(manifest, issue.path, issue.message)));
  const parsed = readInstance(manifest.object);
  if ('issues' in parsed) {
    const issues = parsed.issues.map((issue) => at(manifest, issue.path, issue.message));
    return { value: manifest.object, problems: [...found, ...issues] };
  }
  return { value: asStored(manifest.object, JSON.parse(JSON.stringify(parsed.value.spec))), problems: found };
}

/** The API server fills in defaults and drops fields that the schema does not have; spec.crossplane is Crossplane's own. */
function asStored(object: JsonObject, spec: JsonObject): JsonObject {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  const crossplane = isObject(object['spec']) ? object['spec']['crossplane'] : undefined;
  return {
    ...object,
    metadata: { ...metadata, uid: stringAt(metadata, 'uid') ?? previewUid(identityOf(object)) },
    spec: crossplane === undefined ? spec : { ...spec, crossplane },
  };
}

function readAll(paths: readonly string[]): Read<readonly Manifest[]> {
  const read = paths.map(readManifests);
  return { value: read.flatMap((part) => part.value), problems: read.flatMap((part) => part.problems) };
}

/** The rules are those of `crossplane composition render`. */
function readObserved(paths: readonly string[], composite: JsonObject): Read<ReadonlyMap<string, JsonObject>> {
  const { value: manifests, problems } = readAll(paths);
  const found: Problem[] = [...problems];
  const observed = new Map<string, JsonObject>();
  for (const manifest of manifests.filter((each) => !isOutputOnly(each.object))) {
    const name = stringAt(manifest.object, 'metadata', 'annotations', RESOURCE_NAME_ANNOTATION) ?? '';
    found.push(...identityProblems(manifest), ...ownershipProblems(manifest, composite));
    if (name === '') found.push(at(manifest, `metadata.annotations[${RESOURCE_NAME_ANNOTATION}]`, 'is required'));
    else if (observed.has(name)) {
      found.push(at(manifest, `metadata.annotations[${RESOURCE_NAME_ANNOTATION}]`, `${name} is there already`));
    }
    observed.set(name, manifest.object);
  }
  return { value: observed, problems: found };
}

/** What a preview prints beside composed resources, so that its output can be fed back as what is observed. */
function isOutputOnly(object: JsonObject): boolean {
  const { apiVersion, kind } = identityOf(object);
  return (apiVersion === API_VERSION && kind === KIND) || apiVersion.startsWith('render.crossplane.io/');
}

function ownershipProblems(manifest: Manifest, composite: JsonObject): Problem[] {
  const { namespace } = identityOf(composite);
  const uid = stringAt(composite, 'metadata', 'uid');
  const controller = listAt(manifest.object, 'metadata', 'ownerReferences').find(
    (owner) => isObject(owner) && owner['controller'] === true,
  );
  const problems: Problem[] = [];
  if (namespace !== '' && identityOf(manifest.object).namespace !== namespace) {
    problems.push(at(manifest, 'metadata.namespace', `must be ${namespace}, the namespace of the instance`));
  }
  if (controller !== undefined && uid !== undefined && stringAt(controller, 'uid') !== uid) {
    problems.push(at(manifest, 'metadata.ownerReferences', 'names a controller other than the instance'));
  }
  return problems;
}

function identityProblems(manifest: Manifest): Problem[] {
  const { apiVersion, kind, name } = identityOf(manifest.object);
  const required = { apiVersion, kind, 'metadata.name': name };
  return Object.entries(required)
    .filter(([, value]) => value === '')
    .map(([path]) => at(manifest, path, 'is required'));
}

function readRequired(paths: readonly string[]): Read<readonly JsonObject[]> {
  const { value: manifests, problems } = readAll(paths);
  const found: Problem[] = [...problems];
  for (const [index, manifest] of manifests.entries()) {
    const identity = identityOf(manifest.object);
    found.push(...identityProblems(manifest));
    const before = manifests.slice(0, index).find((other) => sameIdentity(identityOf(other.object), identity));
    if (before !== undefined) found.push(at(manifest, 'metadata.name', `${describe(identity)} is there already`));
  }
  return { value: manifests.map((manifest) => manifest.object), problems: found };
}

function readSettingsFile(path: string): Read<JsonObject | undefined> {
  const { value: manifests, problems } = readManifests(path);
  const [manifest, ...others] = manifests;
  const found = [...problems, ...others.map((other) => at(other, '', 'is one too many: settings are one object'))];
  if (manifest === undefined) return { value: undefined, problems: found };
  const parsed = readSettings(manifest.object);
  const issues = 'issues' in parsed ? parsed.issues.map((issue) => at(manifest, issue.path, issue.message)) : [];
  return { value: manifest.object, problems: [...found, ...issues] };
}
