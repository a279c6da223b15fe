import { sleep } from '../async/index.ts';
import type { KnownAgent } from './known-agent.ts';

/** An agent without what only matters to its connection, and to the view of one agent. */
type ListedAgent = Omit<KnownAgent, (typeof connectionNames)[number]>;

const connectionNames = ['capabilities', 'limits', 'packetFields', 'packets', 'resume', 'streams'] as const;
const connectionFields: ReadonlySet<string> = new Set(connectionNames);

export interface AgentChangesOptions {
  /** Returns all agents, by id. */
  agents: () => readonly KnownAgent[];
  /** Time between two looks at all agents, in milliseconds. Default: 500. */
  intervalMs?: number;
  /** Returns the time in milliseconds. Default: `performance.now`. */
  now?: () => number;
}

/** An event of those who watch the agents. `ready` comes when all of them were sent. */
export type AgentEvent =
  | { readonly id: number; readonly type: 'agents'; readonly payload: { agents: readonly ListedAgent[] } }
  | { readonly id: number; readonly type: 'forgotten'; readonly payload: { agentIds: readonly string[] } }
  | { readonly id: number; readonly type: 'ready'; readonly payload: Record<string, never> };

/** An event of those who watch one agent. */
export type OneAgentEvent =
  | { readonly id: number; readonly type: 'agent'; readonly payload: KnownAgent }
  | { readonly id: number; readonly type: 'forgotten'; readonly payload: { agentIds: readonly string[] } };

/** Number of agents in an event. */
const chunkLength = 500;

interface Version {
  /** The agent with all fields, as it was at its last change. */
  readonly whole: KnownAgent;
  readonly agent: ListedAgent;
  /** The agent as text to compare. */
  readonly text: string;
  /** The number of its last change. */
  readonly number: number;
}

/**
 * The changes of agents, for those who watch them. Agents change for many reasons, also on other
 * replicas, so all of them are compared while someone watches, once for all who do.
 */
export class AgentChanges {
  readonly #agents: () => readonly KnownAgent[];
  readonly #intervalMs: number;
  readonly #now: () => number;
  #versions = new Map<string, Version>();
  #number = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor({ agents, intervalMs = 500, now = () => performance.now() }: AgentChangesOptions) {
    this.#agents = agents;
    this.#intervalMs = intervalMs;
    this.#now = now;
  }

  /** Returns the agents that a user sees, and those that change, until the signal aborts. */
  async *events(sees: (agentId: string) => boolean, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    const sent = new Set<string>();
    let seen = -1;
    let isReady = false;
    while (!signal.aborted) {
      this.#look();
      const number = this.#number;
      if (number > seen) {
        const changed = [...this.#versions.values()].filter((version) => version.number > seen);
        const agents = changed.flatMap(({ agent }) => (sees(agent.agentId) ? [agent] : []));
        for (let start = 0; start < agents.length; start += chunkLength) {
          const chunk = agents.slice(start, start + chunkLength);
          for (const { agentId } of chunk) sent.add(agentId);
          yield { id: number, type: 'agents', payload: { agents: chunk } };
        }
        const gone = [...sent].filter((agentId) => !this.#versions.has(agentId) || !sees(agentId));
        for (const agentId of gone) sent.delete(agentId);
        if (gone.length > 0) yield { id: number, type: 'forgotten', payload: { agentIds: gone } };
        seen = number;
      }
      if (!isReady) yield { id: number, type: 'ready', payload: {} };
      isReady = true;
      await sleep(this.#intervalMs, signal).catch(() => undefined);
    }
  }

  /**
   * Returns one agent with all fields, and again each time it changes, until the signal aborts. One
   * that is not known, or that the user does not see any more, is `forgotten`.
   */
  async *eventsOf(agentId: string, sees: () => boolean, signal: AbortSignal): AsyncGenerator<OneAgentEvent> {
    let seen = -1;
    while (!signal.aborted) {
      this.#look();
      const version = sees() ? this.#versions.get(agentId) : undefined;
      const number = version?.number ?? 0;
      if (number !== seen) {
        seen = number;
        if (version) yield { id: number, type: 'agent', payload: version.whole };
        else yield { id: this.#number, type: 'forgotten', payload: { agentIds: [agentId] } };
      }
      await sleep(this.#intervalMs, signal).catch(() => undefined);
    }
  }

  /** Compares the agents with those of the last look, unless that was a moment ago. */
  #look(): void {
    const time = this.#now();
    if (time - this.#lookedAt < this.#intervalMs / 2) return;
    this.#lookedAt = time;
    const before = this.#versions;
    const versions = new Map<string, Version>();
    const number = this.#number + 1;
    let hasChanged = false;
    for (const known of this.#agents()) {
      const agent = listed(known);
      const text = textOf(agent);
      const last = before.get(agent.agentId);
      const isSame = last?.text === text;
      versions.set(agent.agentId, isSame ? last : { whole: known, agent, text, number });
      hasChanged ||= !isSame;
    }
    hasChanged ||= versions.size !== before.size;
    this.#versions = versions;
    if (hasChanged) this.#number = number;
  }
}

/** Returns an agent with the fields of a list: all of them would be some MiB for a large fleet. */
function listed(agent: KnownAgent): ListedAgent {
  if (!agent.connected) return agent;
  const fields = Object.entries(agent).filter(([name]) => !connectionFields.has(name));
  return Object.fromEntries(fields) as ListedAgent; // without the fields that its type leaves out
}

/** Returns an agent as text to compare. One that is connected is seen all the time. */
function textOf({ lastSeen, ...agent }: ListedAgent): string {
  return JSON.stringify(agent.connected ? agent : { ...agent, lastSeen });
}
