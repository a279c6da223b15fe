import { setTimeout as sleep } from 'node:timers/promises';
import { retry } from '../../async/index.ts';
import { messageOf } from '../../errors/index.ts';
import { type Access, accessText } from '../../objects/access.ts';
import { hasClusterErrorCode, isTemporary } from '../../objects/cluster-error.ts';
import type { CommandPayloads } from '../../protocol/commands/index.ts';
import type { StoredRevision } from '../../release/storage/storage.ts';
import { operationAnnotation } from '../act/action.ts';
import { type PerformContext, type Performer, withoutUndefined } from '../command-operation.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import { plan } from '../plan/plan.ts';
import type { PlanEntry } from '../plan/plan-entry.ts';
import type { AnswerOf, UpgradeRequest } from '../request.ts';
import { stepRunner, type StepTools } from '../steps/step-runner.ts';
import { requireTrusted } from '../steps/trust.ts';
import { operation as upgrade } from '../upgrade.ts';
import { deployedChart } from './deployed-chart.ts';
import { guardianJob, guardianRef } from './guardian-job.ts';
import { findOwnAgent, notUpgradable, type OwnAgent, type OwnPod } from './own-agent.ts';
import {
  jobOfTrial,
  type StoredTrial,
  type Trial,
  TrialChangedError,
  trialName,
  trialSecret,
  type TrialStore,
} from './trial.ts';

type Payload = CommandPayloads['upgrade_agent'];
type Answer = AnswerOf<'upgrade_agent'>;

const defaultTimeout = 120_000;
const defaultSettle = 30_000;

/** A pod counts as ready for up to 15 s after its last good probe. */
const minSettle = 20_000;

/** Interval between two looks at the trial, in milliseconds. */
const interval = 1000;

/**
 * Shortest time for the guardian to begin, in milliseconds. It is half of the timeout of the
 * command if that is longer.
 */
const minGuardianTime = 60_000;

const fieldManager = 'helm-agent';

/** Without these, a guardian cannot bring the version before back. */
const neededKinds: ReadonlySet<string> = new Set([
  ...['ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding', 'Deployment'],
]);

/**
 * Upgrades the release of the agent. The process that performs it plans the upgrade and starts a
 * guardian, which does the rest; any process of the agent then waits for its outcome.
 */
export const operation: Performer<Payload, Answer> = {
  async perform(payload, context) {
    const { ownPod: own, id = '', whileWaiting = (wait) => wait(), whenStored } = context;
    if (own === undefined) throw notUpgradable('it does not run in a pod, or has no leader election');
    const store = trialSecret(own.cluster, own.namespace, own.agentId);
    const runner = stepRunner(endOf(context), context.host, context.progress);
    const found = await known(() => store.read(endOf(context)), endOf(context));
    if (found?.trial.id !== id) {
      await runner.step('check', async (tools) => {
        const trial = await prepare(payload, context, own, found?.trial);
        await known(() => begin(store, trial), endOf(context));
        tools.done(`revision ${trial.from} stays the one to return to`);
      });
    }
    const waiting = stepRunner(context.abandon ?? new AbortController().signal, context.host, context.progress);
    const trial = await whileWaiting(() => waiting.step('wait', (tools) => waitForEnd(store, own, context, tools)));
    whenStored?.(async () => {
      const job = await own.cluster.get(guardianRef(own));
      const { uid, annotations = {} } = job?.metadata ?? {};
      const isOwn = uid !== undefined && annotations[operationAnnotation] === id;
      if (isOwn) await own.cluster.delete(guardianRef(own), { uid });
      await store.remove(id);
    });
    return answerOf(trial);
  },
};

/** Attempts to store a trial, while the one of the command before may be removed. */
const maxAttempts = 5;

