import type { CommandHandler } from '../agent/commands/command-handler.ts';
import { handlerOf, type CommandDependencies } from '../agent/commands/performance.ts';
import type { ReleaseCommand } from '../cli/helm/release/releases.ts';

type HandlerLoaders = {
  [Type in ReleaseCommand]: (dependencies: CommandDependencies) => Promise<CommandHandler<Type>>;
};

/** Loads the handler of one command, so that a program with one command starts fast. */
export const releaseHandlers: HandlerLoaders = {
  install_release: async (all) => handlerOf((await import('../agent/commands/install-release.ts')).installRelease, all),
  upgrade_release: async (all) => handlerOf((await import('../agent/commands/upgrade-release.ts')).upgradeRelease, all),
  rollback_release: async (all) =>
    handlerOf((await import('../agent/commands/rollback-release.ts')).rollbackRelease, all),
  uninstall_release: async (all) =>
    handlerOf((await import('../agent/commands/uninstall-release.ts')).uninstallRelease, all),
  test_release: async (all) => handlerOf((await import('../agent/commands/test-release.ts')).testRelease, all),
  list_releases: async (all) => handlerOf((await import('../agent/commands/list-releases.ts')).listReleases, all),
  get_release: async (all) => handlerOf((await import('../agent/commands/get-release.ts')).getRelease, all),
  release_history: async (all) => handlerOf((await import('../agent/commands/release-history.ts')).releaseHistory, all),
};
