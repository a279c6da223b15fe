import type { Host } from '../../go/host.ts';
import type { CommandLine } from '../../protocol/commands/definition.ts';
import type { Fields } from '../../protocol/commands/field.ts';
import type { CommandAnswers, CommandType } from '../../protocol/commands/index.ts';
import type { Flag } from '../pflag/flag.ts';
import type { FlagValues } from '../pflag/flag-values.ts';
import { argumentValues, repeatedArguments } from './arguments.ts';
import type { CommandLineOf } from './field-flags.ts';
import { fieldValues } from './field-values.ts';

/** The parts of a definition that its command line needs. */
export interface VerbDefinition {
  readonly fields: Fields;
  readonly right: string;
  readonly line?: CommandLine | undefined;
}

/** A command line of a verb. */
export interface VerbLine {
  program: 'ctl' | 'helm';
  args: readonly string[];
  flags: FlagValues;
  host: Host;
  env: Readonly<Record<string, string | undefined>>;
  /** Whether fields without a flag have the defaults of helm. */
  hasHelmDefaults: boolean;
}

/** The program that prints an answer, and its command line. */
export interface Printing extends VerbLine {
  /** Those of the command that has the answer. */
  args: readonly string[];
  /** With `ctl`: returns the shell command that sends another command to the same agent. */
  next?: (...words: readonly string[]) => string;
}

/** The answer of a command of helm-agent. */
type AnswerOf<Type extends string> = Type extends CommandType ? CommandAnswers[Type] : object;

/** A command of `ctl` and `helm`: its definition in the table, and how its answer is printed. */
export interface Verb<Type extends string, Answer = AnswerOf<Type>> {
  /** The command that is sent. Some flags choose between commands with the same answer. */
  type: Type | ((flags: FlagValues) => Type);
  definition: VerbDefinition;
  /** Flags that the table does not have, such as for how the answer is printed. Default: none. */
  flags?: readonly Flag[];
  /** Further ones that only one program has. Default: none. */
  flagsOnly?: { ctl?: readonly Flag[]; helm?: readonly Flag[] };
  /**
   * Returns the values that they give to fields, of which `given` has those of arguments and other
   * flags. Throws an error for flags that do not fit together. Default: none.
   */
  values?: (flags: FlagValues, given: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /**
   * Returns the values that arguments give to fields. Errors have Helm's texts. Default: those of
   * the command line in the table.
   */
  argumentValues?: (line: VerbLine) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>;
  /** Flags of helm that `ctl` refuses, such as `-o, --output <format>`, with what to do instead. */
  refusedFlags?: Readonly<Record<string, string>>;
  /** Returns the text for stdout. */
  text(answer: Answer, printing: Printing): string | Promise<string>;
  /**
   * Returns what `ctl` prints until the command ends. Default: nothing for a command that only
   * reads, and else its progress. `'changes'` and `'json'` are for commands that Ctrl-C ends.
   */
  shows?: (flags: FlagValues) => 'nothing' | 'progress' | 'changes' | 'json';
  /**
   * Whether SIGINT and SIGTERM cancel the command of `helm`, which would leave a pending revision
   * otherwise. Default: they end the process.
   */
  isUndone?: boolean;
  /** Whether flags ask for all namespaces. Default: the command is for one. */
  isOfAll?: (flags: FlagValues) => boolean;
  /** Returns why a command that has ended well is a failure nevertheless. Default: it is none. */
  failure?: (answer: Answer, printing: Printing) => { code: string; message: string } | undefined;
  /** Returns the exit code of `ctl` after a success. Default: 0. */
  exitCode?: (answer: Answer, printing: Printing) => number;
  /** Returns lines of `ctl` for stderr. Default: none. */
  notes?: (answer: Answer, printing: Printing) => readonly string[];
}

/** Returns the command line of a verb. A command without one is a bug. */
export function commandLineOf({ definition }: { definition: VerbDefinition }): CommandLine {
  if (definition.line !== undefined) return definition.line;
  throw new TypeError('a verb needs a command line in the table of commands');
}

/** Returns the command that flags choose. */
export function typeOf<Type extends string>({ type }: Pick<Verb<Type>, 'type'>, flags: FlagValues): Type {
  return typeof type === 'function' ? type(flags) : type;
}

/** The parts of a verb without its answer. */
export type VerbParts = Omit<Verb<string>, 'type' | 'text' | 'failure' | 'exitCode' | 'notes'>;

/** One command that a command line sends. */
export interface Call {
  /** Its arguments. */
  args: readonly string[];
  /** The values that arguments and flags give to fields. */
  values: Readonly<Record<string, unknown>>;
}

/**
 * Returns the commands that a command line sends, one for each of the arguments that repeat. Errors
 * have Helm's texts if Helm has the flag or argument.
 */
export async function callsOf(verb: VerbParts, program: CommandLineOf, given: VerbLine): Promise<Call[]> {
  const { args, flags, hasHelmDefaults } = given;
  const line = commandLineOf(verb);
  const calls = await Promise.all(
    repeatedArguments(line, args).map(async (words) => ({
      words,
      given: await (verb.argumentValues?.({ ...given, args: words }) ?? argumentValues(line, words)),
    })),
  );
  const values = fieldValues(verb.definition.fields, program, flags, hasHelmDefaults);
  return calls.map(({ words, given }) => {
    const own = verb.values?.(flags, { ...values, ...given });
    return { args: words, values: { ...values, ...own, ...given } };
  });
}
