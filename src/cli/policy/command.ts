import type { Command } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';

export const policyCommand: Command<ProgramDependencies> = {
  use: 'policy',
  long: 'Try the policy of the owner of a cluster.',
  subcommands: [
    {
      name: 'check',
      short: 'check a policy, and what it allows',
      load: async () => (await import('./check.ts')).checkCommand,
    },
    {
      name: 'explain',
      short: 'show how a policy decides about a command',
      load: async () => (await import('./explain.ts')).explainCommand,
    },
    {
      name: 'replay',
      short: 'show what a policy would have decided about commands',
      load: async () => (await import('./replay.ts')).replayCommand,
    },
  ],
};
