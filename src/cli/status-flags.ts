import type { CommandParameters } from '../protocol/commands/index.ts';

type Status = NonNullable<CommandParameters['list_releases']['statuses']>[number];

/** The statuses that each flag of `helm list` selects. */
const statusFlags = {
  deployed: ['deployed'],
  failed: ['failed'],
  pending: ['pending-install', 'pending-upgrade', 'pending-rollback'],
  superseded: ['superseded'],
  uninstalled: ['uninstalled'],
  uninstalling: ['uninstalling'],
} satisfies Record<string, Status[]>;

export type StatusFlag = keyof typeof statusFlags;

/** The names of the flags, in their order in the help of `ctl`. */
export const statusFlagNames = Object.keys(statusFlags) as StatusFlag[]; // its own keys

/** Returns the statuses that flags select, or undefined if none is set: then all are listed. */
export function selectedStatuses(isOn: (flag: StatusFlag) => boolean): Status[] | undefined {
  const statuses = statusFlagNames.filter(isOn).flatMap((flag): Status[] => statusFlags[flag]);
  return statuses.length === 0 ? undefined : statuses;
}
