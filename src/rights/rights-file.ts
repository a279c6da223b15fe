import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { messageOf } from '../errors/index.ts';
import type { ServiceAccount } from '../objects/service-account.ts';
import { accountOf, type CommandScope, requireNamed, RightsError } from './rights.ts';
import { maxRightsBytes, readRights, type RightsRules } from './rules.ts';

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
  let last: { text: string; rules: RightsRules } | undefined;
  const read = async (): Promise<RightsRules> => {
    try {
      const text = await readBounded(path);
      if (last?.text !== text) last = { text, rules: readRights(text) };
      return last.rules;
    } catch (cause) {
      const problem = `the rights file ${path} cannot be used: ${messageOf(cause)}`;
      throw new RightsError('rights_file_invalid', `${problem}; let the owner of the cluster correct it`, cause);
    }
  };
  let reading: Promise<unknown> = read();
  await reading;
  /** One after the other, so that commands keep their order. */
  const current = (): Promise<RightsRules> => {
    const next = reading.then(read, read);
    reading = next.catch(() => undefined);
    return next;
  };
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

/** Reads a regular file. Does not wait for the writer of a pipe. */
async function readBounded(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error('it is not a file');
    const buffer = Buffer.alloc(maxRightsBytes + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
      length += bytesRead;
      if (bytesRead === 0 || length === buffer.length) break;
    }
    if (length > maxRightsBytes) throw new Error(`it has more than ${maxRightsBytes} bytes`);
    return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, length));
  } finally {
    await file.close();
  }
}
