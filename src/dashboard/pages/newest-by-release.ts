import type { ListedCommand } from '../server/types.ts';

/** A command that names its release. */
export type ReleaseCommand = ListedCommand & { readonly namespace: string; readonly releaseName: string };

/** Returns the newest command on each release, if it has ended. `commands` has the newest first. */
export function newestByRelease(commands: readonly ListedCommand[]): ReleaseCommand[] {
  const newest = new Map<string, ReleaseCommand>();
  for (const command of commands) {
    if (!namesRelease(command)) continue;
    const identity = JSON.stringify([command.agentId, command.namespace, command.releaseName]);
    if (!newest.has(identity)) newest.set(identity, command);
  }
  return [...newest.values()].filter(({ state }) => state === 'done');
}

function namesRelease(command: ListedCommand): command is ReleaseCommand {
  return command.namespace !== undefined && command.releaseName !== undefined;
}
