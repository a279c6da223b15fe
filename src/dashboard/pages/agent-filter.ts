import type { Agent } from '../server/types.ts';

/** How an agent is, from the best to the worst. */
export type AgentState = 'connected' | 'cluster-away' | 'pending' | 'invited' | 'away';

/** Returns how an agent is. */
export function agentStateOf({ connected, cluster, enrolment }: Agent): AgentState {
  if (connected) return cluster?.reachable === false ? 'cluster-away' : 'connected';
  const states = enrolment?.states ?? [];
  if (states.includes('pending')) return 'pending';
  return states.includes('invited') && !states.includes('enrolled') ? 'invited' : 'away';
}

/** The filters of the list of agents. */
export interface AgentFilter {
  /** Words that all match: a part of an id, a version or a label, or `key=value` of a label. */
  readonly q?: string | undefined;
  readonly state?: string | undefined;
  readonly version?: string | undefined;
}

/** Returns the agents that fit a filter. */
export function filterAgents(agents: readonly Agent[], { q = '', state = '', version = '' }: AgentFilter): Agent[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return agents.filter(
    (agent) =>
      (state === '' || agentStateOf(agent) === state) &&
      (version === '' || agent.version === version) &&
      words.every((word) => matches(agent, word)),
  );
}

function matches({ agentId, version = '', enrolment }: Agent, word: string): boolean {
  if (agentId.toLowerCase().includes(word) || version.toLowerCase().startsWith(word)) return true;
  return Object.entries(enrolment?.labels ?? {}).some(([key, value]) =>
    word.includes('=') ? `${key}=${value}`.toLowerCase() === word : `${key}=${value}`.toLowerCase().includes(word),
  );
}

/** Returns the versions of agents, the most frequent first. */
export function versionsOf(agents: readonly Agent[]): string[] {
  const counts = new Map<string, number>();
  for (const { version } of agents) if (version !== undefined) counts.set(version, (counts.get(version) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([version]) => version);
}
