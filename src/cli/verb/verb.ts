import type { Host } from '../../go/host.ts';
import type { CommandLine } from '../../protocol/commands/definition.ts';
import type { Fields } from '../../protocol/commands/field.ts';
import type { CommandAnswers, CommandPayloads, CommandType } from '../../protocol/commands/index.ts';
import type { FlagValues } from '../pflag/flag-values.ts';
import type { Flag } from '../pflag/flag.ts';

/** The parts of a definition that its command line needs. */
export interface VerbDefinition {
  readonly fields: Fields;
  readonly right: string;
  readonly line?: CommandLine | undefined;
}

/** The program that prints an answer, and its command line. */
interface Printing {
  program: 'ctl' | 'helm';
  args: readonly string[];
  flags: FlagValues;
  host: Host;
}

/** A command of `ctl` and `helm`: its definition in the table, and how its answer is printed. */
export interface Verb<Type extends CommandType> {
  type: Type;
  definition: VerbDefinition;
  /** Flags that the table does not have, such as for how the answer is printed. Default: none. */
  flags?: readonly Flag[];
  /** Returns the values that they give to fields. Default: none. */
  values?: (flags: FlagValues) => Readonly<Record<string, unknown>>;
  /** Groups of flags of which only one may be given. Default: none. */
  exclusiveFlags?: readonly (readonly string[])[];
  /** Returns the text for stdout. */
  text(answer: CommandAnswers[Type], printing: Printing): string;
  /** Whether flags ask for all namespaces. Default: the command is for one. */
  isOfAll?: (flags: FlagValues) => boolean;
  /** Returns why a command that has ended well is a failure nevertheless. Default: it is none. */
  failure?: (answer: CommandAnswers[Type], printing: Printing) => { code: string; message: string } | undefined;
  /** Returns lines of `ctl` for stderr. Default: none. */
  notes?: (answer: CommandAnswers[Type]) => readonly string[];
}

/** Returns the command line of a verb. A command without one is a bug. */
export function commandLineOf({ definition }: { definition: VerbDefinition }): CommandLine {
  if (definition.line !== undefined) return definition.line;
  throw new TypeError('a verb needs a command line in the table of commands');
}

/** Returns the payload that arguments and flags give. */
export function payloadOf<Type extends CommandType>(
  _verb: Verb<Type>,
  ...parts: ReadonlyArray<Readonly<Record<string, unknown>>>
): CommandPayloads[Type] {
  return Object.assign({}, ...parts) as CommandPayloads[Type]; // the kinds of flags fit their fields
}
