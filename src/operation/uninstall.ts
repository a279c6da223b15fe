import { history } from '../release/history.ts';
import { withStatus, type Release } from '../release/release.ts';
import { revisionKey, type StoredRevision } from '../release/storage/storage.ts';
import { formatTime } from '../release/time.ts';
import { compareForUninstall } from '../render/manifest/kind-order.ts';
import { batchesOfKind } from './apply/apply.ts';
import { failures, settleEach } from './apply/concurrency.ts';
import { deleteByName, type SeenObject } from './apply/deletion.ts';
import { resourcePolicy } from './apply/resource-policy.ts';
import type { OperationContext } from './context.ts';
import { waitUntilGone } from './wait/deletion-wait.ts';
import { OperationError, messageOf, withMessage } from './error.ts';
import type { StepName } from './progress.ts';
import { runHooks } from './steps/hooks.ts';
import { checkNamespace, checkReleaseName } from './steps/names.ts';
import { checkStoredNames } from './steps/object-names.ts';
import type { ReleaseName, UninstallRequest } from './request.ts';
import { runSteps } from './run.ts';
import type { StepRunner, StepTools } from './steps/step-runner.ts';
import { updateRevision } from './steps/update-revision.ts';
import { resolveReleaseObjects, type ReleaseObject } from './apply/release-object.ts';

const never = new AbortController().signal;
const buildFailed = 'unable to build kubernetes objects for delete';

export interface Uninstalled {
  /** The last revision, with status `uninstalled`. */
  release: Release;
  /** Helm's message about the objects that were kept. Empty if there are none. */
  info: string;
}

/**
 * Deletes the objects of a release, then its revisions. If objects cannot be deleted, or a
 * `pre-delete` hook fails, the release is `uninstalling` and can be uninstalled again. If only the
 * wait or a `post-delete` hook fails, it is uninstalled, and the error says what went wrong.
 */
export async function uninstall(context: OperationContext, request: UninstallRequest): Promise<Uninstalled> {
  checkReleaseName(request.releaseName, () => `uninstall: Release name is invalid: ${request.releaseName}`);
  checkNamespace(request.namespace);
  return await runSteps(context, request.timeout, (runner) => uninstallRelease(context, runner, request));
}

/**
 * Runs the steps of {@link uninstall} (pkg/action/uninstall.go). `spared` objects are not deleted,
 * because they existed before the release.
 */
export async function uninstallRelease(
  context: OperationContext,
  runner: StepRunner,
  request: UninstallRequest,
  spared: readonly SeenObject[] = [],
): Promise<Uninstalled> {
  const { cluster, storage, host } = context;
  const { releaseName, namespace } = request;
  const revisions = await history(storage, namespace, releaseName, runner.signal);
  const last = revisions.at(-1);
  if (!last) {
    throw new OperationError('release_not_found', `uninstall: Release not loaded: ${releaseName}: release: not found`);
  }
  if (last.release.info.status === 'uninstalled')
    return await purgeUninstalled(context, runner, request, revisions, last);

  const state = { revision: last };
  await runner.step('record', async (tools) => {
    await checkStoredNames(context, last.release, buildFailed, tools.signal);
    const release = withStatus(last.release, 'uninstalling', 'Deletion in progress (or silently failed)');
    release.info.deleted = formatTime(host.now());
    state.revision = await updateRevision(storage, { ...last, release }, tools.signal, last.release.info.status);
  });
  await runner.step('pre-hooks', (tools) => runHooks(context, state, 'pre-delete', tools));

  const { kept, removed } = await runner.step('delete', async (tools) => {
    await cluster.capabilities(tools.signal); // kinds that are no longer served would look deleted
    const parts = await keptAndRemoved(context, last, tools.signal);
    const removed = await deleteObjects(context, request, parts.removed, spared, tools);
    tools.done(`${parts.removed.length} deleted${parts.kept.length === 0 ? '' : `, ${parts.kept.length} kept`}`);
    return { kept: parts.kept, removed };
  });
  const problems: unknown[] = [];
  await tolerate(runner, problems, 'wait', async (tools) => {
    if (request.wait === false) {
      tools.skipped('not requested');
      return;
    }
    await waitUntilGone(removed, { cluster, tools, labelled: true });
    tools.done(`${removed.length} deleted`);
  });
  await tolerate(runner, problems, 'post-hooks', (tools) => runHooks(context, state, 'post-delete', tools));

  const uninstalled = await runner.withSignal(context.abandon ?? never).step('finish', async (tools) => {
    const description = request.description ?? 'Uninstallation complete';
    const release = withStatus(state.revision.release, 'uninstalled', description);
    if (request.keepHistory === true) await keep(context, revisions, { ...state.revision, release });
    else await purge(context, revisions);
    tools.done(description);
    return { release, info: keptText(kept) };
  });
  if (problems.length === 0) return uninstalled;
  const messages = problems.map(messageOf).join('; ');
  throw withMessage(problems[0], `uninstallation completed with ${problems.length} error(s): ${messages}`);
}

