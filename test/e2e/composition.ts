import { isObject, type JsonObject, listAt, objectAt } from '../../function/json.ts';
import { instanceReference } from './instance.ts';
import { eventually } from './plane/eventually.ts';
import { type Kube, referenceOf } from './plane/kube.ts';
import { COMPOSITION } from './plane/package.ts';

/** A Composition of an instance's own, like the installed one, so that an edit of it is felt by nobody else. */
export class OwnComposition {
  readonly spec: JsonObject;
  readonly #kube: Kube;
  readonly #name: string;
  #original: JsonObject = {};

  constructor(kube: Kube, name: string) {
    this.#kube = kube;
    this.#name = name;
    /** to be put into the spec of the instance */
    this.spec = { crossplane: { compositionRef: { name } } };
  }

  async create(): Promise<void> {
    const { spec } = await this.#kube.get(referenceOf(COMPOSITION));
    this.#original = isObject(spec) ? spec : {};
    await this.#apply(this.#original);
  }

  /** The one step of the pipeline, changed. */
  async edit(change: (step: JsonObject) => JsonObject): Promise<void> {
    const [step] = listAt(this.#original, 'pipeline').filter(isObject);
    await this.#apply({ ...this.#original, pipeline: [change(step ?? {})] });
  }

  async editInput(input: JsonObject): Promise<void> {
    await this.edit((step) => ({ ...step, input: { ...objectAt(step, 'input'), ...input } }));
  }

  async restore(): Promise<void> {
    await this.#apply(this.#original);
  }

  /** An older revision that becomes the newest one again is no event for those who watch for new ones. */
  async untilFelt(instance: string, felt: () => Promise<boolean>): Promise<void> {
    await eventually(async () => {
      const annotations = { 'example.org/nudge': String(Date.now()) };
      await this.#kube.patch(instanceReference(instance), { metadata: { annotations } });
      return felt();
    }, 90_000);
  }

  async #apply(spec: JsonObject): Promise<void> {
    const { apiVersion, kind } = referenceOf(COMPOSITION);
    await this.#kube.apply({ apiVersion, kind, metadata: { name: this.#name }, spec });
  }
}