/** Stores a trial. Throws `pending_operation` if there is another one that has not ended. */
async function begin(store: TrialStore, trial: Trial): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const before = await store.read();
    if (before?.trial.id === trial.id) return; // an attempt whose answer was lost has stored it
    requireEnded(before?.trial);
    try {
      await store.write(trial, before?.version);
      return;
    } catch (error) {
      if (!(error instanceof TrialChangedError)) throw error;
    }
  }
  const secret = trialName(trial.agentId);
  throw new OperationError(
    'pending_operation',
    `the Secret ${secret} has an upgrade of another version of the agent; delete it if that has ended`,
  );
}

function requireEnded(trial: Trial | undefined): void {
  if (trial === undefined || trial.phase === 'ended') return;
  throw new OperationError(
    'pending_operation',
    `another upgrade of the agent is in progress; wait for its end, or delete the Secret ${trialName(trial.agentId)} if its Job does not exist`,
  );
}

function endOf({ signal, abandon }: OperationContext): AbortSignal {
  return abandon === undefined ? signal : AbortSignal.any([signal, abandon]);
}

/** Plans the upgrade, and returns its trial. Changes nothing else. */
async function prepare(
  payload: Payload,
  context: PerformContext,
  own: OwnPod,
  before: Trial | undefined,
): Promise<Trial> {
  const { timeout = defaultTimeout, settle = defaultSettle } = payload;
  requireEnded(before);
  if (settle < minSettle) throw new OperationError('bad_payload', `settle: must be at least ${minSettle / 1000}s`);
  const signal = endOf(context);
  const agent = await findOwnAgent(own, signal);
  requireOwnAccount(context, agent);
  await requireRights(own, signal);
  const { namespace } = own;
  const asAgent = { ...ownContext(context, own), signal };
  const deployed = await deployedRevision(asAgent, namespace, agent.releaseName);
  const request = requestOf(payload, context, deployed);
  const entry = await plan(asAgent, { plans: context.plans, operation: { verb: 'upgrade', request } });
  requireReturn(entry, agent);
  return {
    format: 1,
    id: context.id ?? '',
    agentId: own.agentId,
    ...{ namespace, releaseName: agent.releaseName, deployment: agent.deployment.metadata.name, lease: own.lease },
    ...{ from: deployed.release.version, plan: entry.id, oldTemplate: agent.template, timeout, settle },
    job: { ...guardianJob(own, context.id ?? '', agent.replicaSet) },
    phase: 'planned',
  };
}

/** Returns the context of an operation that the agent performs with its own rights. */
function ownContext(
  { account: _, ...context }: OperationContext,
  { cluster, access, storage, tracker }: OwnPod,
): OperationContext {
  return { ...context, cluster, access, storage, tracker };
}

/** Throws `forbidden` if a rights file maps the command to another account than the agent's own. */
function requireOwnAccount({ account }: OperationContext, agent: OwnAgent): void {
  if (account === undefined || account === agent.account) return;
  throw new OperationError(
    'forbidden',
    `the agent is upgraded with its own rights, and the rights file maps this command to ${account}; let the owner of the cluster add a rule with commands: [upgrade_agent] and account: ${agent.account}`,
  );
}

/** Throws `forbidden` if the agent cannot start a guardian. */
async function requireRights({ namespace, access }: OwnPod, signal: AbortSignal): Promise<void> {
  const jobs = (['create', 'get', 'delete'] as const).map((verb) => ({ verb, group: 'batch', resource: 'jobs' }));
  const leases = [{ verb: 'get' as const, group: 'coordination.k8s.io', resource: 'leases' }];
  const wanted: Access[] = [...jobs, ...leases].map((right) => ({ ...right, namespace }));
  const missing = await access.missing(wanted, signal);
  if (missing.length === 0) return;
  const texts = missing.map(accessText).join('; ');
  throw new OperationError(
    'forbidden',
    `the agent lacks rights to upgrade itself, so nothing was changed: ${texts}; the value selfUpgrade.enabled of its chart adds them`,
  );
}

