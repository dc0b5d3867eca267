import { describe, expect, it } from 'vitest';
import { stringAt } from '../../function/json.ts';
import { Ready } from '../../function/wire/messages.ts';
import { MINIMAL, World } from './world.ts';

describe('the happy life of an instance', () => {
  it('[T01] begins with Creating, TargetPending and phase Provisioning', () => {
    const world = new World(MINIMAL);
    world.step();
    expect([world.condition('TargetReady'), world.condition('InstanceReady'), world.status()['phase']]).toEqual([
      'False Creating',
      'False TargetPending',
      'Provisioning',
    ]);
  });

  it('[T12] [I01] [R01] becomes Ready once the target answers and the first run has succeeded', () => {
    const world = World.ready(MINIMAL);
    expect(world.last?.desired.compositeReady).toBe(Ready.True);
    expect([
      world.condition('TargetReady'),
      world.condition('Installed'),
      world.condition('ConfigApplied'),
      world.condition('OwnerServiceProtected'),
      world.condition('InstanceReady'),
    ]).toEqual(['True Ready', 'True FirstInstall', 'True Applied', 'True AdmissionPolicyInstalled', 'True Ready']);
    expect(world.status()).toEqual({
      phase: 'Ready',
      observedGeneration: 1,
      installedVersion: '6.0.22',
      endpoints: { kubernetes: 'https://k.example', http: 'http://apps.example' },
      kubeconfigSecretRef: { name: 'blue-kubeconfig' },
      applied: {
        generation: 1,
        tenants: 0,
        users: 0,
        tenantHostImage: 'ghcr.io/di-framework/wash:2.8.0-wasi-tls-exclusive',
      },
      target: { serviceUID: stringAt(world.get('Service', 'vcluster'), 'metadata', 'uid') ?? '' },
    });
  });

  it('shows each phase on its way, and is Ready only at its end', () => {
    const world = new World(MINIMAL);
    const seen: string[] = [];
    const step = () => {
      world.step();
      seen.push(`${world.status()['phase']} ${world.condition('InstanceReady')}`);
    };
    step();
    world.syncObjects();
    step();
    world.syncRelease().chartObjects();
    step();
    world.controlPlaneUp();
    step();
    world.probe();
    step();
    world.syncObjects().stackRunning();
    step();
    world.stackDone();
    step();
    expect(seen).toEqual([
      'Provisioning False TargetPending',
      'Provisioning False TargetPending',
      'Provisioning False TargetPending',
      'Provisioning False TargetPending',
      'Installing False Installing',
      'Installing False Installing',
      'Ready True Ready',
    ]);
  });
});
