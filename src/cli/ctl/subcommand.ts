import { Option, type Command } from 'commander';
import { addSettings } from '../settings.ts';
import { serverSettings } from './session.ts';

/** Adds a command to `ctl`, with the flags of the control plane and with examples in its help. */
export function addSubcommand(ctl: Command, usage: string, description: string, examples: readonly string[]): Command {
  const command = ctl.command(usage).description(description);
  addSettings(command, serverSettings);
  const prefix = ctl.name() === 'ctl' ? 'ctl' : `ctl ${ctl.name()}`;
  const lines = examples.map((example) => `  helm-agent ${prefix} ${example}`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

/** Returns the required flag `--agent`. */
export function agentOption(): Option {
  return new Option('--agent <id>', 'agent that performs the command').makeOptionMandatory();
}

/** Returns the flag `--namespace` of a command for one release. */
export function namespaceOption(): Option {
  return new Option('-n, --namespace <namespace>', 'namespace of the release (default: default)');
}
