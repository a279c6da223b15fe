import { lastDeployed } from '../release/history.ts';
import type { Hook } from '../release/hook.ts';
import { type Release, withStatus } from '../release/release.ts';
import type { ReleaseStatus } from '../release/status.ts';
import type { StoredRevision } from '../release/storage/storage.ts';
import { formatTime } from '../release/time.ts';
import { operationOf } from './command-operation.ts';
import type { OperationContext } from './context.ts';
import { OperationError, withMessage } from './error.ts';
import { throwFailure } from './failure-message.ts';
import { requireManifestSet } from './manifests/manifest-set.ts';
import { requireBase } from './plan/stale.ts';
import { publicRelease } from './release-answer.ts';
import type { UninstallRequest } from './request.ts';
import { waitOptions } from './resolve.ts';
import { resume } from './resume.ts';
import { initialState, runOperation } from './run.ts';
import { type OperationState, phaseEnd, revisionOf, revisionState, withRevision } from './state/operation-state.ts';
import { restoredError } from './state/recorded-error.ts';
import { requireAllowed } from './steps/allowed-objects.ts';
import { buildFailed, deleteRelease, keptText, removedObjects } from './steps/delete.ts';
import { placedHooks, runHooks } from './steps/hooks/run-hooks.ts';
import { checkNamespace, checkReleaseName } from './steps/names.ts';
import { needsAccess, requireAccessTo } from './steps/needed-access.ts';
import { checkStoredNames } from './steps/object-names.ts';
import { isPreviewed, previewUninstallation } from './steps/preview.ts';
import { canRecover, reportUnfinished } from './steps/recover.ts';
import { deleteRevision, supersede, updateRevision } from './steps/revisions.ts';
import type { StateTools, Step, VerbTable } from './steps/step.ts';
import { requireTrusted } from './steps/trust.ts';
import { waitUntilGone } from './wait/deletion.ts';
import { limitedWait } from './wait/limited-wait.ts';
import { knownHistory, newWork, ownRevision, readHistory, type Work } from './work.ts';

type UninstallWork = Work<UninstallRequest>;

export interface Uninstalled {
  /** The last revision, with status `uninstalled`. Undefined if there was no release. */
  release?: Release;
  /** Helm's message about the objects that were kept. Empty if there are none. */
  info: string;
}

/**
 * The steps of {@link uninstall}. As in Helm, a failure after the deletion does not keep the record
 * of the release, which would block its name.
 */
export const uninstallSteps: readonly Step<UninstallRequest>[] = [
  { id: 'history', run: startUninstall },
  { id: 'record', name: 'record', run: record },
  { id: 'pre-hooks', name: 'pre-hooks', run: (state, work, tools) => runHooksOf('pre-delete', state, work, tools) },
  { id: 'delete', name: 'delete', run: deleteRelease },
  { id: 'wait', name: 'wait', isTolerant: true, run: wait },
  {
    id: 'post-hooks',
    name: 'post-hooks',
    isTolerant: true,
    run: (state, work, tools) => runHooksOf('post-delete', state, work, tools),
  },
  { id: 'finish', name: 'finish', isUnlimited: true, isSavedBefore: true, run: finish },
];

export const uninstallTable: VerbTable<UninstallRequest, Uninstalled> = {
  phases: { main: { limit: 'operation', steps: uninstallSteps, conclude: uninstallProblem } },
  undo: () => [],
  outcome,
};

/**
 * Deletes the objects of a release, then its revisions. If objects cannot be deleted, or a
 * `pre-delete` hook fails, the release is `uninstalling` and can be uninstalled again. If only the
 * wait or a `post-delete` hook fails, it is uninstalled, and the error says what went wrong.
 */
export async function uninstall(context: OperationContext, request: UninstallRequest): Promise<Uninstalled> {
  checkReleaseName(request.releaseName, () => `uninstall: Release name is invalid: ${request.releaseName}`);
  checkNamespace(request.namespace);
  const tables = { uninstall: uninstallTable };
  return await runOperation(newWork(context, request), initialState(context, 'uninstall', request), tables);
}

/**
 * A release that is `uninstalled` already only loses its history. There is no revision if there is
 * no release and the request ignores that.
 */
