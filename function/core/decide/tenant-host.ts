import { satisfies } from '../../api/versions.ts';
import type { Observed } from '../observe/index.ts';
import type { AppliedRun } from '../observe/memory.ts';
import { oneLine } from '../text.ts';

export interface TenantHostImage {
  /** undefined leaves the platform's own default */
  readonly image: string | undefined;
  readonly isSettingsDefault: boolean;
}

/** The spec's image, else the recorded one; a new instance records the default of the settings. */
export function decideTenantHostImage(observed: Observed, applied: AppliedRun | undefined): TenantHostImage {
  const explicit = observed.spec?.platform?.tenantHostImage;
  if (explicit !== undefined) return { image: explicit, isSettingsDefault: false };
  const fallback = observed.settings.tenantHost.image;
  if (applied !== undefined) return { image: applied.image, isSettingsDefault: applied.image === fallback };
  const isNew = observed.stack === undefined || observed.stack.runs?.current !== undefined;
  return isNew ? { image: fallback, isSettingsDefault: true } : { image: undefined, isSettingsDefault: false };
}

/** Raised before a run when the settings name the package versions that approve the default image. */
export function tenantHostProblem(observed: Observed, chosen: TenantHostImage): string | undefined {
  const range = observed.settings.tenantHost.approvedVersions;
  const version = observed.spec?.version;
  if (!chosen.isSettingsDefault || range === undefined || version === undefined) return undefined;
  if (satisfies(version, range)) return undefined;
  return unsupported(version, chosen.image ?? '');
}

/** The program's own refusal, recognised by the settings' pattern. */
export function tenantHostRefusal(
  observed: Observed,
  run: { version: string; image: string | undefined },
  error: string,
) {
  const { errorPattern, image } = observed.settings.tenantHost;
  if (errorPattern === undefined || run.image !== image) return undefined;
  return new RegExp(errorPattern).test(error) ? unsupported(run.version, image) : undefined;
}

function unsupported(version: string, image: string): string {
  return `Platform ${version} does not approve the default tenant host image ${oneLine(image)}; set platform.tenantHostImage`;
}
