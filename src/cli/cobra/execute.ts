import { messageOf } from '../../errors/index.ts';
import { quote } from '../../go/strconv.ts';
import { switchFlag } from '../pflag/flag.ts';
import { type FlagValues, flagValues } from '../pflag/flag-values.ts';
import { HelpRequested, type ParsedFlags, parseFlags, UnknownFlag } from '../pflag/parse-flags.ts';
import { type Command, type CommandEntry, type FoundCommand, loadedEntry } from './command.ts';
import { type CommandFlags, commandFlags } from './command-flags.ts';
import { requireOneOfEach } from './exclusive-flags.ts';
import { findCommand, wordPositions } from './find-command.ts';
import { helpText, usageText, useLine } from './help-text.ts';
import { commandSuggestions, flagSuggestions } from './suggestions.ts';

/** A program with commands. */
export interface Program<Context> {
  name: string;
  root: Command<Context>;
  /** Printed by `--version` and `-V`. Default: the program does not have these flags. */
  version?: string;
  /**
   * Whether a wrong command line is explained in more words than cobra does, and a group of
   * commands without the name of one is wrong. Default: false.
   */
  explainsMistakes?: boolean;
  /** Returns the context of commands. It is called without flags until they are read. */
  contextOf(flags?: FlagValues): Context;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  /** Width of the terminal, to which help texts are wrapped. Default: they are not wrapped. */
  columns?: number | undefined;
}

/** Runs the command that arguments call, as cobra does. Resolves to the exit code. */
export async function execute<Context>(program: Program<Context>, args: readonly string[]): Promise<number> {
  try {
    const { found, args: own } = await findCommand(topOf(program), args);
    return await run(found, own, program);
  } catch (error) {
    program.stderr(`Error: ${messageOf(error)}\n`);
    return error instanceof CommandError ? error.exitCode : 1;
  }
}

async function run<Context>(
  found: FoundCommand<Context>,
  args: readonly string[],
  program: Program<Context>,
): Promise<number> {
  const { command, path } = found;
  const { stdout, stderr } = program;
  if (command.delegate !== undefined) return command.delegate(args, program.contextOf());
  if (path === program.name) requireNoWord(args, found);
  const flags = flagsOf(found, program);
  const read = command.passesFlags === true ? unread(args) : readFlags(found, flags, args, program);
  stderr(read?.warnings ?? '');
  if (path === program.name && program.version !== undefined && read?.given.get('version') === true) {
    stdout(`${program.version}\n`);
    return 0;
  }
  if (read === undefined || command.run === undefined) return help(found, flags, read, program);
  command.checkArguments?.(read.args, { path, useLine: useLine(found) });
  requireOneOfEach(command.exclusiveFlags ?? [], read.given);
  const values = flagValues([...flags.local, ...flags.inherited], read.given);
  const context = program.contextOf(command.passesFlags === true ? undefined : values);
  return (await command.run({ args: read.args, flags: values, context, path })) ?? 0;
}

/** Prints the help of a command. `read` is undefined if it was asked for. */
function help<Context>(
  found: FoundCommand<Context>,
  flags: CommandFlags,
  read: ParsedFlags | undefined,
  { stdout, stderr, columns, explainsMistakes = false }: Program<Context>,
): number {
  const isMistake = explainsMistakes && read !== undefined;
  if (isMistake) requireNoWord(read.args, found);
  (isMistake ? stderr : stdout)(helpText(found, flags, columns));
  return isMistake ? 1 : 0;
}

/** Returns undefined if help is asked for. */
function readFlags<Context>(
  { path }: FoundCommand<Context>,
  { local, inherited }: CommandFlags,
  args: readonly string[],
  { explainsMistakes = false }: Program<Context>,
): ParsedFlags | undefined {
  const flags = [...local, ...inherited];
  try {
    const parsed = parseFlags(flags, args);
    return parsed.given.get('help') === true ? undefined : parsed;
  } catch (error) {
    if (error instanceof HelpRequested) return undefined;
    if (!explainsMistakes) throw error;
    const suggestions = error instanceof UnknownFlag ? flagSuggestions(error.flag, flags) : '';
    throw new Error(`${messageOf(error)}${suggestions}\n${usageAdvice(path)}`, { cause: error });
  }
}

function usageAdvice(path: string): string {
  return `Run '${path} --help' for usage.`;
}

function unread(args: readonly string[]): ParsedFlags {
  return { given: new Map<string, never>(), args, warnings: '' };
}

function flagsOf<Context>(found: FoundCommand<Context>, program: Program<Context>): CommandFlags {
  const { name, version } = program;
  const hasVersion = found.path === name && version !== undefined;
  const versionFlags = hasVersion ? [switchFlag('version', `version of ${name}`, { shorthand: 'V' })] : [];
  return commandFlags(found, program.contextOf(), versionFlags);
}

/** Returns the root of a program, with its command `help`. */
function topOf<Context>(program: Program<Context>): FoundCommand<Context> {
  const { name, root } = program;
  const entry = { name, short: '', load: () => Promise.resolve(root) };
  const command = { ...root, subcommands: [...(root.subcommands ?? []), helpEntry(program)] };
  return { entry, command, path: name, inherited: [] };
}

/** Returns the command that prints the help of others. */
function helpEntry<Context>(program: Program<Context>): CommandEntry<Context> {
  const { stdout, stderr, columns } = program;
  const command: Command<Context> = {
    use: 'help [command]',
    long: 'Print the help of a command. It is the same as that of its flag --help.',
    async run({ args, context }) {
      const top = topOf(program);
      const { found, args: own } = await findCommand(top, args);
      if (found.command.delegate !== undefined) return found.command.delegate([...own, '--help'], context);
      if (found.path !== program.name || wordPositions(own, top.command.persistentFlags ?? []).length === 0) {
        stdout(helpText(found, flagsOf(found, program), columns));
        return 0;
      }
      const topic = `[${args.map((word) => `\`${word}\``).join(' ')}]`;
      const flags = { local: program.root.persistentFlags ?? [], inherited: [] };
      stderr(`Unknown help topic ${topic}\n${usageText(top, flags, columns)}`);
      return program.explainsMistakes === true ? 1 : 0;
    },
  };
  return loadedEntry('help', 'print the help of a command', command);
}

/** Throws an error if arguments name a command that does not exist. */
function requireNoWord<Context>(args: readonly string[], { command, path, inherited }: FoundCommand<Context>): void {
  const [at] = wordPositions(args, [...inherited, ...(command.persistentFlags ?? [])]);
  const word = at === undefined ? undefined : args[at];
  if (word === undefined) return;
  const suggestions = commandSuggestions(word, command.subcommands ?? []);
  throw new Error(`unknown command ${quote(word)} for ${quote(path)}${suggestions}\n${usageAdvice(path)}`);
}

/** A failure of a command with its own exit code. Other failures exit with 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}
