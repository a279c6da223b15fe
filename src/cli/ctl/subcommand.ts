import { Option, type Command } from 'commander';
import { addSettings } from '../settings.ts';
import { agentSettings } from './agent-setting.ts';
import { serverSettings } from './control-plane-client.ts';

/** Adds a command to `ctl`, with the flags of the control plane and with examples in its help. */
export function addSubcommand(ctl: Command, usage: string, description: string, examples: readonly string[]): Command {
  const command = ctl.command(usage).description(description);
  addSettings(command, serverSettings);
  const prefix = ctl.name() === 'ctl' ? 'ctl' : `ctl ${ctl.name()}`;
  const lines = examples.map((example) => `  helm-agent ${prefix} ${example}`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

/** Returns the flag `--agent`, which is required if the environment does not name an agent. */
export function agentOption(): Option {
  const { flag, value, variable, description } = agentSettings.agent;
  return new Option(`--${flag} <${value}>`, `${description} (env: ${variable})`);
}

/** Returns the flag `--deliver-within` of a command that is sent to an agent. */
export function deliverWithinOption(): Option {
  return new Option(
    '--deliver-within <duration>',
    'time for the agent to connect, or false to fail if it is not connected ' +
      '(default: 24h; false for commands that only read)',
  );
}

/** Returns the flag `--namespace` of a command for one release. */
export function namespaceOption(): Option {
  return new Option('-n, --namespace <namespace>', 'namespace of the release (default: default)');
}