/** Returns the newest revision, which must be deployed, and be one to return to. */
async function deployedRevision(context: OperationContext, namespace: string, name: string): Promise<StoredRevision> {
  const [newest] = await context.storage.query({ namespace, name, latestOnly: true }, context.signal);
  if (newest?.release.info.status !== 'deployed') {
    const status = newest?.release.info.status ?? 'missing';
    throw new OperationError(
      'no_deployed_release',
      `the newest revision of the release ${name} of the agent is ${status}; roll it back with helm first`,
    );
  }
  requireTrusted(context, newest, 'manifest cannot be deployed again if the new version fails');
  return newest;
}

/** Returns the request of the upgrade. Throws `bad_payload` if the command asks for nothing. */
function requestOf(
  { imageRepository, imageTag, imageDigest, timeout: _, settle: __, set = [], ...given }: Payload,
  context: PerformContext,
  { release }: StoredRevision,
): UpgradeRequest {
  const image = {
    ...(imageRepository !== undefined && { repository: imageRepository }),
    ...(imageTag !== undefined && { tag: imageTag, digest: imageDigest ?? '' }),
    ...(imageDigest !== undefined && { digest: imageDigest }),
  };
  const values = Object.entries(image).map(([name, value]) => ({
    kind: 'set-string' as const,
    text: `image.${name}=${value}`,
  }));
  const { chartName = release.chart.metadata?.name ?? '' } = given;
  if (given.chartName === undefined && values.length === 0 && set.length === 0 && given.values === undefined) {
    throw new OperationError('bad_payload', 'give an image, a chart or values to upgrade the agent to');
  }
  const request = upgrade.request(
    {
      ...withoutUndefined(given),
      ...{ namespace: release.namespace, releaseName: release.name, chartName, set: [...set, ...values] },
      ...{ resetThenReuseValues: true, wait: false, atomic: false },
      description: 'Upgrade of the agent by itself',
    },
    context,
  );
  const load = given.chartName === undefined ? () => Promise.resolve(deployedChart(release)) : request.loadChart;
  return {
    ...request,
    async loadChart(signal) {
      const chart = await load(signal);
      const { name } = release.chart.metadata ?? {};
      if (chart.name === name) return chart;
      throw new OperationError(
        'bad_payload',
        `chartName: the agent is one of the chart ${name ?? ''}, not ${chart.name}`,
      );
    },
  };
}

/** Throws `agent_not_upgradable` if the upgrade removes what the way back needs. */
function requireReturn({ content }: PlanEntry, { deployment }: OwnAgent): void {
  const lost = content.differences.find(
    ({ kind, change }) => neededKinds.has(kind) && (change === 'removed' || change === 'recreated'),
  );
  if (lost !== undefined) {
    throw notUpgradable(`it would remove ${lost.kind} ${lost.name}, which the way back needs; upgrade it with helm`);
  }
  const { name } = deployment.metadata;
  if (content.objects.some(({ ref }) => ref.kind === 'Deployment' && ref.name === name)) return;
  throw notUpgradable(`the chart has no Deployment ${name}`);
}

/** Waits until the trial has ended, and starts its guardian if it does not exist. */
async function waitForEnd(
  store: TrialStore,
  own: OwnPod,
  { id = '', signal: cancelled, host }: OperationContext,
  tools: StepTools,
): Promise<Trial> {
  const { signal } = tools;
  let phase = '';
  let reason = '';
  const now = () => Number(host.now() / 1_000_000n);
  const begun = now();
  for (;;) {
    const seen = await passing(async () => ({ stored: await store.read(signal) }));
    if (seen !== undefined && seen.stored?.trial.id !== id) {
      throw new OperationError('cancelled', 'the trial of the upgrade was deleted or replaced');
    }
    if (seen?.stored !== undefined) {
      const { stored } = seen;
      const { trial } = stored;
      if (trial.phase === 'ended') {
        tools.done(trial.failure === undefined ? 'the new version works' : 'the new version does not stay');
        return trial;
      }
      if (trial.phase !== phase) tools.report({ message: phaseTexts[trial.phase] });
      phase = trial.phase;
      await passing(() => ensureGuardian(own, trial, signal)).catch((error: unknown) => {
        reason = messageOf(error);
      });
      if (trial.phase === 'planned' && (cancelled.aborted || now() - begun >= guardianTime(trial))) {
        await passing(() => giveUp(store, stored, cancelled, reason));
      }
    }
    await sleep(interval, undefined, { signal });
  }
}

