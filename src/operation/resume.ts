import { ReleaseError } from '../release/error.ts';
import { history } from '../release/history.ts';
import type { OperationContext } from './context.ts';
import { type initialState, runOperation } from './run.ts';
import { type OperationState, phaseEnd } from './state/operation-state.ts';
import type { VerbTables } from './steps/step.ts';
import { newWork } from './work.ts';

/**
 * Returns a function that continues an operation from a state that was saved, as by a process that
 * has ended since, and returns its outcome or throws its error. Only one process may run an
 * operation at a time. `tables` has the verbs that the operation may have turned into.
 */
export function resume<Request extends Parameters<typeof initialState>[2], Outcome>(
  tables: VerbTables<Request, Outcome>,
) {
  return async (context: OperationContext, state: OperationState, request: Request): Promise<Outcome> =>
    await runOperation(newWork(context, request), await checkedState(context, state), tables);
}

/**
 * Returns the state to continue from. If another client has added a revision in the meantime, the
 * objects are those of that revision: the operation has ended if its own was deployed. Otherwise
 * throws `release_conflict`.
 */
async function checkedState(context: OperationContext, state: OperationState): Promise<OperationState> {
  const { revision, namespace, releaseName } = state;
  if (revision === undefined || revision.stored === 'no') return state;
  const revisions = await history(context.storage, namespace, releaseName, context.signal);
  const newest = revisions.at(-1)?.release.version ?? 0;
  if (newest <= revision.version) return state;
  const own = revisions.find(({ release }) => release.version === revision.version)?.release;
  const isOwn = own !== undefined && own.info.last_deployed === revision.deployedAt;
  const isDone = own?.info.status === 'superseded' || own?.info.status === 'deployed';
  if (isOwn && isDone && state.phase === 'main' && revision.action !== 'uninstall') {
    return { ...state, step: phaseEnd };
  }
  throw new ReleaseError(
    'release_conflict',
    `another client has added revision ${newest} of ${releaseName} while the agent was away, so revision ${revision.version} is left as it is`,
  );
}
