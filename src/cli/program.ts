import { Command, CommanderError } from 'commander';
import type { ProgramDependencies } from './dependencies.ts';
import { printable } from './text.ts';
import { messageOf } from '../operation/error.ts';

/** The whole program: takes the arguments after its name and resolves to its exit code. */
export type Program = (args: readonly string[]) => Promise<number>;

const helmDescription = "Helm's commands, with Helm's arguments and output; alias helm='helm-agent helm'";

type AddCommand = (program: Command, dependencies: ProgramDependencies, exit: { code: number }) => void;

/** Functions that add the commands, in the order of the help. Each is loaded when it is used. */
const loadCommands = new Map<string, () => Promise<AddCommand>>([
  ['run', async () => (await import('./run/command.ts')).addRun],
  ['control-plane', async () => (await import('./control-plane/command.ts')).addControlPlane],
  ['agents', async () => (await import('./agents/command.ts')).addAgents],
  ['sandbox', async () => (await import('./sandbox/command.ts')).addSandbox],
  ['ctl', async () => (await import('./ctl/command.ts')).addCtl],
  ['template', async () => (await import('./template/command.ts')).addTemplate],
  ['show', async () => (await import('./show/command.ts')).addShow],
  ['lint', async () => (await import('./lint/command.ts')).addLint],
]);

export function createProgram(dependencies: ProgramDependencies): Program {
  return async (args) => {
    const [first, ...rest] = args;
    if (first === 'helm') return (await import('./helm/command.ts')).runHelm(rest, dependencies);
    const exit = { code: 0 };
    const command = rootCommand(dependencies);
    for (const load of neededCommands(args)) (await load())(command, dependencies, exit);
    command.command('helm [arguments...]').description(helmDescription);
    try {
      await command.parseAsync([...args], { from: 'user' });
    } catch (error) {
      // commander has already printed help and usage errors
      if (error instanceof CommanderError) return error.exitCode;
      const text = messageOf(error);
      const { stderr } = dependencies;
      stderr.write(`Error: ${stderr.isTerminal ? printable(text) : text}\n`);
      return 1;
    }
    return exit.code;
  };
}

/** Returns what loads the commands that the arguments need: all of them for help and mistakes. */
function neededCommands([first = '', ...rest]: readonly string[]) {
  if ((first === '--version' || first === '-V') && rest.length === 0) return [];
  const load = loadCommands.get(first);
  return load === undefined ? [...loadCommands.values()] : [load];
}

function rootCommand({ stdout, stderr, version }: ProgramDependencies): Command {
  return new Command('helm-agent')
    .description('A Kubernetes deploy agent with Helm inside')
    .version(version)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => stdout.columns,
      getErrHelpWidth: () => stderr.columns,
    });
}
