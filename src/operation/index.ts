import type { CommandType } from '../protocol/commands/index.ts';
import type { Operation } from './command-operation.ts';

/** A module with the operation of a command. */
interface OperationModule<Type extends CommandType> {
  operation: Pick<Operation<Type, unknown, unknown>, 'perform'>;
}

/** A function for each command that loads its operation. */
export type OperationLoaders = {
  readonly [Type in Exclude<CommandType, 'cancel_command'>]: () => Promise<OperationModule<Type>>;
};

/**
 * The operations of all commands but `cancel_command`, which only the router can perform. A program
 * for one command starts faster with one operation. A missing command is a type error.
 */
export const operations: OperationLoaders = {
  install_release: () => import('./install.ts'),
  upgrade_release: () => import('./upgrade.ts'),
  rollback_release: () => import('./rollback.ts'),
  uninstall_release: () => import('./uninstall.ts'),
  test_release: () => import('./test-release.ts'),
  adopt_release: () => import('./adopt.ts'),
  template_release: () => import('./template.ts'),
  diff_release: () => import('./diff/diff-release.ts'),
  plan_release: () => import('./plan/plan-release.ts'),
  apply_plan: () => import('./plan/apply-plan.ts'),
  list_releases: () => import('./list.ts'),
  get_release: () => import('./get.ts'),
  release_history: () => import('./history.ts'),
  release_status: () => import('./release-status.ts'),
  watch_release: () => import('./watch-release.ts'),
  deployment_info: () => import('./deployment-info.ts'),
};