/**
 * Runs a step after the deletion. As in Helm, its failure does not keep the record of the release,
 * which would block its name. Throws only if the operation was cancelled.
 */
async function tolerate(
  runner: StepRunner,
  problems: unknown[],
  name: StepName,
  run: (tools: StepTools) => Promise<void>,
): Promise<void> {
  if (problems.length > 0 && runner.signal.aborted) return;
  try {
    await runner.step(name, run);
  } catch (error) {
    const reason: unknown = runner.signal.reason;
    if (reason instanceof OperationError && reason.code !== 'timeout') throw error;
    problems.push(error);
  }
}

/** Deletes the history of a release that was uninstalled with `keepHistory`. */
async function purgeUninstalled(
  context: OperationContext,
  runner: StepRunner,
  { releaseName, keepHistory }: UninstallRequest,
  revisions: readonly StoredRevision[],
  { release }: StoredRevision,
): Promise<Uninstalled> {
  if (keepHistory === true) {
    const message = `the release named ${JSON.stringify(releaseName)} is already deleted`;
    throw new OperationError('release_not_found', message);
  }
  await runner.step('finish', () => purge(context, revisions));
  return { release, info: '' };
}

/** Separates objects with a resource policy. As in Helm, any value of the policy keeps them. */
async function keptAndRemoved(
  context: OperationContext,
  { release: { manifest, namespace } }: StoredRevision,
  signal: AbortSignal,
): Promise<{ kept: ReleaseObject[]; removed: ReleaseObject[] }> {
  const objects = await resolveReleaseObjects(context, manifest, namespace, {
    prefix: buildFailed,
    signal,
    versions: 'any served',
  });
  const named = objects.filter(({ ref }) => ref.name !== '');
  const isKept = ({ object }: ReleaseObject) => object.metadata.annotations?.[resourcePolicy] !== undefined;
  return {
    kept: named.filter(isKept),
    removed: named.filter((item) => !isKept(item)).sort((a, b) => compareForUninstall(a.ref.kind, b.ref.kind)),
  };
}

/**
 * Deletes objects in order, and adjacent objects of one kind in parallel. Returns those that were
 * deleted. As in Helm, it continues after a failure.
 */
async function deleteObjects(
  { cluster }: OperationContext,
  { releaseName, namespace }: ReleaseName,
  objects: readonly ReleaseObject[],
  spared: readonly SeenObject[],
  tools: StepTools,
): Promise<SeenObject[]> {
  const { signal } = tools;
  const onLeft = (message: string) => tools.report({ message });
  const options = { owner: { name: releaseName, namespace }, signal, onLeft, spared };
  const deleted: SeenObject[] = [];
  const errors: unknown[] = [];
  for (const batch of batchesOfKind(objects)) {
    signal.throwIfAborted();
    const results = await settleEach(batch, ({ ref }) => deleteByName(cluster, ref, options));
    for (const result of results) if (result.status === 'fulfilled' && result.value) deleted.push(result.value);
    errors.push(...failures(results));
  }
  signal.throwIfAborted();
  if (errors.length === 0) return deleted;
  const message = `failed to delete release: ${releaseName}: ${errors.map(messageOf).join('; ')}`;
  throw new OperationError('delete_failed', message, { cause: errors[0] });
}

function keptText(kept: readonly ReleaseObject[]): string {
  if (kept.length === 0) return '';
  const lines = kept.map(({ ref }) => `[${ref.kind}] ${ref.name}\n`);
  return `These resources were kept due to the resource policy:\n${lines.join('')}`;
}

async function purge({ storage, abandon }: OperationContext, revisions: readonly StoredRevision[]): Promise<void> {
  for (const { release } of revisions) await storage.delete(revisionKey(release), abandon);
}

async function keep(
  { storage, abandon }: OperationContext,
  revisions: readonly StoredRevision[],
  uninstalled: StoredRevision,
): Promise<void> {
  await storage.update(uninstalled, abandon);
  for (const revision of revisions) {
    const { release } = revision;
    if (release.info.status !== 'deployed' || release.version === uninstalled.release.version) continue;
    const superseded = { ...release, info: { ...release.info, status: 'superseded' as const } };
    await storage.update({ ...revision, release: superseded }, abandon);
  }
}
