import { readComposedErrors } from '../../sdk/index.ts';
import type { Plan } from '../decide/plan.ts';
import { wanted } from '../decide/wanted.ts';
import { Key } from '../keys.ts';
import type { Observed } from '../observe/index.ts';
import { isObjectReady } from '../observe/object.ts';
import { isPolicyUnavailable } from '../observe/policy.ts';
import { KINDS } from '../observe/schemas.ts';
import { oneLine, someOf } from '../text.ts';
import { isFalse, isTrue, unknown, type Verdict } from './verdict.ts';

export function targetReady(observed: Observed, plan: Plan): Verdict {
  if (plan.held !== undefined && observed.resources.size === 0) return unknown('Pending', plan.held);
  const { reason, message } = plan.target;
  const missing = missingKinds(observed, [Key.HostNamespace, Key.VCluster, Key.TargetProviderConfig]);
  if (missing !== undefined && reason !== 'Ready') return isFalse(reason, `${message}; ${missing}`);
  return reason === 'Ready' ? isTrue(reason, message) : isFalse(reason, message);
}

/** Kinds without which some of the keys cannot be composed, as a clause for a message. */
export function missingKinds(observed: Observed, keys: readonly Key[]): string | undefined {
  const absent = KINDS.filter(
    (kind) => observed.schemas.absent.includes(kind) && kind.keys.some((key) => keys.includes(key)),
  );
  if (absent.length === 0) return undefined;
  return `the API server does not serve kind ${someOf(absent.map((kind) => kind.title))}`;
}

export function installed(observed: Observed, plan: Plan): Verdict {
  const { problem, runs, active } = plan.install;
  if (problem !== undefined) return isFalse(problem.reason, problem.message);
  const { applied, current } = runs;
  const version = observed.spec?.version ?? '';
  if (applied === undefined) {
    if (active?.inFlight === true || (plan.target.ready && active !== undefined)) {
      return unknown('Installing', `Platform ${version} is being installed${trouble(observed)}`);
    }
    return unknown('Pending', `Platform ${version} waits for the target cluster`);
  }
  const isChanging = applied.version !== version || active?.kind === 'install';
  if (!isChanging) return isTrue(applied.reason, `Platform ${applied.version} is installed`);
  if (active?.inFlight === true && current?.version === version) {
    return unknown('Installing', `Platform ${version} is being installed over ${applied.version}${trouble(observed)}`);
  }
  return unknown('ChangePending', `Platform ${version} is to be installed over ${applied.version}`);
}

/** What a run stands on and that has no reason of its own: while one of these fails a run waits without a word. */
const SUPPORTS: readonly Key[] = [
  Key.TargetProviderConfig,
  Key.StackProgram,
  Key.StackServiceAccount,
  Key.StackAuthDelegator,
  Key.StackState,
];

function trouble(observed: Observed): string {
  const supports = SUPPORTS.flatMap((key) => {
    const resource = observed.resources.get(key);
    return resource === undefined ? [] : [[key, resource] as const];
  });
  const errors = readComposedErrors(new Map(supports)).map(({ name, message }) => `${name}: ${message}`);
  const missing = missingKinds(observed, [Key.PlatformStack]);
  const all = missing === undefined ? errors : [...errors, missing];
  return all.length === 0 ? '' : `; ${oneLine(someOf(all))}`;
}

export function configApplied(observed: Observed, plan: Plan): Verdict {
  const { problem, runs, active } = plan.install;
  if (problem?.reason === 'TenantAuthSecretUnavailable' || problem?.reason === 'TenantHostImageUnsupported') {
    return isFalse(problem.reason, problem.message);
  }
  const { applied, current } = runs;
  const want = observed.spec === undefined ? undefined : wanted(observed.spec);
  const isRunning = active?.inFlight === true && current?.hash === want?.hash;
  if (applied === undefined) {
    return isRunning
      ? unknown('Installing', 'The settings are being applied for the first time')
      : unknown('Pending', 'No settings are applied yet');
  }
  if (want === undefined || want.hash === applied.hash) {
    const issuer = applied.issuer === undefined ? 'no tenantAuth' : `issuer ${applied.issuer}`;
    return isTrue('Applied', `Generation ${applied.generation} is applied: ${counted(applied)}, ${issuer}`);
  }
  const text = `generation ${applied.generation} is applied and newer settings are`;
  return isRunning
    ? unknown('Installing', `${capital(text)} being applied`)
    : unknown('ChangePending', `${capital(text)} not applied yet`);
}

function counted(applied: { readonly tenants: number; readonly users: number }): string {
  const of = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
  return `${of(applied.tenants, 'tenant')}, ${of(applied.users, 'user')}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function ownerServiceProtected(observed: Observed): Verdict {
  if (isPolicyUnavailable(observed)) {
    return isFalse(
      'AdmissionPolicyUnavailable',
      'The API server has no ValidatingAdmissionPolicy; service/vcluster is not protected',
    );
  }
  const { policy, policyBinding } = observed;
  if (isObjectReady(policy) && isObjectReady(policyBinding)) {
    return isTrue('AdmissionPolicyInstalled', 'An admission policy denies deleting service/vcluster');
  }
  const causes = [policy, policyBinding].flatMap((facts) =>
    facts?.managed.kind === 'failing' ? [facts.managed.message] : [],
  );
  const cause = causes[0] === undefined ? '' : `: ${oneLine(causes[0])}`;
  return unknown('PolicyPending', `The admission policy and its binding are not both installed${cause}`);
}

export function instanceReady(observed: Observed, plan: Plan, target: Verdict): Verdict {
  const { problem, active, stateVolumeChanged, runs } = plan.install;
  if (observed.identity.deleting) return isFalse('Deleting', 'The instance is being deleted');
  if (plan.target.reason === 'TargetError') return isFalse('TargetError', plan.target.message);
  if (problem !== undefined) return isFalse(problem.reason, problem.message);
  if (stateVolumeChanged !== undefined) return isFalse('StateVolumeChanged', stateVolumeChanged);
  if (target.status === 'Unknown') return unknown('Pending', target.message);
  if (target.status === 'False') return isFalse('TargetPending', `Waiting for the target cluster: ${target.message}`);
  const version = observed.spec?.version ?? '';
  if (runs.applied?.version !== version || active?.kind === 'install') {
    return isFalse('Installing', `Platform ${version} is being installed`);
  }
  if (active?.kind === 'resync' || plan.target.resyncNeeded) {
    return isFalse('Installing', `Platform ${version} is being installed again after a resync`);
  }
  return isTrue('Ready', `Platform ${version} is ready`);
}
