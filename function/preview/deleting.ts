import { Annotation } from '../core/keys.ts';
import { type DataOutcome, type Rehearsal, rehearse } from '../core/teardown/rehearsal.ts';
import { type Named, titleOf } from '../core/teardown/requests.ts';
import type { Deed } from '../core/teardown/scene.ts';
import { isDeleting } from '../core/teardown/view.ts';
import { seconds } from '../core/time.ts';
import { type JsonObject, stringAt } from '../json.ts';
import type { RunFunctionResponse } from '../wire/messages.ts';
import { describe, identityOf } from './identity.ts';
import type { Inputs } from './inputs.ts';
import { inventoryOf } from './inventory.ts';

/** What deleting the instance destroys and keeps, in words, out of the plan that teardown follows. */
export function tellDeletion(inputs: Inputs, response: RunFunctionResponse, milliseconds: number): string {
  const now = seconds(milliseconds);
  const { instance, objects } = inventoryOf(inputs, response, now);
  const lines = [
    heading(instance),
    ...protection(inputs.composite),
    basis(inputs),
    '',
    ...body(rehearse(instance, objects, now)),
  ];
  return `${lines.join('\n')}\n`;
}

function heading(instance: JsonObject): string {
  const policy = stringAt(instance, 'spec', 'deletionPolicy') ?? 'Delete';
  return `Deleting ${describe(identityOf(instance))} (deletionPolicy ${policy})`;
}

/** The policy of package/install protects by any value but one: see there. */
function protection(composite: JsonObject): readonly string[] {
  const value = stringAt(composite, 'metadata', 'annotations', Annotation.Protected);
  if (value === undefined || value === 'false' || isDeleting(composite)) return [];
  return [`Policy platform-instance-protection refuses it while annotation ${Annotation.Protected} is there.`];
}

function basis({ observed, required }: Inputs): string {
  if (observed.size === 0) return 'Nothing observed is given, so this is about all that the instance may have.';
  const given = required.length === 0 ? 'observed resources' : 'observed and required resources';
  return `This is about what the ${given} show, and nothing else.`;
}

function body(rehearsal: Rehearsal): readonly string[] {
  const { deeds, collected, kept, stopped, targetLost } = rehearsal;
  const done = deeds.filter(({ verb, object }) => (verb === 'delete' || verb === 'patch') && !isOfCleanup(object));
  const going = deeds.filter(({ verb, object }) => verb === 'go' && !isOfCleanup(object));
  return [
    ...verdict(rehearsal),
    ...section('destroys, in this order:', [...grouped(done), ...dataRemoved(rehearsal)]),
    ...section('is being deleted already, and goes in any case:', grouped(going)),
    ...section(`goes with the instance${targetLost ? '' : ' (nothing real goes with it)'}:`, collected.map(titleOf)),
    ...(stopped === undefined || deeds.length > 0 ? keeps(rehearsal.data, kept) : []),
    ...adoption(rehearsal),
  ];
}

/** The Jobs of the way there are told with what they remove. */
function isOfCleanup({ kind }: Named): boolean {
  return kind === 'Job' || kind === 'Pod';
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
}

/** The one thing that whoever reviews this has to know. */
function verdict({ targetLost, data, retained, stopped }: Rehearsal): readonly string[] {
  const lost = [
    ...(targetLost ? ['the vCluster with all that runs in it'] : []),
    ...(data.removed ? ["the tenants' data on the node"] : []),
  ];
  const loss = lost.length === 0 ? 'No data is lost' : `DATA IS LOST: ${lost.join(' and ')}`;
  const held = stopped === undefined ? [] : [`The instance stays: ${stopped}.`];
  const why = retained === undefined ? '.' : `: everything real is kept, since ${retained}.`;
  return [lost.length === 0 ? `${loss}${why}` : `${loss}.`, ...held];
}

/** Managed resources are many, and nobody has to care for them. */
function grouped(deeds: readonly Deed[]): readonly string[] {
  const groups: Deed[][] = [];
  for (const deed of deeds) {
    const last = groups.at(-1);
    if (deed.managed && deed.verb !== 'patch' && last?.[0]?.managed === true && last[0].verb !== 'patch')
      last.push(deed);
    else groups.push([deed]);
  }
  return groups.flatMap(told);
}

function told(group: readonly Deed[]): readonly string[] {
  const [first] = group;
  if (first === undefined) return [];
  if (first.verb === 'patch') return [patched(first.object)];
  if (!first.managed) return [`${titleOf(first.object)}${REMARKS[first.object.kind] ?? ''}`];
  return ['managed resources (nothing real goes with them):', ...group.map((deed) => `  ${withTaken(deed)}`)];
}

function withTaken({ object, takes }: Deed): string {
  return [object, ...takes].map(titleOf).join(', and with it ');
}

function patched(object: Named): string {
  if (object.kind === 'Stack') return `the finalizer that its operator left on ${titleOf(object)}`;
  return `the right of ${titleOf(object)} to delete what it stands for`;
}

/** What somebody who does not know the kind should know. */
const REMARKS: Readonly<Record<string, string>> = {
  Stack: ' (nothing is uninstalled: the platform goes with its vCluster)',
  Namespace: ' with everything in it: the vCluster and all that runs in it',
  PersistentVolume: ' (synced from the vCluster)',
  PersistentVolumeClaim: ' with the state and the passphrase of the Pulumi stack',
};

function dataRemoved({ data, deeds }: Rehearsal): readonly string[] {
  if (!data.removed) return [];
  const job = deeds.findLast(({ object }) => object.kind === 'Job');
  return [`${data.root} on its node, with the tenants' data${job === undefined ? '' : `, by ${titleOf(job.object)}`}`];
}

function adoption({ retained, collected }: Rehearsal): readonly string[] {
  if (retained === undefined || collected.length === 0) return [];
  return ['', 'An instance that is created again under the same name takes over what is kept.'];
}

function keeps(data: DataOutcome, kept: readonly Named[]): readonly string[] {
  const onNode = data.removed || data.root === undefined ? [] : [`${data.root} on its node: ${data.because}`];
  const lines = [...kept.map((each) => `${titleOf(each)}${KEPT[each.kind] ?? ''}`), ...onNode];
  return section('keeps:', lines.length === 0 ? ['nothing that is known of'] : lines);
}

const KEPT: Readonly<Record<string, string>> = {
  Namespace: REMARKS['Namespace'] ?? '',
  PersistentVolumeClaim: REMARKS['PersistentVolumeClaim'] ?? '',
};
