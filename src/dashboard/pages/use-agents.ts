import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../parts/app-context.ts';
import type { Loaded } from '../parts/use-loaded.ts';
import type { ServerEvent } from '../server/events.ts';
import type { Agent } from '../server/types.ts';

/** Follows all agents, by id. They are drawn once for each frame of the screen. */
export function useAgents(): Loaded<readonly Agent[]> {
  const { api } = useApp();
  const [round, setRound] = useState(0);
  const [state, setState] = useState<Pick<Loaded<readonly Agent[]>, 'value' | 'error'>>({
    value: undefined,
    error: undefined,
  });
  useEffect(() => {
    const gone = new AbortController();
    let agents = new AgentList();
    let isDrawing = false;
    const draw = () => {
      if (isDrawing || !agents.isReady) return;
      isDrawing = true;
      requestAnimationFrame(() => {
        isDrawing = false;
        if (!gone.signal.aborted) setState({ value: agents.sorted(), error: undefined });
      });
    };
    const follow = async () => {
      // a stream that is opened again begins with all agents; until then, those before are shown
      const onConnected = (isConnected: boolean) => {
        if (isConnected) agents = new AgentList();
      };
      for await (const event of api.events('/api/agent-events', { signal: gone.signal, onConnected })) {
        agents.apply(event);
        draw();
      }
    };
    follow().catch((reason: unknown) => {
      if (gone.signal.aborted) return;
      const error = reason instanceof Error ? reason : new Error(String(reason));
      setState(({ value }) => ({ value, error }));
    });
    return () => gone.abort();
  }, [round]);
  return { ...state, isLoading: state.value === undefined, reload: () => setRound((last) => last + 1) };
}

/** The agents of a stream so far. */
class AgentList {
  readonly #agents = new Map<string, Agent>();
  /** Undefined: agents were added or removed since. */
  #order: string[] | undefined;
  isReady = false;

  apply({ type, payload }: ServerEvent): void {
    // as the control plane sends them: src/control-plane/agent-changes.ts
    const { agents = [], agentIds = [] } = payload as { agents?: Agent[]; agentIds?: string[] };
    if (type === 'ready') this.isReady = true;
    for (const agent of agents) {
      if (!this.#agents.has(agent.agentId)) this.#order = undefined;
      this.#agents.set(agent.agentId, agent);
    }
    for (const agentId of agentIds) {
      this.#agents.delete(agentId);
      this.#order = undefined;
    }
  }

  sorted(): Agent[] {
    this.#order ??= [...this.#agents.keys()].sort();
    return this.#order.flatMap((agentId) => this.#agents.get(agentId) ?? []);
  }
}