export async function startUninstall(
  state: OperationState,
  work: UninstallWork,
  tools: StateTools,
): Promise<OperationState> {
  const { context, request } = work;
  const { signal } = tools;
  const { releaseName } = state;
  const revisions = await readHistory(work, state, signal);
  const last = revisions.at(-1);
  if (request.planned) requireBase(request.planned, revisions);
  if (!last) {
    if (request.ignoreNotFound === true) return { ...state, step: phaseEnd };
    // as in Helm, whose dry run only looks for the release
    const prefix = request.dryRun === true ? '' : `uninstall: Release not loaded: ${releaseName}: `;
    throw new OperationError('release_not_found', `${prefix}release: not found`);
  }
  if (request.manifestSet === true) requireManifestSet(last.release);
  const { version, info } = last.release;
  // a client that has ended may have left objects of the revision before
  const deployed = canRecover(context.host, last, request) ? lastDeployed(revisions) : undefined;
  const baselines = deployed === undefined ? [] : [deployed.release.version];
  const rest = { stored: 'yes', deployedAt: info.last_deployed, baselines } as const;
  const started = { ...state, revision: revisionState('uninstall', version, rest) };
  const isRemoved = info.status === 'uninstalled';
  const hooks = request.noHooks === true || isRemoved ? [] : hooksOf(last);
  const isMain = state.phase === 'main';
  if (isMain && hooks.length > 0) requireTrustedHooks(context, last);
  if (isPreviewed(request) || (isMain && needsAccess(work))) {
    const removed = isRemoved ? [] : await removedObjects(started, work, signal);
    if (isPreviewed(request)) await previewUninstallation(started, work, removed, tools);
    if (isMain)
      await requireAccessTo(started, work, { removed, hooks, records: recordVerbs(request, isRemoved) }, signal);
  }
  if (request.dryRun === true) return { ...started, step: phaseEnd };
  if (!isRemoved) return started;
  if (request.keepHistory === true) {
    const message = `the release named ${JSON.stringify(releaseName)} is already deleted`;
    throw new OperationError('release_not_found', message);
  }
  return { ...withRevision(started, { isUninstalled: true }), step: 'finish' };
}

/** Returns the rights to the revisions of the release. */
function recordVerbs({ keepHistory = false }: UninstallRequest, isRemoved: boolean): ('update' | 'delete')[] {
  if (isRemoved) return ['delete'];
  return keepHistory ? ['update'] : ['update', 'delete'];
}

function hooksOf({ release: { hooks = [] } }: StoredRevision): Hook[] {
  return [...placedHooks(hooks, 'pre-delete'), ...placedHooks(hooks, 'post-delete')].map(({ hook }) => hook);
}

/** Throws `release_not_trusted` before anything changes. */
function requireTrustedHooks(context: OperationContext, last: StoredRevision): void {
  requireTrusted(context, last, 'hooks do not run', 'uninstall the release without hooks (noHooks)');
}

async function record(state: OperationState, work: UninstallWork, tools: StateTools): Promise<OperationState> {
  const { context, cache } = work;
  const { version, deletedAt = formatTime(context.host.now()) } = revisionOf(state);
  const last = await ownRevision(work, state, tools.signal);
  reportUnfinished(state, last, tools);
  await checkStoredNames(context, last.release, buildFailed, tools.signal);
  const { manifest, hooks = [] } = last.release;
  const running = work.request.noHooks === true ? [] : hooks;
  const changes = { removedManifest: manifest, hooks: running, namespace: state.namespace };
  await requireAllowed(context, changes, tools.signal);
  const release = withStatus(last.release, 'uninstalling', 'Deletion in progress (or silently failed)');
  release.info.deleted = deletedAt;
  const { status } = last.release.info;
  const next = withRevision(state, { deletedAt });
  // the revision will not have the status any more for which the plan was made
  if (work.request.planned && revisionOf(state).deletedAt === undefined) await tools.save(next);
  cache.revisions.set(version, await updateRevision(context.storage, { ...last, release }, tools.signal, status));
  return next;
}

async function runHooksOf(
  event: 'pre-delete' | 'post-delete',
  state: OperationState,
  work: UninstallWork,
  tools: StateTools,
): Promise<OperationState> {
  const { request } = work;
  const { hookTimeout, logs } = request;
  const options = { failFast: {}, hookTimeout, logs };
  if (request.noHooks !== true) return await runHooks(state, work, event, tools, options);
  tools.skipped('hooks are disabled');
  return state;
}

