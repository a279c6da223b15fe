import { messageOf } from '../../errors/index.ts';
import { identityOf } from '../../objects/group-kind.ts';
import { type AppliedStatus, appliedStatus, steeredBy, steeringAnnotations } from '../../readiness/index.ts';
import { ReleaseError } from '../../release/error.ts';
import type { HookEvent } from '../../release/hook.ts';
import { type Release, withStatus } from '../../release/release.ts';
import { revisionKey } from '../../release/storage/storage.ts';
import { applyRelease } from '../apply/apply.ts';
import { withOwners } from '../apply/ownership.ts';
import { type ReleaseObject, resolveReleaseObjects, subtractObjects } from '../apply/release-object.ts';
import type { ChangeLog } from '../apply/seen-object.ts';
import { serverMilliseconds } from '../clock.ts';
import { withPrefix } from '../error.ts';
import { withEvidence } from '../evidence/with-evidence.ts';
import { withLogs } from '../logs/with-logs.ts';
import { isManifestSet } from '../manifests/manifest-set.ts';
import type { DeployOptions, ReuseOptions } from '../request.ts';
import { recordChanges } from '../state/object-changes.ts';
import { type OperationState, phaseEnd, revisionOf, withRevision } from '../state/operation-state.ts';
import { failFastOf, type SettleOptions } from '../wait/judge.ts';
import { limitedWait } from '../wait/limited-wait.ts';
import { readyTimeouts } from '../wait/limits.ts';
import { unwatchedObjects, waitUntilReady } from '../wait/ready.ts';
import { ownRevision, storedRevision, type Work } from '../work.ts';
import { requireAllowed } from './allowed-objects.ts';
import { deploymentTime } from './estimate.ts';
import { runHooks } from './hooks/run-hooks.ts';
import { deleteExcess } from './new-revision.ts';
import { mergesReused, reusedConfig } from './release-values.ts';
import { supersede, updateRevision } from './revisions.ts';
import type { StateTools, Step } from './step.ts';
import { requireTrusted } from './trust.ts';

export interface DeployStepsRequest
  extends
    ReuseOptions,
    Pick<
      DeployOptions,
      | 'wait'
      | 'waitStrategy'
      | 'waitForJobs'
      | 'noHooks'
      | 'description'
      | 'failFast'
      | 'failGrace'
      | 'readiness'
      | 'hookTimeout'
      | 'progressDeadline'
      | 'logs'
      | keyof SettleOptions
    > {
  cleanupOnFail?: boolean;
  prune?: boolean;
}

type DeployWork = Work<DeployStepsRequest>;

/**
 * Steps that bring the objects of a stored revision to the cluster. After `post-hooks`, the release
 * is ready, and is never undone.
 */
export const deploySteps: readonly Step<DeployStepsRequest>[] = [
  { id: 'pre-hooks', name: 'pre-hooks', run: (...step) => runHooksOf('pre', ...step) },
  { id: 'apply', name: 'apply', run: apply },
  { id: 'wait', name: 'wait', run: wait },
  { id: 'post-hooks', name: 'post-hooks', isDecisive: true, run: (...step) => runHooksOf('post', ...step) },
  { id: 'finish', name: 'finish', isUnlimited: true, run: finish },
  { id: 'prune', name: 'finish', isUnlimited: true, isSavedBefore: true, run: deleteOld },
];

async function runHooksOf(
  phase: 'pre' | 'post',
  state: OperationState,
  work: DeployWork,
  tools: StateTools,
): Promise<OperationState> {
  const { action } = revisionOf(state);
  if (action === 'uninstall' || action === 'test') throw new Error(`the verb ${action} deploys nothing`);
  const event: HookEvent = `${phase}-${action}`;
  if (work.request.noHooks === true) {
    tools.skipped('hooks are disabled');
    return state;
  }
  try {
    return await runHooks(state, work, event, tools, {
      failFast: work.request,
      hookTimeout: work.request.hookTimeout,
      logs: work.request.logs,
    });
  } catch (error) {
    if (action === 'install') throw withPrefix(`failed ${event}`, error);
    if (action === 'upgrade') throw withPrefix(`${event} hooks failed`, error);
    throw error;
  }
}

