import type { JsonObject } from '../../json.ts';
import { Key } from '../keys.ts';
import { HELM_RELEASE } from '../names.ts';
import type { Observed } from '../observe/index.ts';
import { objectAround, ownLabels } from './object.ts';

/**
 * vCluster makes its Service the owner of all that it syncs, so deleting that Service deletes every tenant's objects.
 * Fields that the API server defaults are written out, so that nobody sees a difference.
 */
export function ownerServicePolicy(observed: Observed): JsonObject {
  return objectAround(observed, Key.OwnerServicePolicy, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: observed.names.composed[Key.OwnerServicePolicy], labels: ownLabels(observed) },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        matchPolicy: 'Equivalent',
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': observed.hostNamespace.name } },
        objectSelector: {},
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['services'], scope: '*' },
        ],
      },
      validations: [{ expression: expression(observed), message: message(observed), reason: 'Forbidden' }],
    },
  });
}

export function ownerServicePolicyBinding(observed: Observed): JsonObject {
  return objectAround(observed, Key.OwnerServicePolicyBinding, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: observed.names.composed[Key.OwnerServicePolicyBinding], labels: ownLabels(observed) },
    spec: { policyName: observed.names.composed[Key.OwnerServicePolicy], validationActions: ['Deny'] },
  });
}

/** The name comes from the old object: a collection delete has no name in its request. */
function expression(observed: Observed): string {
  const { exemptUsers, exemptGroups } = observed.settings.admission;
  const allowed = [
    `oldObject.metadata.name != ${quoted(HELM_RELEASE)}`,
    ...(exemptUsers.length === 0 ? [] : [`request.userInfo.username in ${list(exemptUsers)}`]),
    ...(exemptGroups.length === 0 ? [] : [`request.userInfo.groups.exists(group, group in ${list(exemptGroups)})`]),
    'has(namespaceObject.metadata.deletionTimestamp)',
  ];
  return allowed.join(' || ');
}

function message(observed: Observed): string {
  const { namespace, name } = observed.identity;
  return `Service vcluster owns everything that PlatformInstance ${namespace}/${name} runs; delete the PlatformInstance instead`;
}

function list(items: readonly string[]): string {
  return `[${items.map(quoted).join(', ')}]`;
}

/** A CEL string literal; JSON's escapes are CEL's. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
