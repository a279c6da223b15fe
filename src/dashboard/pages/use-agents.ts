import { useEvents } from '../parts/use-events.ts';
import type { Loaded } from '../parts/use-loaded.ts';
import { ApiError } from '../server/api.ts';
import type { EventReader, ServerEvent } from '../server/events.ts';
import type { Agent } from '../server/types.ts';

/** Follows all agents, by id. */
export function useAgents(): Loaded<readonly Agent[]> {
  return useEvents('/api/agent-events', () => new AgentList());
}

/** Follows an agent with all fields. The error says that it is not known. */
export function useAgent(agentId: string): Loaded<Agent> {
  const path = `/api/agents/${encodeURIComponent(agentId)}/events`;
  const { value, error, ...followed } = useEvents(path, agentReader);
  if (value === undefined || value === 'unknown') {
    return { ...followed, value: undefined, error: value === 'unknown' ? unknownAgent : error };
  }
  return { ...followed, value, error };
}

const unknownAgent = new ApiError(404, 'agent_not_found', 'no agent with this id is known');

function agentReader(): EventReader<Agent | 'unknown'> {
  let agent: Agent | 'unknown' | undefined;
  return {
    read: ({ type, payload }) => (agent = type === 'agent' ? (payload as Agent) : 'unknown'),
    value: () => agent,
  };
}

/** The agents of a stream so far. */
class AgentList implements EventReader<readonly Agent[]> {
  readonly #agents = new Map<string, Agent>();
  /** Undefined: agents were added or removed since. */
  #order: string[] | undefined;
  #isReady = false;

  read({ type, payload }: ServerEvent): void {
    // as the control plane sends them: src/control-plane/agent-changes.ts
    const { agents = [], agentIds = [] } = payload as { agents?: Agent[]; agentIds?: string[] };
    if (type === 'ready') this.#isReady = true;
    for (const agent of agents) {
      if (!this.#agents.has(agent.agentId)) this.#order = undefined;
      this.#agents.set(agent.agentId, agent);
    }
    for (const agentId of agentIds) {
      this.#agents.delete(agentId);
      this.#order = undefined;
    }
  }

  value(): readonly Agent[] | undefined {
    if (!this.#isReady) return undefined;
    this.#order ??= [...this.#agents.keys()].sort();
    return this.#order.flatMap((agentId) => this.#agents.get(agentId) ?? []);
  }
}
