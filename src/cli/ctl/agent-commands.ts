import { argumentCount } from '../cobra/argument-count.ts';
import type { Command } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { outputFlag, outputFormat } from '../helm/flags/output-flag.ts';
import { oneLine } from '../text.ts';
import { agentsOutput } from './output/agents.ts';
import { textOf } from './output/format.ts';
import { sessionFlags } from './send-flags.ts';
import { createSession } from './session.ts';

export const agentsCommand: Command<ProgramDependencies> = {
  use: 'agents',
  examples: ['', '-o json'],
  checkArguments: argumentCount('exactly', 0),
  flags: () => [outputFlag],
  async run({ flags, context }) {
    const client = await createSession(context).client(sessionFlags(flags));
    const agents = await client.agents(new AbortController().signal);
    context.stdout.write(textOf(outputFormat(flags), agentsOutput(agents)));
  },
};

export const forgetAgentCommand: Command<ProgramDependencies> = {
  use: 'forget-agent AGENT',
  long: `End the commands of an agent that will not come back, as when its cluster was
deleted. The agent must not be connected.`,
  examples: ['edge-1'],
  checkArguments: argumentCount('exactly', 1),
  async run({ args: [agentId = ''], flags, context }) {
    const client = await createSession(context).client(sessionFlags(flags));
    const { commandsEnded } = await client.forgetAgent(agentId, new AbortController().signal);
    const commands = commandsEnded === 1 ? '1 command has' : `${commandsEnded} commands have`;
    context.stdout.write(`agent ${oneLine(agentId)} is forgotten; ${commands} ended\n`);
  },
};
