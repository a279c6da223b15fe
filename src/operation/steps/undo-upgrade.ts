import { history, lastSuccessful } from '../../release/history.ts';
import type { StoredRevision } from '../../release/storage/storage.ts';
import { failures, settleEach } from '../apply/concurrency.ts';
import { deleteByName, deleteSeen, type SeenObject } from '../apply/deletion.ts';
import type { OperationContext } from '../context.ts';
import type { PendingRevision } from './pending-revision.ts';
import { OperationError, messageOf, withMessage } from '../error.ts';
import { recordFailure } from './record.ts';
import type { UpgradeRequest } from '../request.ts';
import { defaultHistoryLimit } from './revision.ts';
import { rollBack } from '../rollback.ts';
import type { StepTools } from './step-runner.ts';
import { compensate } from '../run.ts';

/**
 * Stores that an upgrade failed, deletes the objects that it created if `cleanupOnFail` is set, and
 * rolls back to the last successful revision if it is atomic. Returns the error with Helm's
 * message, and with the messages of errors on the way.
 */
export async function undoUpgrade(
  context: OperationContext,
  request: UpgradeRequest,
  pending: PendingRevision,
  error: unknown,
): Promise<unknown> {
  if (context.abandon?.aborted === true) return error;
  const description = `Upgrade ${JSON.stringify(request.releaseName)} failed: ${messageOf(error)}`;
  const recorded = await recordFailure(context, pending.revision, description, error);
  const cleaned = request.cleanupOnFail === true ? await cleanUp(context, request, pending, recorded) : recorded;
  return request.atomic === false ? cleaned : await rollBackToSuccess(context, request, cleaned);
}

async function cleanUp(
  context: OperationContext,
  { timeout }: UpgradeRequest,
  { changes, revision }: PendingRevision,
  error: unknown,
): Promise<unknown> {
  try {
    await compensate(context, 'delete', timeout, (runner) =>
      runner.step('delete', (tools) => deleteCreated(context, revision, changes.created, tools)),
    );
    return error;
  } catch (second) {
    const prefix = 'an error occurred while cleaning up resources. original upgrade error';
    return withMessage(error, `${prefix}: ${messageOf(error)}: ${messageOf(second)}`);
  }
}

async function deleteCreated(
  { cluster }: OperationContext,
  { release }: StoredRevision,
  created: readonly SeenObject[],
  tools: StepTools,
): Promise<void> {
  const { signal } = tools;
  const options = { owner: release, signal, onLeft: (message: string) => tools.report({ message }) };
  const named = created.filter(({ ref }) => ref.name !== '');
  const results = await settleEach(named, async (object) => {
    // the answer to the creation of an object without a uid was lost
    if (object.uid === undefined) await deleteByName(cluster, object.ref, options);
    else await deleteSeen(cluster, object, options);
  });
  const problems = failures(results);
  if (problems.length === 0) return;
  const message = `unable to cleanup resources: ${problems.map(messageOf).join(', ')}`;
  throw new OperationError('delete_failed', message, { cause: problems[0] });
}

async function rollBackToSuccess(context: OperationContext, request: UpgradeRequest, error: unknown): Promise<unknown> {
  const { releaseName, namespace, timeout, historyLimit = defaultHistoryLimit } = request;
  const message = messageOf(error);
  try {
    const isRolledBack = await compensate(context, 'rollback', timeout, async (runner) => {
      const target = lastSuccessful(await history(context.storage, namespace, releaseName, runner.signal));
      if (target === undefined) return false;
      const { version } = target.release;
      await rollBack(context, runner, { releaseName, namespace, version, options: request, historyLimit });
      return true;
    });
    return withMessage(
      error,
      isRolledBack
        ? `release ${releaseName} failed, and has been rolled back due to rollback-on-failure being set: ${message}`
        : `unable to find a previously successful release when attempting to rollback. original upgrade error: ${message}`,
    );
  } catch (second) {
    const prefix = 'an error occurred while rolling back the release. original upgrade error';
    return withMessage(error, `${prefix}: ${message}: ${messageOf(second)}`);
  }
}
