import { ReleaseError } from '../release/error.ts';
import type { Release } from '../release/release.ts';
import { history } from '../release/history.ts';
import type { OperationContext } from './context.ts';
import type { Deployed } from './deployed.ts';
import { installTables } from './install.ts';
import type { InstallRequest, RollbackRequest, TestRequest, UninstallRequest, UpgradeRequest } from './request.ts';
import { rollbackTable } from './rollback.ts';
import { runOperation } from './run.ts';
import { phaseEnd, type OperationState } from './state/operation-state.ts';
import { testTable, type Tested } from './test-release.ts';
import { uninstallTable, type Uninstalled } from './uninstall.ts';
import { upgradeTable } from './upgrade.ts';
import { newWork } from './work.ts';

/** A request with its verb. */
export type OperationRequest =
  | { verb: 'install'; request: InstallRequest }
  | { verb: 'upgrade'; request: UpgradeRequest }
  | { verb: 'rollback'; request: RollbackRequest }
  | { verb: 'uninstall'; request: UninstallRequest }
  | { verb: 'test'; request: TestRequest };

/** Finds the request of an operation by its id. */
export type FindRequest = (id: string) => Promise<OperationRequest>;

/**
 * Continues an operation from a state that was saved, as by a process that has ended since, and
 * returns its outcome or throws its error. Only one process may run an operation at a time.
 */
export async function resume(
  context: OperationContext,
  state: OperationState,
  findRequest: FindRequest,
): Promise<Deployed | Release | Uninstalled | Tested> {
  const found = await findRequest(state.id);
  switch (found.verb) {
    case 'install':
      return await resumeInstall(context, state, found.request);
    case 'upgrade':
      return await resumeUpgrade(context, state, found.request);
    case 'rollback':
      return await resumeRollback(context, state, found.request);
    case 'uninstall':
      return await resumeUninstall(context, state, found.request);
    case 'test':
      return await resumeTest(context, state, found.request);
  }
}

/** Continues an installation, which may have turned into an upgrade. */
export async function resumeInstall(
  context: OperationContext,
  state: OperationState,
  request: InstallRequest,
): Promise<Deployed> {
  return await runOperation(newWork(context, request), await checkedState(context, state), installTables);
}

export async function resumeUpgrade(
  context: OperationContext,
  state: OperationState,
  request: UpgradeRequest,
): Promise<Deployed> {
  const tables = { upgrade: upgradeTable };
  return await runOperation(newWork(context, request), await checkedState(context, state), tables);
}

export async function resumeRollback(
  context: OperationContext,
  state: OperationState,
  request: RollbackRequest,
): Promise<Release> {
  const tables = { rollback: rollbackTable };
  return await runOperation(newWork(context, request), await checkedState(context, state), tables);
}

export async function resumeUninstall(
  context: OperationContext,
  state: OperationState,
  request: UninstallRequest,
): Promise<Uninstalled> {
  const tables = { uninstall: uninstallTable };
  return await runOperation(newWork(context, request), await checkedState(context, state), tables);
}

export async function resumeTest(
  context: OperationContext,
  state: OperationState,
  request: TestRequest,
): Promise<Tested> {
  return await runOperation(newWork(context, request), state, { test: testTable });
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
