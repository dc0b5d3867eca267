import type { JsonObject } from '../../function/json.ts';
import { type ApiCase, accepted, each, instance, refused, SPEC } from './cases.types.ts';

const withStatus = (status: JsonObject): JsonObject => ({ ...instance(SPEC), status });

const APPLIED = {
  generation: 3,
  tenants: 2,
  users: 5,
  tenantAuthIssuer: 'https://issuer.example',
  tenantHostImage: 'ghcr.io/di-framework/wash:2.8.0',
};

const WHOLE = {
  phase: 'Ready',
  observedGeneration: 4,
  installedVersion: '6.0.22',
  endpoints: { kubernetes: 'https://vcluster.pi-team-a-demo.svc:443', http: 'http://apps.example:30080' },
  kubeconfigSecretRef: { name: 'demo-kubeconfig' },
  applied: APPLIED,
  lastRepair: '2026-12-01T10:00:00Z',
  target: {
    serviceUID: '5b7f1c0a-0000-4000-8000-000000000001',
    resyncServiceUID: '5b7f1c0a-0000-4000-8000-000000000002',
    resyncStarted: '2026-12-01T09:00:00Z',
  },
  conditions: [
    {
      type: 'TargetReady',
      status: 'True',
      reason: 'Ready',
      message: 'The target cluster answers',
      lastTransitionTime: '2026-12-01T09:00:00Z',
      observedGeneration: 4,
    },
  ],
};

const PHASES = ['Pending', 'Provisioning', 'Installing', 'Ready', 'Failed', 'Deleting'];
const TEXTS = {
  'status.installedVersion': (value: string) => withStatus({ installedVersion: value }),
  'status.endpoints.kubernetes': (value: string) => withStatus({ endpoints: { kubernetes: value } }),
  'status.endpoints.http': (value: string) => withStatus({ endpoints: { http: value } }),
  'status.kubeconfigSecretRef.name': (value: string) => withStatus({ kubeconfigSecretRef: { name: value } }),
  'status.applied.tenantAuthIssuer': (value: string) =>
    withStatus({ applied: { ...APPLIED, tenantAuthIssuer: value } }),
  'status.applied.tenantHostImage': (value: string) => withStatus({ applied: { ...APPLIED, tenantHostImage: value } }),
  'status.target.serviceUID': (value: string) => withStatus({ target: { serviceUID: value } }),
  'status.target.resyncServiceUID': (value: string) => withStatus({ target: { resyncServiceUID: value } }),
};
const NUMBERS = {
  'status.observedGeneration': (value: number) => withStatus({ observedGeneration: value }),
  'status.applied.generation': (value: number) => withStatus({ applied: { ...APPLIED, generation: value } }),
};
const COUNTS = {
  'status.applied.tenants': (value: number) => withStatus({ applied: { ...APPLIED, tenants: value } }),
  'status.applied.users': (value: number) => withStatus({ applied: { ...APPLIED, users: value } }),
};
const TIMES = {
  'status.lastRepair': (value: string) => withStatus({ lastRepair: value }),
  'status.target.resyncStarted': (value: string) => withStatus({ target: { resyncStarted: value } }),
};

export const statusCases: readonly ApiCase[] = [
  accepted('A29', 'every status field', withStatus(WHOLE), { stored: { status: WHOLE } }),
  accepted('A29', 'a field that is not in the schema is dropped', withStatus({ phase: 'Ready', other: 1 }), {
    stored: { status: { phase: 'Ready' } },
  }),
  ...each('A29', 'status.phase', (phase: string) => withStatus({ phase }), { accept: PHASES, refuse: ['Unknown', ''] }),
  ...Object.entries(TEXTS).flatMap(([path, object]) => each('A29', path, object, { accept: ['', 'x'], refuse: [1] })),
  ...Object.entries(NUMBERS).flatMap(([path, object]) =>
    each('A29', path, object, { accept: [0, 2 ** 31, 2 ** 53 - 1], refuse: [1.5, '1'] }),
  ),
  ...Object.entries(COUNTS).flatMap(([path, object]) =>
    each('A29', path, object, { accept: [0, 2 ** 31 - 1], refuse: [2 ** 31, 1.5, '1'] }),
  ),
  ...['generation', 'tenants', 'users'].map((field) =>
    refused(
      'A29',
      `applied without ${field}`,
      `status.applied.${field}`,
      withStatus({ applied: { ...APPLIED, [field]: null } }),
    ),
  ),
  ...Object.entries(TIMES).flatMap(([path, object]) =>
    each('A29', path, object, {
      accept: ['2026-12-01T10:00:00Z', '2026-12-01T10:00:00.5+02:00'],
      refuse: ['yesterday', '2026-12-01', '', 1],
    }),
  ),
];
