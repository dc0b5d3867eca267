import type { Settings } from '../../api/settings.types.ts';
import type { JsonObject } from '../../json.ts';
import { filled, optional } from '../canonical.ts';
import { Annotation, Label } from '../keys.ts';
import { CLEANUP_SCRIPT } from './job.script.ts';
import { Kinds } from './requests.ts';

const NAME_LIMIT = 63;
const MOUNT = '/instances';
const VOLUME = 'instances';

export interface CleanupOptions {
  readonly identity: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** short hash of the instance, as all that is composed carries it */
  readonly id: string;
  readonly attempt: number;
  /** node path under which the storage root lies as `<namespace>/<name>` */
  readonly base: string;
  readonly settings: Settings;
}

export function cleanupJobName(uid: string, attempt: number): string {
  const suffix = `-${attempt}`;
  return `pi-cleanup-${uid}`.slice(0, NAME_LIMIT - suffix.length) + suffix;
}

/**
 * The Job that removes an instance's storage root from its node. One pod and one try: the next attempt is a Job of its own.
 * It is never removed by itself, since it is what the failure is read from.
 */
export function cleanupJob(options: CleanupOptions): JsonObject {
  const { identity, id, attempt, settings } = options;
  const metadata = {
    labels: { [Label.Instance]: id, [Label.InstanceUid]: identity.uid },
    annotations: { [Annotation.Instance]: `${identity.namespace}/${identity.name}` },
  };
  return {
    apiVersion: Kinds.Job.apiVersion,
    kind: Kinds.Job.kind,
    metadata: { name: cleanupJobName(identity.uid, attempt), namespace: settings.cleanup.namespace, ...metadata },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: settings.intervals.deletionDeadline,
      template: { metadata: structuredClone(metadata), spec: podSpec(options) },
    },
  };
}

function podSpec({ identity, base, settings }: CleanupOptions): JsonObject {
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    ...placement(settings),
    securityContext: { runAsUser: 0, runAsGroup: 0, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name: 'cleanup',
        image: settings.cleanup.image,
        command: ['sh', '-c', CLEANUP_SCRIPT, 'cleanup', MOUNT, identity.namespace, identity.name],
        resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '128Mi' } },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          // What root needs to remove the files of others: to enter and change their directories, and the sticky ones.
          capabilities: { drop: ['ALL'], add: ['DAC_OVERRIDE', 'FOWNER'] },
        },
        terminationMessagePolicy: 'FallbackToLogsOnError',
        volumeMounts: [{ name: VOLUME, mountPath: MOUNT }],
      },
    ],
    volumes: [{ name: VOLUME, hostPath: { path: base, type: 'DirectoryOrCreate' } }],
  };
}

/** Where the pods of vClusters go, the data lies. */
function placement({ placement: { nodeSelector, tolerations, affinity } }: Settings): JsonObject {
  return {
    ...optional('nodeSelector', filled(nodeSelector)),
    ...optional('tolerations', filled(tolerations)),
    ...optional('affinity', affinity),
  };
}

/**
 * The base of a storage root that is the instance's default one, `<base>/<namespace>/<name>`; undefined for any other
 * path, and for one that may mean something else than it says.
 */
export function defaultRoot(
  root: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): { readonly base: string } | undefined {
  const end = `/${namespace}/${name}`;
  if (!root.endsWith(end) || !isSegment(namespace) || !isSegment(name)) return undefined;
  const base = root.slice(0, -end.length);
  const [start, ...segments] = base.split('/');
  return start === '' && segments.length > 0 && segments.every(isSegment) ? { base } : undefined;
}

function isSegment(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && !text.includes('/') && !text.includes('\0');
}
