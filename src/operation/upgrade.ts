import { lastDeployed, lastSuccessful } from '../release/history.ts';
import type { Release } from '../release/release.ts';
import { isPending } from '../release/status.ts';
import type { StoredRevision } from '../release/storage/storage.ts';
import { formatTime } from '../release/time.ts';
import type { RenderedRelease } from '../render/release-renderer.ts';
import { applySettings, checkApplySettings, undoSettings } from './apply/apply-settings.ts';
import { checkOwnership } from './apply/ownership-check.ts';
import { resolveReleaseObjects, subtractObjects } from './apply/release-object.ts';
import { operationOf } from './command-operation.ts';
import type { OperationContext } from './context.ts';
import { OperationError } from './error.ts';
import { cleanUpText, notStoredText, throwFailure } from './failure-message.ts';
import { planningContext } from './plan/new-kinds.ts';
import { requireBase } from './plan/stale.ts';
import { deployAnswer, type Deployed, shownDifferences } from './release-answer.ts';
import type { RollbackRequest, UpgradeRequest } from './request.ts';
import { deployRequest, withoutFields } from './resolve.ts';
import { resume } from './resume.ts';
import { notReadyText, rollbackSteps, rollbackTo } from './rollback.ts';
import { initialState, runOperation } from './run.ts';
import {
  type OperationState,
  phaseEnd,
  type PhaseName,
  revisionOf,
  revisionState,
  withRevision,
} from './state/operation-state.ts';
import { cleanUpPhase, undoPhases } from './steps/clean-up.ts';
import { baselineObjects, deploySteps, replacedObjects } from './steps/deploy.ts';
import { failPhase, failRollbackPhase, settlePhase } from './steps/fail.ts';
import { checkNamespace, checkReleaseName } from './steps/names.ts';
import { requireAccess } from './steps/needed-access.ts';
import {
  defaultHistoryLimit,
  dryRunDescription,
  installLabels,
  newRevision,
  recordOwnRevision,
  requireFit,
  upgradeLabels,
} from './steps/new-revision.ts';
import { checkHookNames } from './steps/object-names.ts';
import { prepareSteps, renderedOf } from './steps/prepare.ts';
import { checkCustomKinds } from './steps/present-kinds.ts';
import { previewRevision } from './steps/preview.ts';
import { canRecover, failRecovered } from './steps/recover.ts';
import { pendingOperation } from './steps/revisions.ts';
import { type StateTools, stepsFor, type VerbTable } from './steps/step.ts';
import { isUnchanged } from './steps/unchanged.ts';
import { newWork, ownRevision, readHistory, storedRevision, type Work } from './work.ts';

type UpgradeWork = Work<UpgradeRequest>;

/** The steps of {@link upgrade} and of undoing it. */
export const upgradeTable: VerbTable<UpgradeRequest, Deployed> = {
  phases: {
    main: {
      limit: 'operation',
      steps: [
        { id: 'history', run: start },
        ...prepareSteps,
        { id: 'check', name: 'check', run: check },
        { id: 'record', name: 'record', run: record },
        ...deploySteps,
      ],
    },
    settle: settlePhase,
    fail: failPhase,
    'clean-up': cleanUpPhase,
    rollback: {
      limit: 'own',
      group: 'rollback',
      steps: stepsFor([{ id: 'history', run: startRollback }, ...rollbackSteps.slice(1)], undoRequest),
    },
    'fail-rollback': failRollbackPhase,
  },
  undo,
  outcome,
};

/**
 * Upgrades a release to another chart or other values (pkg/action/upgrade.go). If it fails, an
 * atomic upgrade rolls back to the last successful revision, and any other leaves its revision
 * `failed`.
 */
export async function upgrade(context: OperationContext, request: UpgradeRequest): Promise<Deployed> {
  const { releaseName, namespace } = request;
  checkReleaseName(releaseName, () => `release name is invalid: ${releaseName}`);
  checkNamespace(namespace);
  const tables = { upgrade: upgradeTable };
  return await runOperation(newWork(context, request), initialState(context, 'upgrade', request), tables);
}

async function start(state: OperationState, work: UpgradeWork, { signal }: StateTools): Promise<OperationState> {
  const revisions = await readHistory(work, state, signal);
  if (work.request.planned) requireBase(work.request.planned, revisions);
  return startUpgrade(state, revisions, work);
}

