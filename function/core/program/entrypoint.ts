/**
 * index.js of the program. It runs in the Stack's workspace with what the platform package brings, so it is plain
 * CommonJS for whatever Node that image has.
 *
 * Order of the client secret: the platform's `namespace` output belongs to the Namespace resource that it creates first,
 * so a Secret that takes its namespace from there follows the Namespace and precedes nothing: tenants become Ready
 * without it and pick it up when it is there.
 */
export function entrypoint(input: EntrypointInput): string {
  const constants = [
    `const PLATFORM = ${JSON.stringify(input.platformModule)};`,
    `const CLIENT_SECRET_FILE = ${JSON.stringify(input.clientSecretFile)};`,
    `const CLIENT_SECRET_NAME = ${JSON.stringify(input.clientSecretName)};`,
  ];
  return [HEAD, ...constants, BODY].join('\n');
}

interface EntrypointInput {
  /** module specifier of the platform's entry point for a cluster that exists */
  readonly platformModule: string;
  readonly clientSecretFile: string;
  /** name of the Secret in the platform namespace inside the instance */
  readonly clientSecretName: string;
}

const HEAD = `'use strict';
// Written by function-platform-instance: edits are overwritten.
const fs = require('node:fs');
const path = require('node:path');
const { createRequire } = require('node:module');
`;

const BODY = `
// The Pulumi SDKs are the platform's own dependencies: resolved from its folder they are the copies that it uses.
const platformRequire = createRequire(require.resolve(PLATFORM));
const pulumi = platformRequire('@pulumi/pulumi');

setLargeSettings(path.join(__dirname, 'settings.json'));
const config = new pulumi.Config();
const kubeconfig = contentOf('the kubeconfig', configured('kubeconfig'));
const clientSecret =
  config.get('tenantAuth') === undefined ? undefined : contentOf('the tenantAuth client secret', CLIENT_SECRET_FILE);

const platform = require(PLATFORM);
if (clientSecret !== undefined) writeClientSecret(clientSecret, platform.namespace);

// Named one by one: the platform also exports kubeconfigs, and outputs are plain text in the Stack's status.
module.exports = {
  schemaVersion: platform.schemaVersion,
  namespace: platform.namespace,
  endpoints: platform.endpoints,
  tenants: platform.tenants,
  users: platform.users,
};

// Settings that are too large for the Stack come in a file beside this one. What the Stack sets itself wins, so that a
// file left over from before changes nothing that is set now.
function setLargeSettings(file) {
  if (!fs.existsSync(file)) return;
  const large = {};
  for (const [key, value] of Object.entries(JSON.parse(fs.readFileSync(file, 'utf8')))) {
    large[pulumi.getProject() + ':' + key] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  pulumi.runtime.setAllConfig({ ...large, ...pulumi.runtime.allConfig() });
}

function configured(key) {
  const value = config.get(key);
  if (!value) throw new pulumi.RunError('cannot read the settings: config key ' + key + ' is missing');
  return value;
}

function contentOf(what, file) {
  let content;
  try {
    content = fs.readFileSync(file);
  } catch (error) {
    const cause = error.code === 'ENOENT' ? 'does not exist' : 'gives ' + error.code;
    throw new pulumi.RunError('cannot read ' + what + ': file ' + file + ' ' + cause);
  }
  if (content.length === 0) throw new pulumi.RunError('cannot read ' + what + ': file ' + file + ' is empty');
  return content;
}

function writeClientSecret(value, namespace) {
  const kubernetes = platformRequire('@pulumi/kubernetes');
  const provider = new kubernetes.Provider('platform-operator', {
    kubeconfig: pulumi.secret(kubeconfig.toString('utf8')),
    context: config.get('context'),
    enableServerSideApply: true,
    // The instance stays the same cluster when its certificates or address change: update, never replace.
    clusterIdentifier: 'platform-instance',
    // By default a changed Secret is deleted and created anew, and tenants would be without it in between.
    enableSecretMutable: true,
    // A run that was killed after the create, or a value edited by hand, must not fail every run after it.
    upsertExistingObjects: true,
    enablePatchForce: true,
  });
  new kubernetes.core.v1.Secret(
    CLIENT_SECRET_NAME,
    {
      metadata: { name: CLIENT_SECRET_NAME, namespace },
      data: { clientSecret: pulumi.secret(value.toString('base64')) },
    },
    { provider },
  );
}
`;
