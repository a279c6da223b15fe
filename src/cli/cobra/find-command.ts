import type { Flag } from '../pflag/flag.ts';
import type { FoundCommand } from './command.ts';

/**
 * Finds the command that arguments call, as cobra does: the first word that is neither a flag nor
 * the value of one selects the subcommand. Returns the remaining arguments with it.
 */
export async function findCommand<Context>(
  above: FoundCommand<Context>,
  args: readonly string[],
): Promise<{ found: FoundCommand<Context>; args: readonly string[] }> {
  const { command, path } = above;
  const inherited = [...above.inherited, ...(command.persistentFlags ?? [])];
  const [at] = wordPositions(args, inherited);
  const word = at === undefined ? undefined : args[at];
  const entry = command.subcommands?.find(({ name, aliases = [] }) => [name, ...aliases].includes(word ?? ''));
  if (entry === undefined || at === undefined) return { found: above, args };
  const found = { entry, command: await entry.load(), path: `${path} ${entry.name}`, inherited };
  return findCommand(found, args.toSpliced(at, 1));
}

/** Returns the positions of the arguments that are neither flags nor values of flags. */
export function wordPositions(args: readonly string[], flags: readonly Flag[]): number[] {
  const positions: number[] = [];
  for (let i = 0; i < args.length; i += 1) {
    const argument = args[i] ?? '';
    if (argument === '--') break;
    if (takesNext(argument, flags)) i += 1;
    else if (argument !== '' && !argument.startsWith('-')) positions.push(i);
  }
  return positions;
}

/** A flag that is not known takes a value too. */
function takesNext(argument: string, flags: readonly Flag[]): boolean {
  if (argument.includes('=')) return false;
  if (argument.startsWith('--')) return !isOptional(({ name }) => name === argument.slice(2), flags);
  return argument.length === 2 && argument.startsWith('-')
    ? !isOptional(({ shorthand }) => shorthand === argument[1], flags)
    : false;
}

function isOptional(isNamed: (flag: Flag) => boolean, flags: readonly Flag[]): boolean {
  return flags.find(isNamed)?.withoutValue !== undefined;
}