/**
 * Returns the state of an upgrade with its new revision. It starts from the revision whose objects
 * Helm takes to be in the cluster: the last deployed one. `revisions` are sorted, the oldest first.
 */
export function startUpgrade(
  state: OperationState,
  revisions: readonly StoredRevision[],
  { context, request }: UpgradeWork,
): OperationState {
  const last = revisions.at(-1);
  const isRecovered = last !== undefined && canRecover(context.host, last, request);
  if (last && !isRecovered && isPending(last.release.info.status)) throw pendingOperation();
  const status = last?.release.info.status;
  const fallback = isRecovered || status === 'failed' || status === 'superseded' ? last : undefined;
  const baseline = lastDeployed(revisions) ?? fallback;
  if (last === undefined || baseline === undefined) {
    throw new OperationError('no_deployed_release', `${JSON.stringify(state.releaseName)} has no deployed releases`);
  }
  const apply = applySettings(request, last.release.apply_method);
  checkApplySettings(apply);
  const superseded = [baseline.release.version];
  const { version } = last.release;
  const recovered = isRecovered ? { recovered: version } : {};
  // the client that has ended may have applied some objects of its revision
  const unfinished = isRecovered && baseline !== last ? [version] : failedAfter(revisions, baseline, request);
  const baselines = [...superseded, ...unfinished];
  const rest = { baselines, superseded, apply, ...recovered };
  return { ...state, revision: revisionState('upgrade', last.release.version + 1, rest) };
}

/** Returns the failed revisions after the deployed one, if they were stopped for this upgrade. */
function failedAfter(
  revisions: readonly StoredRevision[],
  { release: deployed }: StoredRevision,
  { ifBusy }: UpgradeRequest,
): number[] {
  if (ifBusy !== 'supersede') return [];
  const failed = revisions.filter(({ release: { info, version } }) => {
    return info.status === 'failed' && version > deployed.version;
  });
  return failed.map(({ release }) => release.version);
}

async function check(state: OperationState, work: UpgradeWork, tools: StateTools): Promise<OperationState> {
  const { context, request } = work;
  const { signal } = tools;
  installLabels(request.labels); // before anything changes
  const { namespace, releaseName: name } = state;
  const rendered = await renderedOf(work, state, signal);
  await requireFit(state, work, rendered, signal);
  const prefix = ''; // as in Helm, which checks the manifest before it builds its objects
  await checkCustomKinds(work, await context.renderer.readObjects(rendered.manifest, prefix, signal), signal);
  const planning = planningContext(work);
  const objects = await resolveReleaseObjects(planning, rendered.manifest, namespace, { prefix, signal });
  const known = await baselineObjects(work, state, signal);
  const { takeOwnership } = request;
  const options = { prefix: 'unable to continue with update', signal, takeOwnership };
  await checkHookNames(context, rendered.hooks, signal);
  const added = subtractObjects(objects, known);
  const hooks = request.noHooks === true ? [] : rendered.hooks;
  const old = replacedObjects(known, objects, request);
  const changed = { objects, old, hooks, cluster: planning.cluster, signal };
  const adopted = await requireAccess(state, work, changed, () =>
    checkOwnership(planning.cluster, added, { name, namespace }, options),
  );
  await previewRevision(state, work, { objects, old, adopted }, tools);
  if (request.unchanged === 'skip' && adopted.length === 0) {
    const last = await storedRevision(work, state, revisionOf(state).version - 1, signal);
    if (await isUnchanged({ last, state, candidate: { rendered, objects, old } }, work, tools)) {
      tools.done(`nothing changes; revision ${last.release.version} stays`);
      return { ...withRevision(state, { unchanged: true }), step: phaseEnd };
    }
  }
  return request.dryRun === true ? { ...state, step: phaseEnd } : withRevision(state, { adopted });
}

async function record(state: OperationState, work: UpgradeWork, tools: StateTools): Promise<OperationState> {
  const { version } = revisionOf(state);
  tools.done(`revision ${version}`);
  const rendered = await renderedOf(work, state, tools.signal);
  const { release: baseline } = await baselineOf(work, state, tools.signal);
  const last = await storedRevision(work, state, version - 1, tools.signal);
  return await recordOwnRevision(state, work, tools, {
    release: (deployedAt) => upgraded(state, baseline, rendered, deployedAt),
    labels: upgradeLabels(last.labels, work.request.labels),
    limit: work.request.historyLimit ?? defaultHistoryLimit,
    chunked: work.request.storage === 'chunked',
    isOwn: true,
    settleLast: () => failRecovered(state, work, tools),
  });
}

