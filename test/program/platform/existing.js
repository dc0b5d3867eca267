'use strict';
// A stand-in for the platform package's entry point: it reads the config that it is given in the way the real one does
// (facts: typed getters on the project's namespace), creates a Namespace through a provider of its own, and exports
// outputs of the same shape, secret kubeconfigs among them.
const fs = require('node:fs');
const pulumi = require('@pulumi/pulumi');
const kubernetes = require('@pulumi/kubernetes');

const config = new pulumi.Config();
const kubeconfig = config.require('kubeconfig');
const record = { project: pulumi.getProject(), stack: pulumi.getStack(), config: {} };
const readers = {
  kubeconfig: 'get',
  kubernetesEndpoint: 'get',
  networkPolicyEngine: 'get',
  storageRoot: 'get',
  httpNodePort: 'getNumber',
  httpEndpoint: 'get',
  tenantHostImage: 'get',
  tenantHostImagePullPolicy: 'get',
  tenants: 'getObject',
  users: 'getObject',
  tenantAuth: 'getObject',
};
for (const [key, reader] of Object.entries(readers)) {
  const value = config[reader](key);
  if (value !== undefined) record.config[key] = value;
}
record.keys = Object.keys(pulumi.runtime.allConfig()).sort();
fs.writeFileSync(process.env.PLATFORM_RECORD, JSON.stringify(record));

const provider = new kubernetes.Provider('cluster', { kubeconfig: pulumi.secret(fs.readFileSync(kubeconfig, 'utf8')) });
const namespace = new kubernetes.core.v1.Namespace('wasmcloud', { metadata: { name: 'wasmcloud' } }, { provider });

exports.kubeconfig = kubeconfig;
exports.schemaVersion = 2;
exports.namespace = namespace.metadata.name;
exports.tenants = (record.config.tenants ?? []).map(({ name }) => ({ name, namespace: `di-tenant-${name}` }));
exports.users = (record.config.users ?? []).map(({ name }) => ({ name, namespace: 'wasmcloud' }));
exports.kubeconfigs = pulumi.secret({ acme: { alice: 'token: member-token-value' } });
exports.routeUrlPattern = undefined;
exports.endpoints = { http: config.get('httpEndpoint'), kubernetes: config.get('kubernetesEndpoint') };
