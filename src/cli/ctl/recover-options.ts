import type { Command } from 'commander';

/** The flags that take over a release whose client has ended. */
export interface RecoverFlags {
  recover?: boolean;
  recoverAfter?: string;
}

/** Adds the flags. */
export function addRecoverOptions(command: Command): void {
  command
    .option('--recover', 'take over a release that is pending-* or uninstalling because its client has ended')
    .option('--recover-after <duration>', 'with --recover: time since it was last written (default: 1h)');
}

/** Returns the parameters that the flags set. */
export function recoverParameters({ recover, recoverAfter }: RecoverFlags) {
  return { recover, recoverAfter };
}
