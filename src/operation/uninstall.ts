import { history } from '../release/history.ts';
import { withStatus, type Release } from '../release/release.ts';
import { revisionKey, type StoredRevision } from '../release/storage/storage.ts';
import { formatTime } from '../release/time.ts';
import { compareForUninstall } from '../render/manifest/kind-order.ts';
import { batchesOfKind, resourcePolicy } from './apply/apply.ts';
import { failures, settleEach } from './apply/concurrency.ts';
import type { OperationContext } from './context.ts';
import { waitUntilGone } from './wait/deletion-wait.ts';
import { OperationError } from './error.ts';
import { messageOf } from './error-code.ts';
import { runHooks } from './steps/hooks.ts';
import { checkNamespace, checkReleaseName } from './steps/names.ts';
import type { UninstallRequest } from './request.ts';
import { runSteps } from './run.ts';
import type { StepRunner } from './steps/steps.ts';
import { resolveTargets, type Target } from './apply/target.ts';

export interface Uninstalled {
  /** The last revision, with status `uninstalled`. */
  release: Release;
  /** Helm's words about what was kept; empty where nothing was. */
  info: string;
}

/** Removes a release: its objects, then its revisions. A failure leaves it `uninstalling`, and it can be uninstalled again. */
export async function uninstall(context: OperationContext, request: UninstallRequest): Promise<Uninstalled> {
  checkReleaseName(request.releaseName, () => `uninstall: Release name is invalid: ${request.releaseName}`);
  checkNamespace(request.namespace);
  return await runSteps(context, request.timeout, (runner) => uninstallRelease(context, runner, request));
}

/** The steps of {@link uninstall} (pkg/action/uninstall.go). */
export async function uninstallRelease(
  context: OperationContext,
  runner: StepRunner,
  request: UninstallRequest,
): Promise<Uninstalled> {
  const { cluster, storage, host } = context;
  const { releaseName, namespace } = request;
  const revisions = await history(storage, namespace, releaseName, runner.signal);
  const last = revisions.at(-1);
  if (!last) {
    throw new OperationError('release_not_found', `uninstall: Release not loaded: ${releaseName}: release: not found`);
  }
  if (last.release.info.status === 'uninstalled') return await purgeAgain(context, runner, request, revisions, last);

  const state = { revision: last };
  await runner.step('record', async (tools) => {
    const release = withStatus(last.release, 'uninstalling', 'Deletion in progress (or silently failed)');
    release.info.deleted = formatTime(host.now());
    state.revision = await storage.update({ ...last, release }, tools.signal);
  });
  await runner.step('pre-hooks', (tools) => runHooks(context, state, 'pre-delete', tools));

  const { kept, removed } = await runner.step('delete', async (tools) => {
    const parts = await partsOf(context, last, tools.signal);
    await deleteObjects(context, releaseName, parts.removed, tools.signal);
    tools.done(`${parts.removed.length} deleted${parts.kept.length === 0 ? '' : `, ${parts.kept.length} kept`}`);
    return parts;
  });
  await runner.step('wait', async (tools) => {
    if (request.wait === false) {
      tools.skipped('not asked for');
      return;
    }
    await waitUntilGone(
      removed.map(({ ref }) => ref),
      { cluster, tools, labelled: true },
    );
    tools.done(`${removed.length} gone`);
  });
  await runner.step('post-hooks', (tools) => runHooks(context, state, 'post-delete', tools));

  return await runner.step('finish', async (tools) => {
    const description = request.description ?? 'Uninstallation complete';
    const release = withStatus(state.revision.release, 'uninstalled', description);
    if (request.keepHistory === true) await keep(context, revisions, { ...state.revision, release });
    else await purge(context, revisions);
    tools.done(description);
    return { release, info: keptText(kept) };
  });
}

/** What was uninstalled with its history kept can be uninstalled again, without. */
async function purgeAgain(
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

/** Objects with a resource policy stay; Helm deletes none of them, whatever the policy's value. */
async function partsOf(
  { cluster }: OperationContext,
  { release: { manifest, namespace } }: StoredRevision,
  signal: AbortSignal,
): Promise<{ kept: Target[]; removed: Target[] }> {
  const prefix = 'unable to build kubernetes objects for delete';
  const targets = await resolveTargets(cluster, manifest, namespace, { prefix, signal, unknownKinds: 'leave out' });
  const named = targets.filter(({ ref }) => ref.name !== '');
  const isKept = ({ object }: Target) => object.metadata.annotations?.[resourcePolicy] !== undefined;
  return {
    kept: named.filter(isKept),
    removed: named.filter((target) => !isKept(target)).sort((a, b) => compareForUninstall(a.ref.kind, b.ref.kind)),
  };
}

async function deleteObjects(
  { cluster }: OperationContext,
  releaseName: string,
  targets: readonly Target[],
  signal: AbortSignal,
): Promise<void> {
  const errors: unknown[] = [];
  for (const batch of batchesOfKind(targets)) {
    signal.throwIfAborted();
    errors.push(...failures(await settleEach(batch, ({ ref }) => cluster.delete(ref, { signal }))));
  }
  signal.throwIfAborted();
  if (errors.length === 0) return;
  const message = `failed to delete release: ${releaseName}: ${errors.map(messageOf).join('; ')}`;
  throw new OperationError('delete_failed', message, { cause: errors[0] });
}

function keptText(kept: readonly Target[]): string {
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
