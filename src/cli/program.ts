import { Command, CommanderError } from 'commander';
import { addAgents } from './agents/command.ts';
import { addControlPlane } from './control-plane/command.ts';
import { addCtl } from './ctl/command.ts';
import type { ProgramDependencies } from './dependencies.ts';
import { addLint } from './lint/command.ts';
import { addRun } from './run/command.ts';
import { addSandbox } from './sandbox/command.ts';
import { addShow } from './show/command.ts';
import { addTemplate } from './template/command.ts';
import { printable } from './text.ts';

/** The whole program: takes the arguments after its name and resolves to its exit code. */
export type Program = (args: readonly string[]) => Promise<number>;

export function createProgram(dependencies: ProgramDependencies): Program {
  return async (args) => {
    const exit = { code: 0 };
    const command = buildCommand(dependencies, exit);
    try {
      await command.parseAsync([...args], { from: 'user' });
    } catch (error) {
      // commander has already printed help and usage errors
      if (error instanceof CommanderError) return error.exitCode;
      const text = error instanceof Error ? error.message : String(error);
      const { stderr } = dependencies;
      stderr.write(`Error: ${stderr.isTerminal ? printable(text) : text}\n`);
      return 1;
    }
    return exit.code;
  };
}

function buildCommand(dependencies: ProgramDependencies, exit: { code: number }): Command {
  const { stdout, stderr, version } = dependencies;
  const program = new Command('helm-agent')
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
  addRun(program, dependencies);
  addControlPlane(program, dependencies);
  addAgents(program, dependencies);
  addSandbox(program, dependencies);
  addCtl(program, dependencies, exit);
  addTemplate(program, dependencies);
  addShow(program, dependencies);
  addLint(program, dependencies);
  return program;
}
