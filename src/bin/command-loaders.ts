import type * as z from 'zod';
import type { CommandHandler } from '../agent/commands/command-handler.ts';
import { handlerOf, type CommandDependencies, type Performance } from '../agent/commands/performance.ts';
import type { ReleaseCommand } from '../cli/helm/release/releases.ts';
import { payloadReader } from '../protocol/commands/definition.ts';
import type { CommandPayloads } from '../protocol/commands/index.ts';

/** Reads the payload of a command, and performs it. */
interface LoadedCommand<Type extends ReleaseCommand> {
  reader: z.ZodType<CommandPayloads[Type]>;
  handler: (dependencies: CommandDependencies) => CommandHandler<Type>;
}

type CommandLoaders = { [Type in ReleaseCommand]: () => Promise<LoadedCommand<Type>> };

/** Loads one command and its payload's schema, so that a program with one command starts fast. */
export const commandLoaders: CommandLoaders = {
  async install_release() {
    const { installRelease: definition } = await import('../protocol/commands/install-release.ts');
    const { installRelease } = await import('../agent/commands/install-release.ts');
    return loaded(payloadReader(definition.payload), installRelease);
  },
  async upgrade_release() {
    const { upgradeRelease: definition } = await import('../protocol/commands/upgrade-release.ts');
    const { upgradeRelease } = await import('../agent/commands/upgrade-release.ts');
    return loaded(payloadReader(definition.payload), upgradeRelease);
  },
  async rollback_release() {
    const { rollbackRelease: definition } = await import('../protocol/commands/rollback-release.ts');
    const { rollbackRelease } = await import('../agent/commands/rollback-release.ts');
    return loaded(payloadReader(definition.payload), rollbackRelease);
  },
  async uninstall_release() {
    const { uninstallRelease: definition } = await import('../protocol/commands/uninstall-release.ts');
    const { uninstallRelease } = await import('../agent/commands/uninstall-release.ts');
    return loaded(payloadReader(definition.payload), uninstallRelease);
  },
  async test_release() {
    const { testRelease: definition } = await import('../protocol/commands/test-release.ts');
    const { testRelease } = await import('../agent/commands/test-release.ts');
    return loaded(payloadReader(definition.payload), testRelease);
  },
  async list_releases() {
    const { listReleases: definition } = await import('../protocol/commands/list-releases.ts');
    const { listReleases } = await import('../agent/commands/list-releases.ts');
    return loaded(payloadReader(definition.payload), listReleases);
  },
  async get_release() {
    const { getRelease: definition } = await import('../protocol/commands/get-release.ts');
    const { getRelease } = await import('../agent/commands/get-release.ts');
    return loaded(payloadReader(definition.payload), getRelease);
  },
  async release_history() {
    const { releaseHistory: definition } = await import('../protocol/commands/release-history.ts');
    const { releaseHistory } = await import('../agent/commands/release-history.ts');
    return loaded(payloadReader(definition.payload), releaseHistory);
  },
};

function loaded<Type extends ReleaseCommand, Request, Outcome>(
  reader: z.ZodType<CommandPayloads[Type]>,
  performance: Performance<Type, Request, Outcome>,
): LoadedCommand<Type> {
  return { reader, handler: (dependencies) => handlerOf(performance, dependencies) };
}