const phaseTexts: Readonly<Record<Trial['phase'], string>> = {
  planned: 'starting the guardian',
  upgrading: 'the guardian deploys the new version',
  watching: 'the new version has to prove itself',
  returning: 'the version before is deployed again',
  settling: 'the version before is starting',
  ended: 'the upgrade has ended',
};

function guardianTime({ timeout }: Trial): number {
  return Math.max(minGuardianTime, timeout / 2);
}

/** Ends a trial that no guardian has begun. */
async function giveUp(
  store: TrialStore,
  { trial, version }: StoredTrial,
  cancelled: AbortSignal,
  reason: string,
): Promise<void> {
  const failure = cancelled.aborted
    ? { code: 'cancelled', message: 'the upgrade was cancelled before it began' }
    : {
        code: 'agent_upgrade_failed',
        message: `no guardian has begun within ${guardianTime(trial) / 1000} s${reason === '' ? '' : `: ${reason}`}; look at the Job of the upgrade`,
      };
  try {
    await store.write({ ...trial, phase: 'ended', failure }, version);
  } catch (error) {
    if (!(error instanceof TrialChangedError)) throw error; // otherwise a guardian has begun
  }
}

/** Pauses before the API server is asked again, in milliseconds. Each request is repeated, too. */
const pauses = [1000, 2000, 5000, 5000, 10_000, 10_000];

/**
 * Asks the API server until it responds, for a limited time: the command must not fail while its
 * upgrade continues.
 */
async function known<Result>(attempt: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  return await retry(attempt, { pauses, canRetry: (error) => isTemporary(error) && !signal.aborted, signal });
}

/** Returns undefined if the API server does not respond, so that it is asked again. */
async function passing<Result>(attempt: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await attempt();
  } catch (error) {
    if (isTemporary(error)) return undefined;
    throw error;
  }
}

/** Starts the guardian. Deletes that of an earlier upgrade first. */
async function ensureGuardian(own: OwnPod, trial: Trial, signal: AbortSignal): Promise<void> {
  const { cluster } = own;
  const ref = guardianRef(own);
  const job = await cluster.get(ref, signal);
  if (job !== undefined) {
    const { annotations = {}, uid, deletionTimestamp } = job.metadata;
    if (annotations[operationAnnotation] === trial.id || deletionTimestamp !== undefined) return;
    await cluster.delete(ref, { signal, ...(uid !== undefined && { uid }) });
    return;
  }
  try {
    await cluster.create(jobOfTrial(trial), { fieldManager, signal });
  } catch (error) {
    if (!hasClusterErrorCode(error, 'already_exists')) throw error;
  }
}

function answerOf({ from, revision = 0, leader, failure, stuck, releaseName, namespace }: Trial): Answer {
  if (failure === undefined) return { from, revision, image: leader?.image ?? '', pod: leader?.pod ?? '' };
  const { code, message } = failure;
  if (stuck !== undefined) {
    const problem =
      revision === 0
        ? `the upgrade of the agent has failed: ${message}`
        : `revision ${revision} of the agent is deployed, and does not work: ${message}`;
    const advice = `roll the release ${releaseName} in the namespace ${namespace} back to revision ${from} with helm`;
    const text = `${problem}; the version before could not be deployed again: ${stuck}; ${advice}`;
    throw new OperationError(code, text, { cause: undefined });
  }
  if (revision === 0 || revision === from) throw new OperationError(code, message, { cause: undefined });
  throw new OperationError(
    code,
    `the agent is back at revision ${from}, deployed as ${revision}, because the new version did not work: ${message}`,
    { cause: undefined },
  );
}
