import type { AgentRegistry } from '../agent-registry.ts';
import type { CommandIndex } from '../command-index.ts';
import type { Presence } from './advance.ts';

export interface PresenceOptions {
  agents: Pick<AgentRegistry, 'get'>;
  commands: Pick<CommandIndex, 'knownAgents'>;
  now: () => Date;
}

/** Time without a connection after which an agent is away, in milliseconds. */
const awayMs = 60_000;

/** Returns a function that says since when an agent is connected. */
export function connectedSince({ agents }: Pick<PresenceOptions, 'agents'>): (agentId: string) => number | undefined {
  return (agentId) => {
    const agent = agents.get(agentId);
    return agent && Date.parse(agent.connectedAt);
  };
}

/**
 * Returns a function that says whether an agent is connected. Agents get the same time to connect
 * after a start of the control plane.
 */
export function presence({ agents, commands, now }: PresenceOptions): (agentId: string) => Presence {
  const start = now().getTime();
  return (agentId) => {
    if (agents.get(agentId)) return 'connected';
    const sighting = commands.knownAgents().get(agentId);
    if (!sighting) return 'away';
    return now().getTime() - Math.max(start, sighting.lastSeen) < awayMs ? 'absent' : 'away';
  };
}
