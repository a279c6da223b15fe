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

/** Adds `ctl follow`. */
export function addFollow(ctl: Command, session: CtlSession): void {
  const examples = ['follow 2f1c6f0e-6a51-4b1c-9a57-0d9f0f0a3f5e'];
  addSubcommand(ctl, 'follow', 'Follow a command that has been sent', examples)
    .argument('<key>', 'key of the command')
    .action((key: string, flags: Flags) => session.follow(flags, key));
}