async function apply(state: OperationState, work: DeployWork, tools: StateTools): Promise<OperationState> {
  const { context, request } = work;
  const { signal } = tools;
  const { action, adopted, apply: settings, changes, baselines } = revisionOf(state);
  if (action === 'uninstall' || action === 'test') throw new Error(`the verb ${action} applies nothing`);
  const owner = { name: state.releaseName, namespace: state.namespace };
  const objects = await objectsOf(work, state, signal);
  readyTimeouts(objects); // fails before anything is applied
  await requireAllowed(context, { objects, namespace: state.namespace }, signal); // the policy may have changed
  const own = await ownRevision(work, state, signal);
  const old = replacedObjects(await baselineObjects(work, state, signal), objects, request);
  const [baseline] = baselines;
  const oldMethod =
    baseline === undefined ? undefined : (await storedRevision(work, state, baseline, signal)).release.apply_method;
  const log = recordChanges(changes, async (known) => {
    if (request.cleanupOnFail === true) await tools.save(withRevision(state, { changes: known }));
  });
  const applied = new Map<string, AppliedStatus>();
  work.cache.applied = applied;
  const readiness = readinessOptions(work);
  const steering = new Map(objects.map(({ ref, object }) => [identityOf(ref), steeringAnnotations(object)]));
  try {
    const change = { action, settings, owner, objects, old, oldMethod, adopted, onlyOwned: isManifestSet(own.release) };
    const noting: ChangeLog = {
      ...log,
      applied(object, response) {
        log.applied(object, response);
        const id = identityOf(object.ref);
        applied.set(id, appliedStatus(steeredBy(response, steering.get(id)), readiness));
      },
    };
    await applyRelease(change, noting, { ...tools, cluster: context.cluster, watching: context });
  } finally {
    tools.keep(withRevision(state, { changes: log.changes() }));
  }
  const { deleted } = log.changes();
  const removed = deleted.length === 0 ? '' : `, ${deleted.length} removed`;
  tools.done(`${countText(objects.length, 'applied')}${removed}`);
  return withRevision(state, { changes: log.changes() });
}

async function wait(state: OperationState, work: DeployWork, tools: StateTools): Promise<OperationState> {
  const { wait: isWanted = true } = work.request;
  if (!isWanted) {
    tools.skipped('not requested');
    return state;
  }
  const estimate = await estimatedEnd(state, work, tools.signal);
  if (estimate !== undefined) tools.report({ estimate });
  const objects = await objectsOf(work, state, tools.signal);
  const named = objects.filter(({ ref }) => ref.name !== '');
  const refs = named.map(({ ref }) => ref);
  const { toCompletion, rules, strategy } = readinessOptions(work);
  const failFast = failFastOf(work.request, state.deadline.timeout);
  const { settle = 0, settleUnprobed = 0, settleCustom = 0, progressDeadline } = work.request;
  const unwatched = unwatchedObjects(refs, work.cache.applied ?? new Map(), settle > 0);
  const { changed, created } = revisionOf(state).changes;
  const seen = new Map([...changed, ...created].map((object) => [identityOf(object.ref), object]));
  const expected = named.map(({ ref, object }) => {
    return { ...seen.get(identityOf(ref)), ref, steering: steeringAnnotations(object) };
  });
  const options = {
    context: work.context,
    toCompletion,
    rules,
    strategy,
    labelled: true,
    unwatched,
    progressDeadline,
    readyTimeouts: readyTimeouts(objects),
    settle: { settle, settleUnprobed, settleCustom },
    failFast,
  };
  const areLogsFollowed = work.request.logs === true && toCompletion.length > 0;
  await withEvidence(state, work, tools, () => {
    return limitedWait(work.context, state.deadline, tools, (own) => {
      const ready = () => waitUntilReady(expected, { ...options, tools: own });
      return areLogsFollowed ? withLogs(state, work, own, { objects: created }, ready) : ready();
    });
  });
  tools.done(countText(refs.length, 'ready'));
  return state;
}

/** Returns when the operation ends if it takes as long as the one before. */
async function estimatedEnd(state: OperationState, work: DeployWork, signal: AbortSignal): Promise<string | undefined> {
  const [baseline] = revisionOf(state).baselines;
  if (baseline === undefined) return undefined;
  const time = deploymentTime(await storedRevision(work, state, baseline, signal));
  const { last_deployed: start = '' } = (await ownRevision(work, state, signal)).release.info;
  const isUseful = time !== undefined && time <= state.deadline.timeout && start !== '';
  return isUseful ? new Date(Date.parse(start) + time).toISOString() : undefined;
}

function readinessOptions({ context, request }: DeployWork) {
  const { waitForJobs = true, readiness: rules = [], waitStrategy: strategy } = request;
  const toCompletion = waitForJobs ? (['Job'] as const) : [];
  return { now: serverMilliseconds(context), toCompletion, rules, strategy };
}

