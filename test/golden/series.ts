import { type JsonObject, objectAt, stringAt } from '../../function/json.ts';
import { previewUid } from '../../function/preview/identity.ts';
import { RESOURCE_NAME_ANNOTATION } from '../../function/preview/inputs.ts';
import { printYaml } from '../../function/preview/yaml.ts';
import { World } from '../core/world.ts';

/** Just before the fixed time of a preview, so that nothing is due at it. */
const START = Date.UTC(2023, 11, 31, 23, 50) / 1000;

export const STAGES = ['provisioning', 'installing', 'ready'] as const;
export type Stage = (typeof STAGES)[number];

/** Files by path, relative to the folder of the example. */
export type Files = ReadonlyMap<string, string>;

const API_VERSIONS: Readonly<Record<string, string>> = { StatefulSet: 'apps/v1' };

/** A world whose UIDs look like those of a cluster, and the same at every run. */
class ExampleWorld extends World {
  override now = START;
  private made = 0;

  override uid(): string {
    this.made += 1;
    return previewUid({ apiVersion: '', kind: 'Example', namespace: '', name: `${this.made}` });
  }
}

/** What is observed of an example while its life goes on, in the files that a preview and `crossplane render` take. */
export function series(example: JsonObject): Files {
  const metadata = objectAt(example, 'metadata') ?? {};
  const name = stringAt(metadata, 'name') ?? '';
  const world = new ExampleWorld(structuredClone(objectAt(example, 'spec') ?? {}), { name });
  const uid = previewUid({
    apiVersion: stringAt(example, 'apiVersion') ?? '',
    kind: stringAt(example, 'kind') ?? '',
    namespace: stringAt(metadata, 'namespace') ?? '',
    name,
  });
  Object.assign(objectAt(world.xr, 'metadata') ?? {}, { uid });
  const files = new Map<string, string>();
  const lives: { readonly [stage in Stage]: () => void } = {
    provisioning: () => {
      world.step();
      world.wait(10).syncObjects().step();
      world.wait(30).syncRelease().chartObjects().step();
    },
    installing: () => {
      world.wait(60).controlPlaneUp().step();
      world.wait(10).probe().step();
      world.wait(10).syncObjects().stackRunning().step();
    },
    ready: () => {
      world.wait(120).stackDone().step();
      world.wait(10).syncObjects().step();
    },
  };
  for (const stage of STAGES) {
    lives[stage]();
    for (const [path, object] of snapshot(world, stage)) files.set(path, printYaml([object]));
  }
  return files;
}

function* snapshot(world: World, stage: Stage): Generator<[string, JsonObject]> {
  for (const [key, resource] of world.composed) yield [`observed/${stage}/${key}.yaml`, annotated(key, resource)];
  for (const object of world.cluster.values()) {
    const kind = stringAt(object, 'kind') ?? '';
    const name = stringAt(object, 'metadata', 'name') ?? '';
    const file = `required/${stage}/${kind.toLowerCase()}-${name}.yaml`;
    yield [file, { apiVersion: API_VERSIONS[kind] ?? 'v1', ...withPlaceholders(object) }];
  }
  const secret = kubeconfigSecret(world);
  if (secret !== undefined) yield [`required/${stage}/secret-kubeconfig.yaml`, secret];
}

function annotated(key: string, resource: JsonObject): JsonObject {
  const metadata = objectAt(resource, 'metadata') ?? {};
  const annotations = { ...objectAt(metadata, 'annotations'), [RESOURCE_NAME_ANNOTATION]: key };
  return { ...resource, metadata: { ...metadata, annotations } };
}

const PLACEHOLDER = Buffer.from('placeholder').toString('base64');

/** A world keeps of a Secret which keys are filled; in a file they are filled with a placeholder. */
function withPlaceholders(object: JsonObject): JsonObject {
  if (object['kind'] !== 'Secret') return object;
  const filled = Object.entries(objectAt(object, 'data') ?? {}).map(([key, isFilled]) => {
    return [key, isFilled === true ? PLACEHOLDER : ''];
  });
  return { ...object, data: Object.fromEntries(filled) };
}

/** A preview finds the Release's connection details in the Secret that the Release writes them to. */
function kubeconfigSecret(world: World): JsonObject | undefined {
  if (world.connectionDetails.get('vcluster')?.get('kubeconfig') !== true) return undefined;
  const release = world.composed.get('vcluster');
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: stringAt(release, 'spec', 'writeConnectionSecretToRef', 'name') ?? '',
      namespace: stringAt(release, 'metadata', 'namespace') ?? '',
    },
    data: { kubeconfig: PLACEHOLDER },
  };
}
