import { objectAt } from '../../json.ts';
import type { Observed } from '../observe/index.ts';

/** Why the client secret cannot be read, judged by existence and emptiness alone; its value never gets this far. */
export function tenantAuthProblem(observed: Observed): string | undefined {
  const reference = observed.spec?.platform?.tenantAuth?.clientSecretRef;
  if (reference === undefined) return undefined;
  const { tenantAuthSecret } = observed;
  const problem = (cause: string): string => `Cannot read the tenantAuth client secret: ${cause}`;
  if (tenantAuthSecret.kind === 'pending') return undefined;
  if (tenantAuthSecret.kind === 'absent') return problem(`Secret ${reference.name} does not exist`);
  const filled = objectAt(tenantAuthSecret.resource, 'data')?.[reference.key];
  if (filled === true) return undefined;
  return problem(`Secret ${reference.name} has ${filled === false ? 'an empty' : 'no'} key ${reference.key}`);
}
