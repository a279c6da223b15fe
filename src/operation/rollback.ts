import type { Release } from '../release/release.ts';
import { customLabels, type StoredRevision } from '../release/storage/storage.ts';
import { formatTime } from '../release/time.ts';
import { type ApplySettings, applySettings, checkApplySettings } from './apply/apply-settings.ts';
import { resolveReleaseObjects } from './apply/release-object.ts';
import { operationOf } from './command-operation.ts';
import type { OperationContext } from './context.ts';
import { OperationError } from './error.ts';
import { cleanUpText, notStoredText, throwFailure } from './failure-message.ts';
import { requireBase } from './plan/stale.ts';
import { publicRelease } from './release-answer.ts';
import type { RollbackRequest } from './request.ts';
import { dryRunOption, settleOptions, waitOptions } from './resolve.ts';
import { resume } from './resume.ts';
import { initialState, runOperation } from './run.ts';
import {
  type Failure,
  type OperationState,
  phaseEnd,
  revisionOf,
  revisionState,
  withRevision,
} from './state/operation-state.ts';
import { cleanUpPhase, undoPhases } from './steps/clean-up.ts';
import { baselineObjects, deploySteps } from './steps/deploy.ts';
import { failPhase, settlePhase } from './steps/fail.ts';
import { withImageRules } from './steps/image-rules.ts';
import { checkNamespace, checkReleaseName } from './steps/names.ts';
import { requireAccess } from './steps/needed-access.ts';
import { defaultHistoryLimit, recordOwnRevision } from './steps/new-revision.ts';
import { checkStoredNames } from './steps/object-names.ts';
import { isPreviewed, previewRevision } from './steps/preview.ts';
import { canRecover, failRecovered, reportUnfinished } from './steps/recover.ts';
import type { StateTools, Step, VerbTable } from './steps/step.ts';
import { requireTrusted } from './steps/trust.ts';
import { newWork, ownRevision, readHistory, storedRevision, type Work } from './work.ts';

type RollbackWork = Work<RollbackRequest>;

/** The steps of {@link rollback}, of which the first selects the revision. */
export const rollbackSteps: readonly Step<RollbackRequest>[] = [
  { id: 'history', run: start },
  { id: 'check', name: 'check', run: check },
  { id: 'record', name: 'record', run: record },
  ...deploySteps,
];

/** The steps of {@link rollback} and of undoing it. */
export const rollbackTable: VerbTable<RollbackRequest, Release> = {
  phases: {
    main: { limit: 'operation', steps: rollbackSteps },
    settle: settlePhase,
    fail: failPhase,
    'clean-up': cleanUpPhase,
  },
  undo: (state, { cleanupOnFail = false }) =>
    undoPhases(state, cleanupOnFail && state.failure?.step === 'apply' ? ['fail', 'clean-up'] : ['fail']),
  outcome,
};

/**
 * Deploys an older revision of a release as a new one (pkg/action/rollback.go). If it fails, the
 * new revision is `failed`.
 */
export async function rollback(context: OperationContext, request: RollbackRequest): Promise<Release> {
  const { releaseName, namespace } = request;
  checkReleaseName(releaseName, () => `prepareRollback: Release name is invalid: ${releaseName}`);
  checkNamespace(namespace);
  const tables = { rollback: rollbackTable };
  return await runOperation(newWork(context, request), initialState(context, 'rollback', request), tables);
}

async function start(state: OperationState, work: RollbackWork, { signal }: StateTools): Promise<OperationState> {
  const { request } = work;
  const revisions = await readHistory(work, state, signal);
  const last = revisions.at(-1);
  if (request.planned) requireBase(request.planned, revisions);
  const isRecovered = last !== undefined && canRecover(work.context.host, last, request);
  if (last !== undefined) await requireReadable(work, state, request.version ?? last.release.version - 1, signal);
  const next = rollbackTo(state, revisions, request.version, (method) => applySettings(request, method));
  if (!isRecovered) return next;
  const { baselines, superseded } = revisionOf(next);
  // the client that has ended may have left some objects of the revision before
  return withRevision(next, { recovered: last.release.version, baselines: [...baselines, ...superseded] });
}

/** Throws `release_corrupt` if a revision exists and cannot be read. */
async function requireReadable(
  { context, cache }: RollbackWork,
  { namespace, releaseName: name }: OperationState,
  version: number,
  signal: AbortSignal,
): Promise<void> {
  const { revisions, unreadable = [] } = cache;
  if (unreadable.length > 0 && !revisions.has(version)) await context.storage.get({ namespace, name, version }, signal);
}

/**
 * Returns the state of a rollback with its new revision. Throws `release_not_found`. Without a
 * version, it rolls back to the revision before the newest. `settingsFor` returns how objects are
 * applied, from how those of the revision were.
 */
