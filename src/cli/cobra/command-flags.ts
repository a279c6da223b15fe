import { type Flag, switchFlag } from '../pflag/flag.ts';
import type { FoundCommand } from './command.ts';

/** The flags of a command, by where they are defined. */
export interface CommandFlags {
  local: readonly Flag[];
  /** Those of the commands above it. */
  inherited: readonly Flag[];
}

/**
 * Returns the flags of a command, with `--help` and `additional` ones. A flag of the command hides
 * the one with its name of a command above.
 */
export function commandFlags<Context>(
  { command, entry, inherited }: FoundCommand<Context>,
  context: Context,
  additional: readonly Flag[] = [],
): CommandFlags {
  const help = switchFlag('help', `help for ${entry.name}`, { shorthand: 'h' });
  const local = [...(command.flags?.(context) ?? []), ...(command.persistentFlags ?? []), ...additional, help];
  return { local, inherited: inherited.filter(({ name }) => local.every((flag) => flag.name !== name)) };
}
