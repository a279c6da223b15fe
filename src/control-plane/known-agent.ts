import type { CommandIndex } from './command-index.ts';
import type { ConnectedAgent } from './connected-agent.ts';

/** An agent that is registered, or that was connected before. */
export interface AwayAgent {
  agentId: string;
  connected: false;
  /** When its last connection ended, in RFC 3339; null if it was never connected. */
  lastSeen: string | null;
  /** The version of its last connection. */
  version?: string;
}

/** An agent that a control plane can send commands to. */
export type KnownAgent = (ConnectedAgent & { connected: true; lastSeen: string }) | AwayAgent;

export interface KnownAgentsOptions {
  agents: { list(): readonly ConnectedAgent[] };
  commands: Pick<CommandIndex, 'knownAgents'>;
  /** Returns the ids of all agents with a credential. */
  registered: () => Iterable<string>;
  now: () => Date;
}

/** Returns all agents that are connected, were connected, or are registered, sorted by id. */
export function listKnownAgents({ agents, commands, registered, now }: KnownAgentsOptions): KnownAgent[] {
  const known = commands.knownAgents();
  const all = new Map<string, KnownAgent>();
  for (const agentId of [...registered(), ...known.keys()]) {
    const { lastSeen, version } = known.get(agentId) ?? {};
    const time = lastSeen === undefined ? null : new Date(lastSeen).toISOString();
    all.set(agentId, { agentId, connected: false, lastSeen: time, ...(version !== undefined && { version }) });
  }
  const time = now().toISOString();
  for (const agent of agents.list()) all.set(agent.agentId, { ...agent, connected: true, lastSeen: time });
  return [...all.values()].sort((a, b) => (a.agentId < b.agentId ? -1 : 1));
}
