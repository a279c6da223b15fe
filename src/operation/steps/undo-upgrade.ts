import { history, lastSuccessful } from '../../release/history.ts';
import { failures, settleEach } from '../apply/concurrency.ts';
import type { OperationContext } from '../context.ts';
import type { Deployment } from '../deploy.ts';
import { OperationError } from '../error.ts';
import { messageOf, withMessage } from '../error-code.ts';
import { recordFailure } from './record.ts';
import type { UpgradeRequest } from '../request.ts';
import { defaultHistoryLimit } from './revision.ts';
import { rollBack } from '../rollback.ts';
import { compensate } from '../run.ts';

/**
 * Stores that an upgrade failed, deletes what it created where that was asked for, and returns to the last successful revision where it is
 * atomic. Answers the error that says so, in Helm's words; what goes wrong on the way is told besides the error that led here.
 */
export async function undoUpgrade(
  context: OperationContext,
  request: UpgradeRequest,
  deployment: Deployment,
  error: unknown,
): Promise<unknown> {
  if (context.abandon?.aborted === true) return error;
  const description = `Upgrade ${JSON.stringify(request.releaseName)} failed: ${messageOf(error)}`;
  const recorded = await recordFailure(context, deployment.revision, description, error);
  const cleaned = request.cleanupOnFail === true ? await cleanUp(context, request, deployment, recorded) : recorded;
  return request.atomic === false ? cleaned : await returnToSuccess(context, request, cleaned);
}

async function cleanUp(
  context: OperationContext,
  { timeout }: UpgradeRequest,
  { update }: Deployment,
  error: unknown,
): Promise<unknown> {
  try {
    await compensate(context, 'delete', timeout, async ({ signal }) => {
      const results = await settleEach(update.created, ({ ref }) => context.cluster.delete(ref, { signal }));
      const problems = failures(results);
      if (problems.length === 0) return;
      const message = `unable to cleanup resources: ${problems.map(messageOf).join(', ')}`;
      throw new OperationError('delete_failed', message, { cause: problems[0] });
    });
    return error;
  } catch (second) {
    const prefix = 'an error occurred while cleaning up resources. original upgrade error';
    return withMessage(error, `${prefix}: ${messageOf(error)}: ${messageOf(second)}`);
  }
}

async function returnToSuccess(context: OperationContext, request: UpgradeRequest, error: unknown): Promise<unknown> {
  const { releaseName, namespace, timeout, historyLimit = defaultHistoryLimit } = request;
  const message = messageOf(error);
  try {
    const hasReturned = await compensate(context, 'rollback', timeout, async (runner) => {
      const target = lastSuccessful(await history(context.storage, namespace, releaseName, runner.signal));
      if (target === undefined) return false;
      const { version } = target.release;
      await rollBack(context, runner, { releaseName, namespace, version, options: request, historyLimit });
      return true;
    });
    return withMessage(
      error,
      hasReturned
        ? `release ${releaseName} failed, and has been rolled back due to rollback-on-failure being set: ${message}`
        : `unable to find a previously successful release when attempting to rollback. original upgrade error: ${message}`,
    );
  } catch (second) {
    const prefix = 'an error occurred while rolling back the release. original upgrade error';
    return withMessage(error, `${prefix}: ${message}: ${messageOf(second)}`);
  }
}
