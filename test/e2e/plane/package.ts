import { join } from 'node:path';
import { type JsonObject, listAt } from '../../../function/json.ts';
import { eventually } from './eventually.ts';
import { conditionOf, type Kube, referenceOf } from './kube.ts';
import { manifestsOf, root } from './manifests.ts';

const [definition = {}] = manifestsOf(join(root, 'package/configuration/definition.yaml'));
const [composition = {}] = manifestsOf(join(root, 'package/configuration/composition.yaml'));
export const COMPOSITION = composition;

/** Installs our XRD and Composition, and waits until Crossplane serves the API. */
export async function installPackage(kube: Kube, input: JsonObject): Promise<void> {
  await kube.apply(definition);
  await kube.apply(withInput(input));
  await eventually(async () => {
    const live = await kube.get(referenceOf(definition));
    const offered = conditionOf(live, 'Established');
    if (offered?.['status'] !== 'True')
      throw new Error(`the XRD is not established: ${JSON.stringify(live['status'])}`);
    return true;
  }, 60_000);
}

/** The shipped Composition with an input for its step: where a chart is pulled from is a matter of the site. */
export function withInput(input: JsonObject): JsonObject {
  const [step] = listAt(composition, 'spec', 'pipeline');
  const identity = { apiVersion: 'settings.platform.di-framework.dev/v1alpha1', kind: 'Settings' };
  const pipeline = [{ ...(step as JsonObject), input: { ...identity, ...input } }];
  return { ...composition, spec: { ...(composition['spec'] as JsonObject), pipeline } };
}
