import { quote } from '../../go/strconv.ts';
import { flagValues, type FlagValues } from '../pflag/flag-values.ts';
import { switchFlag, type Flag } from '../pflag/flag.ts';
import { HelpRequested, parseFlags } from '../pflag/parse-flags.ts';
import { CommandError } from './command-error.ts';
import type { Command, CommandEntry, FoundCommand } from './command.ts';
import { requireOneOfEach } from './exclusive-flags.ts';
import { findCommand, wordPositions } from './find-command.ts';
import { helpText, usageText, useLine, type CommandFlags } from './help-text.ts';
import { suggestionText } from './suggestions.ts';
import { messageOf } from '../../operation/error.ts';

/** A program with commands. */
export interface Program<Context> {
  name: string;
  root: Command<Context>;
  /** Flags that all commands have. */
  globalFlags: readonly Flag[];
  /** Returns the context of commands. It is called without flags until they are read. */
  contextOf(flags?: FlagValues): Context;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
}

/** Runs the command that arguments call, as cobra does. Resolves to the exit code. */
export async function execute<Context>(program: Program<Context>, args: readonly string[]): Promise<number> {
  const { name, root, globalFlags, stderr } = program;
  const subcommands = [...(root.subcommands ?? []), helpEntry(program)];
  const top = { entry: rootEntry(program), command: { ...root, subcommands }, path: name };
  const { found, args: own } = await findCommand(top, args, globalFlags);
  try {
    if (found === top) requireNoWord(own, program);
  } catch (error) {
    stderr(`Error: ${messageOf(error)}\nRun '${name} --help' for usage.\n`);
    return 1;
  }
  try {
    await run(found, own, program);
    return 0;
  } catch (error) {
    stderr(`Error: ${messageOf(error)}\n`);
    return error instanceof CommandError ? error.exitCode : 1;
  }
}

async function run<Context>(found: FoundCommand<Context>, args: readonly string[], program: Program<Context>) {
  const { command, path } = found;
  const flags = flagsOf(found, program);
  const read = command.passesFlags === true ? unread(args) : readFlags(flags, args);
  if (read !== undefined) program.stderr(read.warnings);
  if (read === undefined || command.run === undefined) {
    program.stdout(helpText(found, flags));
    return;
  }
  command.checkArguments?.(read.args, { path, useLine: useLine(found) });
  requireOneOfEach(command.exclusiveFlags ?? [], read.given);
  const values = flagValues([...flags.local, ...flags.inherited], read.given);
  const context = program.contextOf(command.passesFlags === true ? undefined : values);
  await command.run({ args: read.args, flags: values, context, path });
}

/** Returns undefined if help is asked for. */
function readFlags({ local, inherited }: CommandFlags, args: readonly string[]) {
  try {
    const parsed = parseFlags([...local, ...inherited], args);
    return parsed.given.get('help') === true ? undefined : parsed;
  } catch (error) {
    if (error instanceof HelpRequested) return undefined;
    throw error;
  }
}

function unread(args: readonly string[]) {
  return { given: new Map<string, never>(), args, warnings: '' };
}

/** A flag of a command hides the global one with its name. */
function flagsOf<Context>({ command, entry, path }: FoundCommand<Context>, program: Program<Context>): CommandFlags {
  const help = switchFlag('help', `help for ${entry.name}`, { shorthand: 'h' });
  const own = [...(command.flags?.(program.contextOf()) ?? []), help];
  if (path === program.name) return { local: [...own, ...program.globalFlags], inherited: [] };
  return { local: own, inherited: program.globalFlags.filter(({ name }) => own.every((flag) => flag.name !== name)) };
}

/** Returns the command that prints the help of others. */
function helpEntry<Context>(program: Program<Context>): CommandEntry<Context> {
  const { name, root, globalFlags, stdout, stderr } = program;
  const entry: CommandEntry<Context> = {
    name: 'help',
    short: 'Help about any command',
    load: () => Promise.resolve(command),
  };
  const subcommands = [...(root.subcommands ?? []), entry];
  const top = { entry: rootEntry(program), command: { ...root, subcommands }, path: name };
  const command: Command<Context> = {
    use: 'help [command]',
    long: `Help provides help for any command in the application.\nSimply type ${name} help [path to command] for full details.`,
    async run({ args }) {
      const { found, args: own } = await findCommand(top, args, globalFlags);
      if (found !== top || wordPositions(own, globalFlags).length === 0) {
        stdout(helpText(found, flagsOf(found, program)));
        return;
      }
      const topic = `[${args.map((word) => `\`${word}\``).join(' ')}]`;
      stderr(`Unknown help topic ${topic}\n${usageText(top, { local: globalFlags, inherited: [] })}`);
    },
  };
  return entry;
}

function rootEntry<Context>({ name, root }: Program<Context>): CommandEntry<Context> {
  return { name, short: '', load: () => Promise.resolve(root) };
}

/** Throws an error if arguments name a command that does not exist. */
function requireNoWord<Context>(args: readonly string[], { name, root, globalFlags }: Program<Context>): void {
  const [at] = wordPositions(args, globalFlags);
  const word = at === undefined ? undefined : args[at];
  if (word === undefined) return;
  throw new Error(`unknown command ${quote(word)} for ${quote(name)}${suggestionText(word, root.subcommands ?? [])}`);
}
