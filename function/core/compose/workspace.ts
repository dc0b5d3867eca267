import { type JsonObject, objectAt, stringAt } from '../../json.ts';
import { optional } from '../canonical.ts';
import type { Plan } from '../decide/plan.ts';
import { Annotation, Key } from '../keys.ts';
import type { Observed } from '../observe/index.ts';
import { resourceOf } from '../observe/workloads.ts';
import { manifestOf, ownLabels } from './object.ts';
import { PROGRAM_HASH_FILE } from './program.ts';

/** Written out on every container of ours: the operator's restricted profile covers its own containers only. */
const RESTRICTED: JsonObject = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };

/**
 * Runs before the agent: makes the passphrase once, never beside a state that was encrypted with another one, clears
 * locks that a killed pod left (there is a single writer), and copies the program once its ConfigMap has caught up.
 */
export const PREPARE_SCRIPT = `set -eu
state="$1" program="$2" workspace="$3" want="$4"
if [ "$(cat "$program/${PROGRAM_HASH_FILE}" 2>/dev/null)" != "$want" ]; then
  echo "the mounted program is not the newest one yet" >&2
  exit 1
fi
if [ ! -s "$state/passphrase" ]; then
  if [ -n "$(ls -A "$state/.pulumi/stacks" 2>/dev/null)" ]; then
    echo "the state volume holds a Pulumi state but no passphrase" >&2
    exit 1
  fi
  (umask 077; head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \\n' > "$state/passphrase.new")
  if [ "$(wc -c < "$state/passphrase.new")" -ne 64 ]; then
    echo "cannot write the passphrase to the state volume" >&2
    exit 1
  fi
  mv "$state/passphrase.new" "$state/passphrase"
fi
rm -rf "$state/.pulumi/locks"
mkdir -p "$workspace"
rm -f "$workspace/settings.json"
cp -L "$program"/* "$workspace"/
`;

/** The workspace pod of the Stack, as a template over what the operator generates. */
export function workspaceTemplate(observed: Observed, plan: Plan, programHash: string): JsonObject {
  const { workspace } = observed.settings;
  const pullSecrets = workspace.imagePullSecrets.map((name) => ({ name }));
  const environment = environmentVariables(observed);
  return {
    metadata: { labels: ownLabels(observed) },
    spec: {
      image: workspace.image,
      imagePullPolicy: 'IfNotPresent',
      securityProfile: 'restricted',
      resources: structuredClone(workspace.resources),
      ...(environment.length === 0 ? {} : { env: environment }),
      podTemplate: {
        metadata: { annotations: podAnnotations(observed, plan, programHash) },
        spec: {
          securityContext: { fsGroup: 1000, fsGroupChangePolicy: 'OnRootMismatch' },
          ...(pullSecrets.length === 0 ? {} : { imagePullSecrets: pullSecrets }),
          initContainers: [
            {
              name: 'prepare',
              image: workspace.image,
              command: ['sh', '-c', PREPARE_SCRIPT, 'prepare', '/state', '/program', '/share/workspace', programHash],
              resources: {},
              securityContext: structuredClone(RESTRICTED),
              volumeMounts: [
                { name: 'share', mountPath: '/share' },
                { name: 'state', mountPath: '/state' },
                { name: 'program', mountPath: '/program', readOnly: true },
              ],
            },
          ],
          containers: [{ name: 'pulumi', resources: {}, volumeMounts: mounts(observed) }],
          volumes: volumes(observed),
        },
      },
    },
  };
}

function mounts(observed: Observed): JsonObject[] {
  const always: JsonObject[] = [
    { name: 'kubeconfig', mountPath: '/etc/platform/kubeconfig', readOnly: true },
    { name: 'state', mountPath: '/state' },
  ];
  if (observed.spec?.platform?.tenantAuth === undefined) return always;
  return [...always, { name: 'tenant-auth', mountPath: '/etc/platform/tenant-auth', readOnly: true }];
}

function volumes(observed: Observed): JsonObject[] {
  const { names } = observed;
  const reference = observed.spec?.platform?.tenantAuth?.clientSecretRef;
  const claimName =
    stringAt(manifestOf(observed, Key.StackState), 'metadata', 'name') ?? names.composed[Key.StackState];
  return [
    { name: 'program', configMap: { name: names.composed[Key.StackProgram] } },
    { name: 'kubeconfig', secret: { secretName: names.kubeconfigSecret } },
    { name: 'state', persistentVolumeClaim: { claimName } },
    ...(reference === undefined
      ? []
      : [
          {
            name: 'tenant-auth',
            secret: {
              secretName: reference.name,
              // A Secret that goes away later must not keep the next pod from starting and saying so.
              optional: true,
              items: [{ key: reference.key, path: 'clientSecret' }],
            },
          },
        ]),
  ];
}

/** A change here gives a new pod: for a new program, and for a retry that only a new pod can make. */
function podAnnotations(observed: Observed, plan: Plan, programHash: string): JsonObject {
  const { current, previous } = plan.install.runs;
  const secret = resourceOf(observed.tenantAuthSecret);
  const inUse = objectAt(
    observed.stack?.resource,
    'spec',
    'workspaceTemplate',
    'spec',
    'podTemplate',
    'metadata',
    'annotations',
  );
  const needsPod = current !== undefined && current.attempt > 0 && previous?.failedInWorkspace === true;
  return {
    [Annotation.ProgramHash]: programHash,
    ...optional(Annotation.TenantAuthVersion, stringAt(secret, 'metadata', 'resourceVersion')),
    ...optional(Annotation.WorkspaceAttempt, needsPod ? current.token : stringAt(inUse, Annotation.WorkspaceAttempt)),
  };
}

function environmentVariables(observed: Observed): JsonObject[] {
  const { npmRegistry, proxy } = observed.settings.workspace;
  const pairs: readonly (readonly [string, string | undefined])[] = [
    ['npm_config_registry', npmRegistry],
    ['HTTP_PROXY', proxy.httpProxy],
    ['http_proxy', proxy.httpProxy],
    ['HTTPS_PROXY', proxy.httpsProxy],
    ['https_proxy', proxy.httpsProxy],
    ['NO_PROXY', proxy.noProxy],
    ['no_proxy', proxy.noProxy],
  ];
  return pairs.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}
