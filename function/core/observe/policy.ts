import { isKindUnknown } from './conditions.ts';
import type { Observed } from './index.ts';
import type { ObjectFacts } from './object.ts';

/** The API server has no ValidatingAdmissionPolicy: it said so itself, or an Object met it. */
export function isPolicyUnavailable(observed: Observed): boolean {
  if (observed.schemas.absent.some((kind) => kind.name === 'admission-policy')) return true;
  return [observed.policy, observed.policyBinding].some(meetsUnknownKind);
}

function meetsUnknownKind(facts: ObjectFacts | undefined): boolean {
  return facts?.managed.kind === 'failing' && isKindUnknown(facts.managed.message);
}