/**
 * Marks the old revisions as superseded before the new one as deployed, as Helm does, so that there
 * are never two deployed revisions. Ignores the deadline and a cancel: the release is complete.
 * Ends the phase if no revisions are left to delete.
 */
async function finish(state: OperationState, work: DeployWork, tools: StateTools): Promise<OperationState> {
  const { storage, abandon } = work.context;
  for (const version of revisionOf(state).superseded) await supersedeVersion(version, state, work);
  const own = await ownRevision(work, state, abandon);
  const description = deployedDescription(state, work.request);
  const release = withStatus(own.release, 'deployed', description);
  const written = await updateRevision(storage, { ...own, release }, abandon, own.release.info.status);
  work.cache.revisions.set(revisionKey(release).version, written);
  tools.done(description);
  const { excess = [] } = revisionOf(state);
  return excess.length === 0 ? { ...state, step: phaseEnd } : state;
}

/** Only reports a failure: the release is complete, and the next operation deletes them, too. */
async function deleteOld(state: OperationState, work: DeployWork, tools: StateTools): Promise<OperationState> {
  const { abandon } = work.context;
  try {
    await deleteExcess(state, work, abandon);
    tools.done('old revisions are deleted');
  } catch (error) {
    if (abandon?.aborted === true) throw error;
    tools.report({ message: `old revisions are left: ${messageOf(error)}` });
  }
  return state;
}

/** Marks a revision as superseded, if it still exists. */
async function supersedeVersion(version: number, state: OperationState, work: DeployWork): Promise<void> {
  const { storage, abandon } = work.context;
  try {
    const stored = await storedRevision(work, state, version, abandon);
    await supersede(storage, stored, abandon, { config: await supersededConfig(stored.release, state, work) });
  } catch (error) {
    if (!(error instanceof ReleaseError) || error.code !== 'release_not_found') throw error;
  }
}

/** Returns the values that Helm stores in a revision whose values an upgrade has reused. */
async function supersededConfig(
  { version, config }: Release,
  state: OperationState,
  work: DeployWork,
): Promise<Release['config']> {
  const { action, baselines } = revisionOf(state);
  if (action !== 'upgrade' || version !== baselines[0] || config === undefined || !mergesReused(work.request)) {
    return config;
  }
  const { release } = await ownRevision(work, state, work.context.abandon);
  return reusedConfig(config, release.config ?? {});
}

function deployedDescription(state: OperationState, { description }: DeployStepsRequest): string {
  const { action, target } = revisionOf(state);
  if (action === 'rollback') return `Rollback to ${target ?? ''}`;
  return description ?? (action === 'install' ? 'Install complete' : 'Upgrade complete');
}

async function objectsOf(work: DeployWork, state: OperationState, signal: AbortSignal): Promise<ReleaseObject[]> {
  const own = await ownRevision(work, state, signal);
  requireTrusted(work.context, own, 'manifest is not applied');
  const { name, namespace, manifest } = own.release;
  const prefix = 'unable to build kubernetes objects from new release manifest';
  const objects = await resolveReleaseObjects(work.context, manifest, namespace, { prefix, signal });
  return withOwners(objects, { name, namespace });
}

/** Returns the objects of all revisions that the operation starts from, each one once. */
export async function baselineObjects(
  work: Work<unknown>,
  state: OperationState,
  signal: AbortSignal,
): Promise<ReleaseObject[]> {
  const prefix = 'unable to build kubernetes objects from current release manifest';
  const options = { prefix, signal, versions: 'any served' } as const;
  const objects: ReleaseObject[] = [];
  for (const version of revisionOf(state).baselines) {
    const { release } = await storedRevision(work, state, version, signal);
    const found = await resolveReleaseObjects(work.context, release.manifest, release.namespace, options);
    objects.push(...subtractObjects(found, objects));
  }
  return objects;
}

/** Returns the old objects without those that only they have, unless those are deleted. */
export function replacedObjects(
  old: readonly ReleaseObject[],
  objects: readonly ReleaseObject[],
  { prune = true }: Pick<DeployStepsRequest, 'prune'>,
): readonly ReleaseObject[] {
  return prune ? old : subtractObjects(old, subtractObjects(old, objects));
}

function countText(count: number, what: string): string {
  return `${count} ${count === 1 ? 'resource' : 'resources'} ${what}`;
}