function baselineOf(work: UpgradeWork, state: OperationState, signal: AbortSignal): Promise<StoredRevision> {
  const [version] = revisionOf(state).baselines;
  if (version === undefined) throw new Error('an upgrade starts from a revision');
  return storedRevision(work, state, version, signal);
}

function upgraded(
  state: OperationState,
  baseline: Release,
  rendered: RenderedRelease,
  deployedAt: string,
  description = 'Preparing upgrade',
): Release {
  const { first_deployed } = baseline.info;
  const info = {
    ...(first_deployed !== undefined && { first_deployed }),
    last_deployed: deployedAt,
    description,
    status: 'pending-upgrade' as const,
  };
  const { releaseName: name, namespace } = state;
  const { version, apply } = revisionOf(state);
  return newRevision({ name, namespace, version }, info, rendered, apply.method);
}

/** The failed revision is stored as such, then its objects are deleted or rolled back. */
function undo(state: OperationState, { atomic = true, cleanupOnFail = false }: UpgradeRequest): readonly PhaseName[] {
  const plan: PhaseName[] = [
    'fail',
    ...(cleanupOnFail ? ['clean-up' as const] : []),
    ...(atomic ? ['rollback' as const] : []),
  ];
  const phases = undoPhases(state, plan);
  return state.phase === 'rollback' && isRollbackStored(state) ? ['fail-rollback', ...phases] : phases;
}

function isRollbackStored({ revision, undo: undoing }: OperationState): boolean {
  const step = undoing?.ended.at(-1)?.failure?.step;
  return revision?.action === 'rollback' && revision.stored !== 'no' && step !== 'finish';
}

/** Rolls back to the last successful revision. Ends the phase if there is none. */
async function startRollback(
  state: OperationState,
  work: Work<RollbackRequest>,
  { signal }: StateTools,
): Promise<OperationState> {
  const revisions = await readHistory(work, state, signal);
  const target = lastSuccessful(revisions);
  return target === undefined
    ? { ...state, step: phaseEnd }
    : rollbackTo(state, revisions, target.release.version, (method) => undoSettings(work.request, method));
}

/** A plan says what the upgrade changes, not how that is undone. */
function undoRequest(request: UpgradeRequest): RollbackRequest {
  const shared = withoutFields(request, ['ifBusy', 'prune', 'planned', 'preview']);
  return { ...shared, cleanupOnFail: false, dryRun: false };
}

async function outcome(state: OperationState, work: UpgradeWork): Promise<Deployed> {
  const { context, request } = work;
  throwFailure(state, work, {
    settle: notStoredText,
    fail: notStoredText,
    'clean-up': cleanUpText('upgrade'),
    rollback: (message, failure) => rolledBackText(state, message, failure && notReadyText(state, failure)),
    'fail-rollback': notStoredText,
  });
  const { version, unchanged = false, chartSignature } = revisionOf(state);
  if (unchanged) {
    const { release } = await storedRevision(work, state, version - 1, context.abandon);
    return { release, unchanged, chartSignature };
  }
  if (request.dryRun !== true) {
    return { release: (await ownRevision(work, state, context.abandon)).release, chartSignature };
  }
  const rendered = await renderedOf(work, state, context.signal);
  const { release: baseline } = await baselineOf(work, state, context.signal);
  const now = formatTime(context.host.now());
  const release = upgraded(state, baseline, rendered, now, request.description ?? dryRunDescription);
  return { release, chartSignature, differences: await shownDifferences(work, release) };
}

function rolledBackText(
  { releaseName, revision }: OperationState,
  message: string,
  second: string | undefined,
): string {
  if (second !== undefined) {
    return `an error occurred while rolling back the release. original upgrade error: ${message}: ${second}`;
  }
  return revision?.action === 'rollback'
    ? `release ${releaseName} failed, and has been rolled back due to rollback-on-failure being set: ${message}`
    : `unable to find a previously successful release when attempting to rollback. original upgrade error: ${message}`;
}

export const resumeUpgrade = resume({ upgrade: upgradeTable });

export const operation = operationOf('upgrade_release', {
  request: deployRequest,
  run: upgrade,
  resume: resumeUpgrade,
  answer: deployAnswer,
});