async function wait(state: OperationState, work: UninstallWork, tools: StateTools): Promise<OperationState> {
  if (work.request.wait === false) {
    tools.skipped('not requested');
    return state;
  }
  const { deleted } = revisionOf(state).changes;
  const { context } = work;
  const gone = () =>
    limitedWait(context, state.deadline, tools, (own) =>
      waitUntilGone(deleted, { context, tools: own, labelled: true }),
    );
  await (context.whileWaiting?.(gone) ?? gone());
  tools.done(`${deleted.length} deleted`);
  return state;
}

async function finish(state: OperationState, work: UninstallWork, tools: StateTools): Promise<OperationState> {
  const { context, request, cache } = work;
  const revisions = await knownHistory(work, state, context.abandon);
  const { version, isUninstalled = false } = revisionOf(state);
  if (isUninstalled) {
    await purge(context, revisions);
    return state;
  }
  // an interrupted run may have deleted it
  if (revisions.some(({ release }) => release.version === version)) {
    const own = await ownRevision(work, state, context.abandon);
    const uninstalled = { ...own, release: withStatus(own.release, 'uninstalled', descriptionOf(request)) };
    if (request.keepHistory === true) await keep(context, revisions, uninstalled, own.release.info.status);
    else await purge(context, revisions);
    cache.revisions.set(version, uninstalled);
  }
  for (const { message } of cache.unreadable ?? []) tools.report({ message: `left a revision: ${message}` });
  tools.done(descriptionOf(request));
  return state;
}

function descriptionOf({ description = 'Uninstallation complete' }: UninstallRequest): string {
  return description;
}

async function purge({ storage, abandon }: OperationContext, revisions: readonly StoredRevision[]): Promise<void> {
  for (const revision of revisions) await deleteRevision(storage, revision, abandon);
}

async function keep(
  { storage, abandon }: OperationContext,
  revisions: readonly StoredRevision[],
  uninstalled: StoredRevision,
  before: ReleaseStatus,
): Promise<void> {
  await updateRevision(storage, uninstalled, abandon, before);
  for (const revision of revisions) {
    const { release } = revision;
    if (release.info.status !== 'deployed' || release.version === uninstalled.release.version) continue;
    await supersede(storage, revision, abandon);
  }
}

/** Returns the error of an uninstallation that has ended, but not without problems. */
export function uninstallProblem({ problems = [] }: OperationState): unknown {
  const [first] = problems;
  if (first === undefined) return undefined;
  const messages = problems.map(({ message }) => message).join('; ');
  return withMessage(restoredError(first), `uninstallation completed with ${problems.length} error(s): ${messages}`);
}

async function outcome(state: OperationState, work: UninstallWork): Promise<Uninstalled> {
  throwFailure(state, work, {});
  if (state.revision === undefined) return { info: '' };
  return { release: await lastRevision(state, work), info: keptText(revisionOf(state).kept ?? []) };
}

/** Returns the last revision. Without its contents if another process has deleted it. */
async function lastRevision(state: OperationState, { context, cache, request }: UninstallWork): Promise<Release> {
  const { namespace, releaseName: name } = state;
  const { version, deletedAt } = revisionOf(state);
  const known = cache.revisions.get(version) ?? (await context.storage.get({ namespace, name, version }));
  if (known !== undefined) return known.release;
  const info = { status: 'uninstalled' as const, description: descriptionOf(request) };
  const chart = { metadata: null, lock: null, templates: null, values: null, schema: null, files: null };
  return { name, namespace, version, info: { ...info, ...(deletedAt && { deleted: deletedAt }) }, chart, manifest: '' };
}

/** Returns the answer of an uninstallation. */
export function uninstallAnswer({ release, info }: Uninstalled) {
  return { ...(release && { release: publicRelease(release) }), ...(info !== '' && { info }) };
}

export const resumeUninstall = resume({ uninstall: uninstallTable });

export const operation = operationOf('uninstall_release', {
  request: ({ wait, ...options }) => ({ ...options, ...waitOptions(wait) }),
  run: uninstall,
  resume: resumeUninstall,
  answer: uninstallAnswer,
});
