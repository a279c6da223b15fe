import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { groupKind } from '../../objects/group-kind.ts';
import { OperationError } from '../error.ts';
import { waitUntilGone } from '../wait/deletion.ts';
import { waitUntilJobStarted } from '../wait/job-start.ts';
import type { WaitContext } from '../wait/watches.ts';
import { deleteSeen } from './deletion.ts';
import { resourcePolicy } from './resource-policy.ts';
import { seenObject } from './seen-object.ts';
import type { ApplyStrategy, ObjectUpdate, StrategyTools } from './strategy.ts';
import { describe, fieldManager } from './write.ts';

/** Kinds that hold data or other objects, which would be lost. */
const neverRecreated: ReadonlySet<string> = new Set([
  'Namespace',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'apiextensions.k8s.io/CustomResourceDefinition',
]);

/**
 * Returns the strategy, which deletes and creates an object if an update changes its immutable
 * fields.
 */
export function recreating(strategy: ApplyStrategy, tools: StrategyTools, watching: WaitContext): ApplyStrategy {
  const { cluster, signal } = tools;
  return {
    ...strategy,
    async update(update) {
      try {
        return await strategy.update(update);
      } catch (error) {
        signal.throwIfAborted();
        if (!(await isOnlyUpdateRefused(update, error, tools))) throw error;
        const { item, live } = update;
        tools.report({ message: `${describe(item)} has immutable fields that change; deleting and creating it` });
        const seen = seenObject(item.ref, live);
        const onLeft = (message: string) => {
          tools.report({ message });
        };
        await waitUntilJobStarted(item.ref, live, { context: watching, tools });
        if (!(await deleteSeen(cluster, seen, { onLeft, signal }))) throw error;
        const quiet = { signal, done: ignore, skipped: ignore, report: ignore };
        await waitUntilGone([seen], { context: watching, tools: quiet, labelled: false });
        return strategy.create(item);
      }
    },
  };
}

const ignore = () => undefined;

/**
 * Whether the API server refuses the change of an object, but would accept the object if it were
 * new. Asks it for a dry run of the creation: an object that is itself not valid is refused as
 * such, before the server sees that the name is taken.
 */
export async function isOnlyUpdateRefused(
  { item, live }: ObjectUpdate,
  error: unknown,
  { cluster, signal }: Pick<StrategyTools, 'cluster' | 'signal'>,
): Promise<boolean> {
  const isInvalid = error instanceof OperationError && hasClusterErrorCode(error.cause, 'invalid');
  if (!isInvalid || error.code === 'conflict') return false;
  const isKept = live.metadata.annotations?.[resourcePolicy] !== undefined;
  if (isKept || neverRecreated.has(groupKind(item.ref))) return false;
  try {
    await cluster.create(item.object, { fieldManager, dryRun: true, signal });
    return false;
  } catch (answer) {
    signal.throwIfAborted();
    return hasClusterErrorCode(answer, 'already_exists');
  }
}
