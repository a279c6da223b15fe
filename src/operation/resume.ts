import type { Release } from '../release/release.ts';
import type { OperationContext } from './context.ts';
import type { Deployed } from './deployed.ts';
import { installTables } from './install.ts';
import type { InstallRequest, RollbackRequest, TestRequest, UninstallRequest, UpgradeRequest } from './request.ts';
import { rollbackTable } from './rollback.ts';
import { runOperation } from './run.ts';
import type { OperationState } from './state/operation-state.ts';
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
      return await runOperation(newWork(context, found.request), state, installTables);
    case 'upgrade':
      return await runOperation(newWork(context, found.request), state, { upgrade: upgradeTable });
    case 'rollback':
      return await runOperation(newWork(context, found.request), state, { rollback: rollbackTable });
    case 'uninstall':
      return await runOperation(newWork(context, found.request), state, { uninstall: uninstallTable });
    case 'test':
      return await runOperation(newWork(context, found.request), state, { test: testTable });
  }
}
