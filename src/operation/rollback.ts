import { customLabels, type StoredRevision } from '../release/storage/storage.ts';
import { history } from '../release/history.ts';
import type { Release } from '../release/release.ts';
import { formatTime } from '../release/time.ts';
import type { OperationContext } from './context.ts';
import { applySettings, checkApplySettings, undoSettings, type ApplySettings } from './apply/apply-settings.ts';
import { cleanUp } from './steps/clean-up.ts';
import { checkStoredNames } from './steps/object-names.ts';
import { checkNamespace, checkReleaseName } from './steps/names.ts';
import { deployRevision, finishRevision, type PendingRevision } from './steps/pending-revision.ts';
import { OperationError, messageOf, withMessage } from './error.ts';
import { recordFailure, recordRevision, recordSuperseded } from './steps/record.ts';
import type { RollbackRequest } from './request.ts';
import { resolveReleaseObjects } from './apply/release-object.ts';
import { defaultHistoryLimit } from './steps/revision.ts';
import { noChanges, recordChanges } from './state/object-changes.ts';
import { runSteps } from './run.ts';
import type { StepRunner } from './steps/step-runner.ts';

/**
 * Deploys an older revision of a release as a new one (pkg/action/rollback.go). If it fails, the
 * new revision is `failed`.
 */
export async function rollback(context: OperationContext, request: RollbackRequest): Promise<Release> {
  const { releaseName, namespace, timeout } = request;
  checkReleaseName(releaseName, () => `prepareRollback: Release name is invalid: ${releaseName}`);
  checkNamespace(namespace);
  return await runSteps(context, timeout, (runner) => rollBack(context, runner, request));
}

/**
 * Runs the steps of {@link rollback}, perhaps to undo an upgrade. Returns the new revision.
 */
export async function rollBack(
  context: OperationContext,
  runner: StepRunner,
  request: RollbackRequest,
  isUndo = false,
): Promise<Release> {
  const { namespace, releaseName } = request;
  const revisions = await history(context.storage, namespace, releaseName, runner.signal);
  const { current, target } = endsOf(revisions, request.version);
  const { version, apply_method: method } = target.release;
  const apply = isUndo ? undoSettings(request, method) : applySettings(request, method);
  checkApplySettings(apply);
  // before the revision is stored, because Helm leaves it pending if this fails
  await runner.step('check', async ({ signal }) => {
    const prefix = 'unable to build kubernetes objects from new release manifest';
    await resolveReleaseObjects(context, target.release.manifest, namespace, { prefix, signal });
    await checkStoredNames(context, target.release, prefix, signal);
  });
  const release = rolledBack(current.release, target.release, apply, formatTime(context.host.now()));
  if (request.dryRun === true) return release;

  const revision = await runner.step('record', async (tools) => {
    tools.done(`revision ${release.version} as ${version}`);
    const limit = request.historyLimit ?? defaultHistoryLimit;
    return await recordRevision(context, release, customLabels(target.labels), limit, tools.signal);
  });
  const pending: PendingRevision = {
    action: 'rollback',
    revision,
    baseline: current,
    superseded: revisions.filter((other) => other.release.info.status === 'deployed'),
    options: request,
    apply,
    adopted: [],
    description: `Rollback to ${version}`,
    changes: recordChanges(noChanges),
  };
  try {
    await deployRevision(context, runner, pending);
  } catch (error) {
    throw await failed(context, request, pending, current, error);
  }
  return await finishRevision(context, runner, pending);
}

/** Returns the newest revision, and the one to roll back to. Throws `release_not_found`. */
function endsOf(
  revisions: readonly StoredRevision[],
  version: number | undefined,
): { current: StoredRevision; target: StoredRevision } {
  const current = revisions.at(-1);
  if (!current) throw new OperationError('release_not_found', 'release: not found');
  const wanted = version ?? current.release.version - 1;
  const target = revisions.find(({ release }) => release.version === wanted);
  if (!target) throw new OperationError('release_not_found', `release has no ${wanted} version`);
  return { current, target };
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

/**
 * Stores the failure. As in Helm, objects that could not be changed supersede the current revision,
 * because some of them may be those of the new one. Unlike in Helm, a failed hook does not leave
 * the new revision pending. Returns the error with Helm's message.
 */
async function failed(
  context: OperationContext,
  { timeout, cleanupOnFail = false }: RollbackRequest,
  pending: PendingRevision,
  current: StoredRevision,
  error: unknown,
): Promise<unknown> {
  if (context.abandon?.aborted === true) return error;
  const { revision, step } = pending;
  const { name } = revision.release;
  const message = messageOf(error);
  if (step === 'wait') {
    const text = `Release ${JSON.stringify(name)} failed: ${message}`;
    return await recordFailure(context, revision, text, withMessage(error, `release ${name} failed: ${message}`));
  }
  const superseded = step === 'apply' ? await recordSuperseded(context, current, error) : error;
  const text = `Rollback ${JSON.stringify(name)} failed: ${message}`;
  const recorded = await recordFailure(context, revision, text, superseded);
  return step === 'apply' && cleanupOnFail ? await cleanUp(context, pending, timeout, recorded) : recorded;
}
