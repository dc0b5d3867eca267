import * as z from 'zod/mini';
import { choice, text } from './fields.ts';
import { HTTP_URL, IMAGE, NAMESPACE, RESOURCE_NAME } from './patterns.ts';
import { containerResources, freeForm, group, list, maybe, size, textMap } from './settings.fields.ts';

export const image = (description: string) => text(description, { max: 512, pattern: IMAGE });
export const resourceName = (description: string) => text(description, { max: 253, pattern: RESOURCE_NAME.source });
export const namespaceName = (description: string) => text(description, { max: 63, pattern: NAMESPACE.source });

export const chart = z.prefault(
  group('The vCluster Helm chart.', {
    repository: z._default(
      text('Where the chart is pulled from: an https:// Helm repository or an oci:// registry.', {
        max: 2048,
        pattern: '^(https?|oci)://[^\\s]+$',
      }),
      'https://charts.loft.sh',
    ),
    version: z._default(
      text('Exact version of the chart, without v.', { pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+([-+][0-9A-Za-z.+-]+)?$' }),
      '0.36.1',
    ),
    pullSecretName: maybe(
      resourceName("Secret in the instance's namespace with the keys username and password for the repository."),
    ),
    values: z._default(
      freeForm(
        'Values of the chart, merged under those that the function writes: where both have a value, its own is used. Values ' +
          'that no control plane could live with are refused.',
      ),
      {},
    ),
  }),
  {},
);

export const vcluster = z.prefault(
  group('The virtual cluster of an instance.', {
    kubernetesVersion: z._default(
      text('Kubernetes version inside: the tag of its image.', {
        max: 128,
        pattern: '^v[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z._-]+)?$',
      }),
      'v1.35.0',
    ),
    imageRegistry: maybe(
      text(
        "Registry that all images of the chart come from, such as registry.example:5000. Not set, the chart's own.",
        {
          max: 255,
          pattern: '^[0-9A-Za-z]([._:/-]?[0-9A-Za-z])*$',
        },
      ),
    ),
    imageRepository: z._default(
      text('Repository of the vCluster image in its registry.', {
        max: 255,
        pattern: '^[0-9a-z]+([._/-]+[0-9a-z]+)*$',
      }),
      'loft-sh/vcluster-oss',
    ),
    imagePullSecrets: z._default(
      list('Secrets in the host namespace to pull images with.', resourceName('Name of the Secret.')),
      [],
    ),
    resources: maybe(containerResources("Resources of the control plane. Not set, the chart's own.")),
    volumeSize: z._default(size('Size of the volume of the control plane. Fixed once it exists.'), '5Gi'),
    storageClassName: maybe(
      resourceName(
        "Storage class of the volume of the control plane. Not set, the cluster's default. Fixed once it exists.",
      ),
    ),
  }),
  {},
);

export const placement = z.prefault(
  group('Where the pods of vClusters, what they sync, and cleanup Jobs run.', {
    nodeSelector: z._default(textMap('Labels that a node must have.'), {}),
    tolerations: z._default(list('Taints that are tolerated.', freeForm('A toleration as pods have it.')), []),
    affinity: maybe(freeForm('Affinity as pods have it.')),
  }),
  {},
);

function providerConfig(description: string) {
  return z.prefault(
    group(description, {
      kind: z._default(
        choice("ClusterProviderConfig for the whole cluster, ProviderConfig for one in the instance's namespace.", [
          'ProviderConfig',
          'ClusterProviderConfig',
        ]),
        'ClusterProviderConfig',
      ),
      name: z._default(resourceName('Name of the provider configuration.'), 'default'),
    }),
    {},
  );
}

export const providerConfigs = z.prefault(
  group('What the providers use to reach the host cluster.', {
    helm: providerConfig('For the vCluster release.'),
    kubernetes: providerConfig('For objects outside of the namespace of the instance.'),
  }),
  {},
);

export const storageRootBase = z._default(
  text(
    'Path on the nodes under which an instance without a storageRoot of its own keeps its data, in <namespace>/<name>. ' +
      'Instances that exist stay where they are.',
    { max: 1024, pattern: '^/', valid: pathTrouble },
  ),
  '/var/lib/di-framework/instances',
);

/** Data is removed under this path: what it means must be plain from how it is written. */
function pathTrouble(path: string): string | undefined {
  if (!path.startsWith('/')) return 'must be an absolute path';
  if (path === '/') return 'must not be the root of the file system';
  const steps = path.slice(1).split('/');
  if (steps.some((step) => step === '' || step === '.' || step === '..')) {
    return 'must not have empty, . or .. steps or a slash at its end';
  }
  return steps.every((step) => /^[\w.@+-]+$/.test(step)) ? undefined : 'must be made of letters, digits and . _ - + @';
}

const url = (description: string) => text(description, { max: 2048, pattern: HTTP_URL });
const proxyUrl = (description: string) => text(description, { max: 2048, pattern: '^(https?|socks5h?)://[^\\s]+$' });

export const workspace = z.prefault(
  group('The pod of the Pulumi operator that installs the platform.', {
    image: z._default(image('Image of the pod.'), 'pulumi/pulumi:3.261.0-nonroot'),
    resources: z._default(containerResources('Resources of the pod. What is given here replaces all of the default.'), {
      requests: { cpu: '100m', memory: '512Mi' },
      limits: { memory: '1Gi' },
    }),
    imagePullSecrets: z._default(
      list("Secrets in the instance's namespace to pull the image with.", resourceName('Name of the Secret.')),
      [],
    ),
    npmRegistry: maybe(url("npm registry that has the package. Not set, npm's own.")),
    proxy: z.prefault(
      group('Proxies for the pod.', {
        httpProxy: maybe(proxyUrl('For http.')),
        httpsProxy: maybe(proxyUrl('For https.')),
        noProxy: maybe(text('Hosts that are reached without a proxy, separated by commas.', { min: 1, max: 4096 })),
      }),
      {},
    ),
    backend: maybe(
      text('URL of the Pulumi backend. Not set, the state is kept on a volume of the instance.', {
        max: 2048,
        pattern: '^[a-z][a-z0-9+.-]*://[^\\s]+$',
      }),
    ),
    stateSize: z._default(size('Size of the volume for the state. Fixed once it exists.'), '1Gi'),
    stateStorageClassName: maybe(
      resourceName("Storage class of the volume for the state. Not set, the cluster's default. Fixed once it exists."),
    ),
  }),
  {},
);
