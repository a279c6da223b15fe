import type { ServiceAccount } from '../objects/service-account.ts';
import type { CommandScope } from './command-selector.ts';
import { openOwnerFile } from './owner-file.ts';
import { accountOf, requireNamed, RightsError } from './rights.ts';
import { readRights } from './rules.ts';

/** The service accounts that the owner of a cluster maps commands to. */
export interface Rights {
  /**
   * Returns the account that performs a command. Rejects with `RightsError` `forbidden`, or
   * `rights_file_invalid` if the file cannot be used as it is now.
   */
  accountFor(scope: CommandScope): Promise<ServiceAccount>;
  /**
   * Returns the account with which a command is continued that an earlier process has accepted: the
   * one that it had. Rejects as {@link accountFor}, if the file does not name the account any more.
   */
  accountToContinue(accepted: string | undefined, scope: CommandScope): Promise<ServiceAccount>;
}

/**
 * Opens a rights file. It is read for each command, so that a change counts at once; a file that is
 * wrong refuses all commands. Rejects with `RightsError` if it is wrong now.
 */
export async function openRightsFile(path: string): Promise<Rights> {
  const current = await openOwnerFile(path, readRights, (problem, cause) => {
    const message = `the rights file ${path} cannot be used: ${problem}; let the owner of the cluster correct it`;
    return new RightsError('rights_file_invalid', message, cause);
  });
  return {
    accountFor: async (scope) => accountOf(await current(), scope),
    async accountToContinue(accepted, scope) {
      const rules = await current();
      if (accepted === undefined) return accountOf(rules, scope); // accepted without a rights file
      const account = accepted as ServiceAccount; // only one that a rule names passes
      requireNamed(rules, account, scope);
      return account;
    },
  };
}
