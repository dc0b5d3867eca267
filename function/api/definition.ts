import type { JsonObject } from '../json.ts';
import { spec } from './instance.spec.ts';
import { status } from './instance.status.ts';
import { NAME_RULE } from './instance.ts';
import { structural } from './structural.ts';

const GROUP = 'platform.di-framework.dev';
const PLURAL = 'platforminstances';
const NAME = `${PLURAL}.${GROUP}`;
const VERSION = 'v1alpha1';

const NAMES: JsonObject = {
  kind: 'PlatformInstance',
  listKind: 'PlatformInstanceList',
  plural: PLURAL,
  singular: 'platforminstance',
  shortNames: ['pi'],
};

const COLUMNS: JsonObject[] = [
  { name: 'Version', type: 'string', jsonPath: '.spec.version' },
  { name: 'Installed', type: 'string', jsonPath: '.status.installedVersion' },
  { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
];

/** Deleting either definition deletes every instance: Argo CD must never do so as part of a sync. */
const GUARD: JsonObject = { 'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false' };

const DESCRIPTION = 'PlatformInstance is one isolated copy of the di-framework platform.';
const ROOT_RULES: JsonObject[] = [{ ...NAME_RULE, fieldPath: '.metadata.name' }];

/** Crossplane adds a column for the age, and the length of metadata.name, itself. */
export function compositeResourceDefinition(): JsonObject {
  return {
    apiVersion: 'apiextensions.crossplane.io/v2',
    kind: 'CompositeResourceDefinition',
    metadata: { name: NAME, annotations: GUARD },
    spec: {
      group: GROUP,
      names: NAMES,
      scope: 'Namespaced',
      // Of several Compositions for one kind Crossplane would pick any.
      defaultCompositionRef: { name: NAME },
      metadata: { annotations: GUARD },
      versions: [
        {
          name: VERSION,
          served: true,
          referenceable: true,
          additionalPrinterColumns: COLUMNS,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description: DESCRIPTION,
              required: ['spec'],
              properties: { spec: structural(spec), status: structural(status) },
              'x-kubernetes-validations': ROOT_RULES,
            },
          },
        },
      ],
    },
  };
}
