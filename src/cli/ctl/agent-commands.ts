import type { Command } from 'commander';
import { oneLine, table } from '../text.ts';
import type { CtlSession, Flags } from './session.ts';
import { addSubcommand } from './subcommand.ts';

/** Adds `ctl agents`. */
export function addAgents(ctl: Command, session: CtlSession): void {
  addSubcommand(ctl, 'agents', 'List the connected agents', ['agents']).action(async (flags: Flags) => {
    const client = await session.client(flags);
    const agents = await client.agents(new AbortController().signal);
    const rows = agents.map(({ agentId, version, instanceId, connectedAt }) =>
      [agentId, version, instanceId, connectedAt].map(oneLine),
    );
    const head = ['AGENT', 'VERSION', 'INSTANCE', 'CONNECTED AT'];
    session.dependencies.stdout.write(`${table([head, ...rows]).join('\n')}\n`);
  });
}

/** Adds `ctl forget-agent`. */
export function addForgetAgent(ctl: Command, session: CtlSession): void {
  const description = 'End the commands of an agent that will not come back, as when its cluster was deleted';
  addSubcommand(ctl, 'forget-agent', description, ['forget-agent edge-1'])
    .argument('<agent>', 'id of the agent, which must not be connected')
    .action(async (agentId: string, flags: Flags) => {
      const client = await session.client(flags);
      const { commandsEnded } = await client.forgetAgent(agentId, new AbortController().signal);
      const commands = commandsEnded === 1 ? '1 command has' : `${commandsEnded} commands have`;
      session.dependencies.stdout.write(`agent ${oneLine(agentId)} is forgotten; ${commands} ended\n`);
    });
}
