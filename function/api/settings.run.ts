import * as z from 'zod/mini';
import { text } from './fields.ts';
import { duration, group, list, maybe } from './settings.fields.ts';
import { image, namespaceName } from './settings.target.ts';
import { isVersionRange } from './versions.ts';

export const intervals = z.prefault(
  group('How often things happen and how long they may take.', {
    repair: duration('Time between two repairs: a refresh and an up that bring drift back.', '30m', '1m'),
    probe: duration('Time between two checks of the vCluster API. The third failing one counts.', '30s', '5s'),
    grace: duration('How long a cause must be seen before the control plane is restarted for it.', '45s', '1s'),
    startDeadline: duration('How long a start may stay silent before it counts as failed.', '10m', '1m'),
    deletionDeadline: duration('How long a step of a deletion may take before it counts as failed.', '10m', '1m'),
  }),
  {},
);

export const retry = z.prefault(
  group('How long a failed step waits before it is tried again. The time doubles from base to cap.', {
    base: duration('Before the first new attempt.', '1m', '1s'),
    cap: duration('At most.', '30m', '1s'),
  }).check(({ value, issues }) => {
    if (value.cap >= value.base) return;
    issues.push({ code: 'custom', input: value, path: ['cap'], message: 'must not be less than base' });
  }),
  {},
);

export const ttl = z.prefault(
  group('After how long Crossplane calls the function again when nothing else makes it.', {
    steady: duration('While nothing is awaited.', '60s', '1s'),
    pending: duration('While something is awaited.', '10s', '1s'),
  }),
  {},
);

export const tenantHost = z.prefault(
  group('The tenant host image of new instances that name none.', {
    image: z._default(image('The image, best with its digest.'), 'ghcr.io/di-framework/wash:2.8.0-wasi-tls-exclusive'),
    approvedVersions: maybe(
      text(
        'npm range of the package versions that approve the image, such as >=6.0.20 <7. Prereleases count as inside. Not ' +
          'set, nothing is checked beforehand.',
        { max: 256, valid: (range) => (isVersionRange(range) ? undefined : 'must be an npm version range') },
      ),
    ),
    errorPattern: maybe(
      text(
        'JavaScript regular expression that finds, in an error of the install, that the image is not approved. Not set, ' +
          'such an error counts as any other.',
        { min: 1, max: 512, valid: expressionTrouble },
      ),
    ),
  }),
  {},
);

function expressionTrouble(source: string): string | undefined {
  try {
    new RegExp(source);
    return undefined;
  } catch {
    return 'must be a JavaScript regular expression';
  }
}

export const cleanup = z.prefault(
  group('The Job that removes the data of a deleted instance from its node.', {
    image: z._default(
      image(
        'Image with a shell and rm. The rm of busybox gives up on paths of more than 4096 bytes, that of GNU does not.',
      ),
      'docker.io/library/busybox:1.37.0',
    ),
    namespace: z._default(
      namespaceName(
        'Namespace of the Job, whose pod runs as root and mounts a path of its node. Any other than the default needs a ' +
          'role for the teardown controller.',
      ),
      'crossplane-system',
    ),
  }),
  {},
);

const userName = text('The name.', {
  max: 1024,
  valid: (name) => (name.trim() === '' ? 'must not be empty' : undefined),
});

export const admission = z.prefault(
  group('Who may delete service/vcluster in spite of the admission policy.', {
    exemptUsers: z._default(list('Exact user names.', userName), [
      'system:serviceaccount:crossplane-system:provider-helm',
    ]),
    exemptGroups: z._default(list('Groups, for users whose names are not known.', userName), []),
  }),
  {},
);
