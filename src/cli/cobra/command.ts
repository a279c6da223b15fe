import type { Flag } from '../pflag/flag.ts';
import type { FlagValues } from '../pflag/flag-values.ts';

/** A command as a list of commands shows it. The rest of it is loaded when it is used. */
export interface CommandEntry<Context> {
  name: string;
  short: string;
  aliases?: readonly string[];
  /** Other words for which this command is suggested. */
  suggestFor?: readonly string[];
  isHidden?: boolean;
  load(): Promise<Command<Context>>;
}

/** Returns the entry of a command that is loaded already. */
export function loadedEntry<Context>(name: string, short: string, command: Command<Context>): CommandEntry<Context> {
  return { name, short, load: () => Promise.resolve(command) };
}

/** A command by the rules of Go's cobra. */
export interface Command<Context> {
  /** The name, and after it the arguments: `install [NAME] [CHART]`. */
  use: string;
  /** The first part of the help text. Default: the short text of its entry, as a sentence. */
  long?: string;
  /** Arguments of calls that work, for the help text. */
  examples?: readonly string[];
  /** Checks the number of arguments. Default: any number is right. */
  checkArguments?: ArgumentCheck;
  /** The kinds of the arguments, so that a shell can complete them. The last one may repeat. */
  completes?: { given: readonly string[]; repeats?: boolean };
  flags?: (context: Context) => readonly Flag[];
  /** Flags of this command and of all below it. They may stand before the names of those. */
  persistentFlags?: readonly Flag[];
  /** Groups of flags of which only one may be given. */
  exclusiveFlags?: readonly (readonly string[])[];
  /** In the order in which suggestions name them. */
  subcommands?: readonly CommandEntry<Context>[];
  /** Whether the arguments are passed as they are, without reading flags. Default: false. */
  passesFlags?: boolean;
  /**
   * Resolves to the exit code, or to undefined for 0. An error that it throws is printed. Default:
   * the command prints its help.
   */
  run?: (invocation: Invocation<Context>) => Promise<number | undefined>;
  /**
   * Runs another program with all arguments that follow the name, `--help` included, and resolves
   * to its exit code. The command has nothing else then.
   */
  delegate?: (args: readonly string[], context: Context) => Promise<number>;
}

/** One call of a command. */
export interface Invocation<Context> {
  args: readonly string[];
  flags: FlagValues;
  context: Context;
  /** The words that call the command: `helm get values`. */
  path: string;
}

/** Throws an error if the number of arguments is wrong. */
export type ArgumentCheck = (args: readonly string[], place: { path: string; useLine: string }) => void;

/** A command that was found, with those above it. */
export interface FoundCommand<Context> {
  entry: CommandEntry<Context>;
  command: Command<Context>;
  path: string;
  /** The persistent flags of the commands above it. */
  inherited: readonly Flag[];
}