export function rollbackTo(
  state: OperationState,
  revisions: readonly StoredRevision[],
  version: number | undefined,
  settingsFor: (method: string | undefined) => ApplySettings,
): OperationState {
  const current = revisions.at(-1)?.release;
  if (!current) throw new OperationError('release_not_found', 'release: not found');
  const target = version ?? current.version - 1;
  const found = revisions.find(({ release }) => release.version === target);
  if (!found) throw new OperationError('release_not_found', `release has no ${target} version`);
  const apply = settingsFor(found.release.apply_method);
  checkApplySettings(apply);
  const deployed = revisions.filter(({ release }) => release.info.status === 'deployed');
  const superseded = deployed.map(({ release }) => release.version);
  const rest = { target, baselines: [current.version], superseded, apply };
  return { ...state, revision: revisionState('rollback', current.version + 1, rest) };
}

/** Runs before the revision is stored, because Helm leaves it pending if this fails. */
async function check(state: OperationState, work: RollbackWork, tools: StateTools): Promise<OperationState> {
  const { context, request } = work;
  const { signal } = tools;
  const { release } = await targetOf(work, state, signal);
  const prefix = 'unable to build kubernetes objects from new release manifest';
  const objects = await resolveReleaseObjects(context, release.manifest, state.namespace, { prefix, signal });
  await checkStoredNames(context, release, prefix, signal);
  if (isPreviewed(request) || context.access !== undefined || context.policy !== undefined) {
    const old = await baselineObjects(work, state, signal);
    const hooks = request.noHooks === true ? [] : (release.hooks ?? []);
    await requireAccess(state, work, { objects, old, hooks, cluster: context.cluster, signal }, () =>
      previewRevision(state, work, { objects, old }, tools),
    );
  }
  return request.dryRun === true ? { ...state, step: phaseEnd } : state;
}

async function record(state: OperationState, work: RollbackWork, tools: StateTools): Promise<OperationState> {
  const { version, apply } = revisionOf(state);
  const target = await targetOf(work, state, tools.signal);
  const current = await currentOf(work, state, tools.signal);
  tools.done(`revision ${version} as ${target.release.version}`);
  if (revisionOf(state).recovered === undefined) reportUnfinished(state, current, tools);
  return await recordOwnRevision(state, work, tools, {
    release: (deployedAt) => rolledBack(current.release, target.release, apply, deployedAt),
    labels: customLabels(target.labels),
    limit: work.request.historyLimit ?? defaultHistoryLimit,
    chunked: target.parts !== undefined,
    isOwn: target.isOwn === true,
    settleLast: () => failRecovered(state, work, tools),
  });
}

/**
 * Returns the revision to deploy again. A plan has its content, as it was shown. Throws
 * `release_not_trusted`, also while a failed upgrade is undone: a person who can change a record in
 * a namespace can also make an upgrade there fail.
 */
async function targetOf(work: RollbackWork, state: OperationState, signal: AbortSignal): Promise<StoredRevision> {
  const { target } = revisionOf(state);
  if (target === undefined) throw new Error('a rollback has a target');
  const stored = await storedRevision(work, state, target, signal);
  requireTrusted(work.context, stored, 'hooks and manifest are not deployed again');
  const planned = work.request.planned?.release;
  if (planned !== undefined) return { ...stored, release: { ...planned, version: target } };
  return { ...stored, release: await withImageRules(work.context, stored.release, state.namespace, signal) };
}

function currentOf(work: RollbackWork, state: OperationState, signal: AbortSignal): Promise<StoredRevision> {
  return storedRevision(work, state, revisionOf(state).version - 1, signal);
}

function rolledBack(current: Release, target: Release, { method }: ApplySettings, now: string): Release {
  const { first_deployed } = current.info;
  const { notes } = target.info;
  return {
    ...target,
    info: {
      ...(first_deployed !== undefined && { first_deployed }),
      last_deployed: now,
      description: `Rollback to ${target.version}`,
      status: 'pending-rollback',
      ...(notes !== undefined && { notes }),
    },
    version: current.version + 1,
    apply_method: method,
  };
}

/** Returns the message of a failed rollback, in which a wait has Helm's prefix. */
export function notReadyText({ releaseName }: OperationState, { step, error: { message } }: Failure): string {
  return step === 'wait' ? `release ${releaseName} failed: ${message}` : message;
}

async function outcome(state: OperationState, work: RollbackWork): Promise<Release> {
  const { context, request } = work;
  const step = state.failure?.step ?? '';
  throwFailure(state, work, {
    settle: notStoredText,
    fail: (message, failure) =>
      notStoredText(step === 'wait' ? `release ${state.releaseName} failed: ${message}` : message, failure),
    'clean-up': cleanUpText('rollback'),
  });
  if (request.dryRun !== true) return (await ownRevision(work, state, context.abandon)).release;
  const target = await targetOf(work, state, context.signal);
  const current = await currentOf(work, state, context.signal);
  return rolledBack(current.release, target.release, revisionOf(state).apply, formatTime(context.host.now()));
}

export const resumeRollback = resume({ rollback: rollbackTable });

export const operation = operationOf('rollback_release', {
  request: ({ wait, settle, dryRun, ...options }) => ({
    ...options,
    ...waitOptions(wait),
    ...settleOptions(settle),
    ...dryRunOption(dryRun),
  }),
  run: rollback,
  resume: resumeRollback,
  answer: (release) => ({ release: publicRelease(release) }),
});
