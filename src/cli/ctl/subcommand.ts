import { Option, type Command } from 'commander';
import { addSettings } from '../settings.ts';
import { serverSettings } from './control-plane-client.ts';

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

/** Returns the flag `--tiller-namespace`, as helm 2 and its plugin helm-2to3 have it. */
export function tillerNamespaceOption(): Option {
  return new Option('--tiller-namespace <namespace>', 'namespace of the Tiller of Helm 2 (default: kube-system)');
}
