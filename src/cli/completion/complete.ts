import type { Command, FoundCommand } from '../cobra/command.ts';
import { commandFlags } from '../cobra/command-flags.ts';
import { findCommand, wordPositions } from '../cobra/find-command.ts';
import type { Flag } from '../pflag/flag.ts';
import { isShown } from '../pflag/flag-usages.ts';
import { type Candidate, type Completion, directives, withoutFiles } from './candidate.ts';

const formats: readonly Candidate[] = [
  { name: 'json', description: 'JSON' },
  { name: 'table', description: 'a table' },
  { name: 'yaml', description: 'YAML' },
];

/** A command line up to the word that is completed. */
export interface CommandLine<Context> {
  found: FoundCommand<Context>;
  /** The words after the name of the command. */
  args: readonly string[];
  /** The flags of the command and of those above it. */
  flags: readonly Flag[];
  typed: string;
}

export function lineOf<Context>(
  found: FoundCommand<Context>,
  args: readonly string[],
  typed: string,
  context: Context,
): CommandLine<Context> {
  const { local, inherited } = commandFlags(found, context);
  return { found, args, flags: [...local, ...inherited], typed };
}

/** Completes a flag, and the format of `--output`. Undefined if the word is neither. */
export function flagCompletion<Context>({ args, flags, typed }: CommandLine<Context>): Completion | undefined {
  if (typed.startsWith('-')) return withoutFiles(flagCandidates(flags));
  const isOutput = ['-o', '--output'].includes(args.at(-1) ?? '') && flags.some(({ type }) => type === 'format');
  return isOutput ? withoutFiles(formats) : undefined;
}

/** Completes the name of a subcommand. Undefined if there are none, or one is given. */
export function subcommandCompletion<Context>({ found, args, flags }: CommandLine<Context>): Completion | undefined {
  const subcommands = (found.command.subcommands ?? []).filter(({ isHidden }) => isHidden !== true);
  if (subcommands.length === 0 || wordPositions(args, flags).length > 0) return undefined;
  const sorted = subcommands.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return withoutFiles(sorted.map(({ name, short }) => ({ name, description: short })));
}

function flagCandidates(flags: readonly Flag[]): Candidate[] {
  const shown = flags.filter(isShown).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return shown.flatMap(({ name, shorthand, usage: description }) => [
    { name: `--${name}`, description },
    ...(shorthand === undefined ? [] : [{ name: `-${shorthand}`, description }]),
  ]);
}

/**
 * Completes the names of commands, flags, and what `completeArgument` knows. After those, the shell
 * completes paths.
 */
export async function completeCommands<Context>(
  root: Command<Context>,
  words: readonly string[],
  typed: string,
  context: Context,
  completeArgument: (line: CommandLine<Context>) => Promise<Completion | undefined>,
): Promise<Completion> {
  const entry = { name: root.use, short: '', load: () => Promise.resolve(root) };
  const { found, args } = await findCommand({ entry, command: root, path: root.use, inherited: [] }, words);
  const line = lineOf(found, args, typed, context);
  const known = flagCompletion(line) ?? subcommandCompletion(line);
  return known ?? (await completeArgument(line)) ?? { candidates: [], directive: directives.default };
}

/**
 * Returns what completion scripts read: the candidates that begin with a word, and the directive
 * for the shell in the last line (cobra: completions.go).
 */
export function candidatesText({ candidates, directive }: Completion, typed: string, hasDescriptions: boolean): string {
  const matching = candidates.filter((candidate) => candidate.name.startsWith(typed));
  const lines = matching.map(({ name, description }) =>
    hasDescriptions && description !== '' ? `${name}\t${description}\n` : `${name}\n`,
  );
  return `${lines.join('')}:${directive}\n`;
}
