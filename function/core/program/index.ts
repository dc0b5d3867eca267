import type { JsonObject } from '../../json.ts';
import { canonicalJson } from '../canonical.ts';
import { entrypoint } from './entrypoint.ts';

/**
 * The name of the Pulumi project. It never changes: the platform hashes project and stack into its installation id, and
 * plain config keys belong to the project's namespace.
 */
export const PULUMI_PROJECT = 'di-framework-platform';

export const PLATFORM_PACKAGE = '@di-framework/platform';

/** Where the workspace mounts the tenantAuth client secret, whatever its key in the user's Secret is called. */
export const CLIENT_SECRET_FILE = '/etc/platform/tenant-auth/clientSecret';

/** The Secret in the platform namespace that `tenantAuth.oauthClient.secretName` names, key `clientSecret`. */
export const CLIENT_SECRET_NAME = 'platform-operator-tenant-auth';

export interface ProgramInput {
  /** exact version of the platform package */
  readonly version: string;
  /** config values that are too large for the Stack, by config key; absent while they fit */
  readonly largeSettings?: JsonObject;
  /** where the client secret is mounted, when not at the usual place */
  readonly clientSecretFile?: string;
}

/** The Pulumi program that installs the platform, as the data of its ConfigMap. Same input, same bytes. */
export function programFiles(input: ProgramInput): Record<string, string> {
  return {
    'Pulumi.yaml': projectFile(),
    'package.json': packageFile(input.version),
    'index.js': entrypoint({
      platformModule: `${PLATFORM_PACKAGE}/existing`,
      clientSecretFile: input.clientSecretFile ?? CLIENT_SECRET_FILE,
      clientSecretName: CLIENT_SECRET_NAME,
    }),
    ...(input.largeSettings === undefined ? {} : { 'settings.json': `${canonicalJson(input.largeSettings)}\n` }),
  };
}

function projectFile(): string {
  return [
    `name: ${PULUMI_PROJECT}`,
    'runtime:',
    '  name: nodejs',
    '  options:',
    '    typescript: false',
    'main: index.js',
    '',
  ].join('\n');
}

/** The platform pins the Pulumi SDKs it was built with; a second pin here could bring a second copy. */
function packageFile(version: string): string {
  return `${JSON.stringify({ private: true, dependencies: { [PLATFORM_PACKAGE]: version } }, null, 2)}\n`;
}
