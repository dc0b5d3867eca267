import { storageRootCases, targetCases } from './cases.immutable.ts';
import { specCases } from './cases.spec.ts';
import { statusCases } from './cases.status.ts';
import { tenancyCases } from './cases.tenancy.ts';
import { tenantAuthCases } from './cases.tenant.auth.ts';
import type { ApiCase } from './cases.types.ts';

export type { ApiCase } from './cases.types.ts';

/** What the schema of PlatformInstance accepts and refuses: for every judge of it, the real API server included. */
export const CASES: readonly ApiCase[] = [
  ...specCases,
  ...targetCases,
  ...storageRootCases,
  ...tenancyCases,
  ...tenantAuthCases,
  ...statusCases,
];
