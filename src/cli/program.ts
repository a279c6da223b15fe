import { Command, CommanderError } from 'commander';
import { addCtl } from './ctl/command.ts';
import { controlPlaneSchema, controlPlaneSettings } from './control-plane-settings.ts';
import type { ProgramDependencies } from './dependencies.ts';
import { runSchema, runSettings } from './run-settings.ts';
import { addSettings, readSettings } from './settings.ts';
import { addLint } from './lint/command.ts';
import { addShow } from './show/command.ts';
import { addTemplate } from './template/command.ts';
import { printable } from './text.ts';

/** The whole program: takes the arguments behind its name, and yields its exit code. */
export type Program = (args: readonly string[]) => Promise<number>;

export function createProgram(dependencies: ProgramDependencies): Program {
  return async (args) => {
    const exit = { code: 0 };
    const command = buildCommand(dependencies, exit);
    try {
      await command.parseAsync([...args], { from: 'user' });
    } catch (error) {
      // Help and usage errors are printed by commander already.
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
  const { stdout, stderr, env, version } = dependencies;
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

  const run = program
    .command('run')
    .description('Run an agent: connect to a control plane, or listen, and perform commands on a cluster')
    .action(async (flags: Record<string, unknown>) => {
      await dependencies.runAgent(readSettings(runSchema(dependencies.hostName), runSettings, flags, env));
    });
  addSettings(run, runSettings);
  run.addHelpText(
    'after',
    `
Examples:
  helm-agent run --control-plane wss://deploy.example/agent --token-file /etc/helm-agent/token --agent-id edge-1
  helm-agent run --control-plane ws://127.0.0.1:8088 --kubeconfig ~/.kube/config --local-charts ./charts
  helm-agent run --listen 8089`,
  );

  const controlPlane = program
    .command('control-plane')
    .description('Run a control plane: accept agents, and offer a REST API to command them')
    .action(async (flags: Record<string, unknown>) => {
      await dependencies.runControlPlane(readSettings(controlPlaneSchema, controlPlaneSettings, flags, env));
    });
  addSettings(controlPlane, controlPlaneSettings);
  controlPlane.addHelpText(
    'after',
    `
Examples:
  helm-agent control-plane --port 8088
  helm-agent control-plane --host 0.0.0.0 --token-file agents.token --api-token-file users.token`,
  );

  addCtl(program, dependencies, exit);
  addTemplate(program, dependencies);
  addShow(program, dependencies);
  addLint(program, dependencies);
  return program;
}
