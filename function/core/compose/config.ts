import type { Platform } from '../../api/instance.ts';
import type { Json, JsonObject } from '../../json.ts';
import { canonicalJson } from '../canonical.ts';
import { apiUrl } from '../decide/target.ts';
import type { Observed } from '../observe/index.ts';
import type { Run } from '../observe/memory.ts';
import { CLIENT_SECRET_NAME } from '../program/index.ts';

export const KUBECONFIG_FILE = '/etc/platform/kubeconfig/kubeconfig';

/** The operator hands all config over in one argument of at most 128 KiB (facts of the agent); names and quotes count too. */
const CONFIG_LIMIT = 96 * 1024;

export interface PlatformConfig {
  /** config of the Stack, every value a string */
  readonly config: { readonly [key: string]: string };
  /** values that are too large for it: the program carries them */
  readonly large: JsonObject | undefined;
}

/** What the platform's program reads, under the names of the reference. What the spec leaves out is left out. */
export function platformConfig(observed: Observed, run: Run, storageRoot: string): PlatformConfig {
  const platform = observed.spec?.platform;
  const structured = structuredSettings(platform);
  const config: { [key: string]: string } = {
    kubeconfig: KUBECONFIG_FILE,
    kubernetesEndpoint: apiUrl(observed.hostNamespace.name),
    networkPolicyEngine: platform?.networkPolicyEngine ?? 'existing',
    storageRoot,
    ...(platform?.gateway === undefined ? {} : { httpNodePort: String(platform.gateway.httpNodePort ?? 0) }),
    ...(platform?.gateway?.httpEndpoint === undefined ? {} : { httpEndpoint: platform.gateway.httpEndpoint }),
    ...(run.image === undefined ? {} : { tenantHostImage: run.image }),
    ...(platform?.tenantHostImagePullPolicy === undefined
      ? {}
      : { tenantHostImagePullPolicy: platform.tenantHostImagePullPolicy }),
  };
  const texts = Object.entries(structured).map(([key, value]) => ({ key, value, text: canonicalJson(value) }));
  const large: JsonObject = {};
  let size = bytes(Object.entries(config).flat()) + bytes(texts.flatMap(({ key, text }) => [key, text]));
  for (const { key, value, text } of texts.toSorted(
    (a, b) => b.text.length - a.text.length || (a.key < b.key ? -1 : 1),
  )) {
    if (size > CONFIG_LIMIT) {
      large[key] = value;
      size -= bytes([text]);
    } else config[key] = text;
  }
  return { config, large: Object.keys(large).length === 0 ? undefined : large };
}

function structuredSettings(platform: Platform | undefined): { readonly [key: string]: Json } {
  const plain = (value: object): Json => JSON.parse(JSON.stringify(value)) as Json;
  return {
    ...(platform?.tenants === undefined ? {} : { tenants: plain(platform.tenants) }),
    ...(platform?.users === undefined ? {} : { users: plain(platform.users) }),
    ...(platform?.tenantAuth === undefined ? {} : { tenantAuth: tenantAuth(platform.tenantAuth) }),
  };
}

/** The client secret is named, never carried: the program writes it into the Secret of that name. */
function tenantAuth(auth: NonNullable<Platform['tenantAuth']>): Json {
  const { clientId, clientSecretRef: _, ...rest } = auth;
  const plain = JSON.parse(JSON.stringify(rest)) as JsonObject;
  return { ...plain, oauthClient: { id: clientId ?? '', secretName: CLIENT_SECRET_NAME } };
}

function bytes(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
