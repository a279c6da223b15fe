import { history, lastSuccessful } from '../../release/history.ts';
import type { OperationContext } from '../context.ts';
import type { PendingRevision } from './pending-revision.ts';
import { messageOf, withMessage } from '../error.ts';
import { cleanUp } from './clean-up.ts';
import { recordFailure } from './record.ts';
import type { UpgradeRequest } from '../request.ts';
import { defaultHistoryLimit } from './revision.ts';
import { rollBack } from '../rollback.ts';
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
  const cleaned =
    request.cleanupOnFail === true ? await cleanUp(context, pending, request.timeout, recorded) : recorded;
  return request.atomic === false ? cleaned : await rollBackToSuccess(context, request, cleaned);
}

async function rollBackToSuccess(context: OperationContext, request: UpgradeRequest, error: unknown): Promise<unknown> {
  const { releaseName, namespace, timeout, historyLimit = defaultHistoryLimit } = request;
  const message = messageOf(error);
  try {
    const isRolledBack = await compensate(context, 'rollback', timeout, async (runner) => {
      const target = lastSuccessful(await history(context.storage, namespace, releaseName, runner.signal));
      if (target === undefined) return false;
      const { version } = target.release;
      const undo = { ...request, version, historyLimit, cleanupOnFail: false, dryRun: false };
      await rollBack(context, runner, undo, true);
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
