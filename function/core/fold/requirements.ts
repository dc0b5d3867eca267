import { type JsonObject, stringAt } from '../../json.ts';
import type { Requirements, ResourceSelector, RunFunctionRequest } from '../../wire/messages.ts';
import { Key, Required } from '../keys.ts';
import { HELM_RELEASE } from '../names.ts';
import { hostNamespaceName, type Identity, observedNames } from '../observe/index.ts';
import { schemaFacts } from '../observe/schemas.ts';

/**
 * The same set for the same spec on every path, also on that of a FATAL answer: a changing one makes Crossplane give up
 * on the instance.
 */
export function requirements(request: RunFunctionRequest, identity: Identity | undefined): Requirements {
  const schemas = schemaFacts(request).wanted.map(
    ({ name, apiVersion, kind }) => [name, { apiVersion, kind }] as const,
  );
  const composite = request.composite?.resource;
  const isKnown = identity !== undefined && composite !== undefined;
  return { resources: isKnown ? selectors(request, identity, composite) : new Map(), schemas: new Map(schemas) };
}

function selectors(
  request: RunFunctionRequest,
  identity: Identity,
  composite: JsonObject,
): ReadonlyMap<string, ResourceSelector> {
  const names = observedNames(request, identity);
  const hostNamespace = hostNamespaceName(request, names);
  const inHost = (apiVersion: string, kind: string, matchName: string): ResourceSelector => {
    return { apiVersion, kind, matchName, namespace: hostNamespace };
  };
  const asked = new Map<string, ResourceSelector>([
    [Required.Service, inHost('v1', 'Service', HELM_RELEASE)],
    [Required.HeadlessService, inHost('v1', 'Service', `${HELM_RELEASE}-headless`)],
    [Required.StatefulSet, inHost('apps/v1', 'StatefulSet', HELM_RELEASE)],
    [Required.KubeconfigSecret, inHost('v1', 'Secret', `vc-${HELM_RELEASE}`)],
    [Required.ConfigSecret, inHost('v1', 'Secret', `vc-config-${HELM_RELEASE}`)],
    [Required.HostNamespace, { apiVersion: 'v1', kind: 'Namespace', matchName: hostNamespace }],
  ]);
  // Read from the raw spec, so that a spec that cannot be read as a whole still asks for the same set.
  const secret = stringAt(composite, 'spec', 'platform', 'tenantAuth', 'clientSecretRef', 'name');
  if (secret) {
    asked.set(Required.TenantAuthSecret, {
      apiVersion: 'v1',
      kind: 'Secret',
      matchName: secret,
      namespace: identity.namespace,
    });
  }
  if (request.resources.has(Key.PlatformStack)) {
    asked.set(Required.Workspace, {
      apiVersion: 'auto.pulumi.com/v1alpha1',
      kind: 'Workspace',
      matchName: names.composed[Key.PlatformStack],
      namespace: identity.namespace,
    });
  }
  return asked;
}
