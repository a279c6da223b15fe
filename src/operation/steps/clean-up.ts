import type { StoredRevision } from '../../release/storage/storage.ts';
import { failures, settleEach } from '../apply/concurrency.ts';
import { deleteByName, deleteSeen, type SeenObject } from '../apply/deletion.ts';
import type { OperationContext } from '../context.ts';
import { OperationError, messageOf, withMessage } from '../error.ts';
import { compensate } from '../run.ts';
import type { PendingRevision } from './pending-revision.ts';
import type { StepTools } from './step-runner.ts';

/**
 * Deletes the objects that a failed upgrade or rollback has created. Returns the error of the
 * operation, with Helm's message if they could not be deleted.
 */
export async function cleanUp(
  context: OperationContext,
  { action, changes, revision }: PendingRevision,
  timeout: number | undefined,
  error: unknown,
): Promise<unknown> {
  try {
    await compensate(context, 'delete', timeout, (runner) =>
      runner.step('delete', (tools) => deleteCreated(context, revision, changes.changes().created, tools)),
    );
    return error;
  } catch (second) {
    const prefix = `an error occurred while cleaning up resources. original ${action} error`;
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
