import { setTimeout as sleep } from 'node:timers/promises';
import type { LRUCache } from 'lru-cache';
import type { Hello } from '../protocol/messages.ts';
import { agentCache } from './agent-cache.ts';
import type { AgentConnection } from './agent-connection.ts';
import { processIdOf } from './agent-sessions.ts';

export interface CopiesOptions {
  /**
   * Time in milliseconds after which a process that still responds has not made way for another one
   * of its agent. Default: 20,000, which is less than the silence after which agents hang up.
   */
  takeoverMs?: number | undefined;
  /** Number of agents of which something is kept. */
  max: number;
  now: () => Date;
  /** Called when a process was refused. */
  onRefused: (agentId: string) => void;
}

/** A connected process of an agent. */
export interface Incumbent {
  agent: Hello;
  connection: Pick<AgentConnection, 'ping' | 'closed'>;
}

/** Time for a process to respond to a ping, in milliseconds. */
const responseMs = 5000;

/** Number of processes of an agent that are known to have been replaced. */
const maxReplaced = 16;

/**
 * Finds processes that have the identity of an agent and are not of its cluster, such as those of a
 * clone of etcd. Processes of one cluster with leader election work one after the other, so one
 * that connects while another continues to work is a copy. Without leader election, a process that
 * was replaced and comes back is one.
 */
export class Copies {
  readonly #options: CopiesOptions;
  /** When a copy of an agent was refused last. */
  readonly #refused: LRUCache<string, string>;
  /** The ids of processes that another one has replaced, by agent. */
  readonly #replaced: LRUCache<string, Set<string>>;
  /** Whether processes continue to work, by their connections. */
  readonly #examined = new WeakMap<Incumbent['connection'], Promise<boolean>>();
  /** Connections on which no process responds. */
  readonly #dead = new WeakSet<Incumbent['connection']>();

  constructor(options: CopiesOptions) {
    this.#options = options;
    this.#refused = agentCache(options.max);
    this.#replaced = agentCache(options.max);
  }

  /**
   * Returns whether a process is a copy beside the newest one that is connected, once that is
   * known. Returns undefined if it may take over at once.
   */
  examine(hello: Hello, newest: Incumbent | undefined): Promise<boolean> | undefined {
    if (!newest || this.#dead.has(newest.connection)) return undefined;
    const processId = processIdOf(hello);
    if (processIdOf(newest.agent) === processId) return undefined;
    const isBack = this.#replaced.get(hello.agentId)?.has(processId) === true;
    return newest.agent.elected === true || isBack ? this.#works(newest.connection) : undefined;
  }

  /** Notes that another process has replaced one. */
  replaced(hello: Hello): void {
    const { agentId } = hello;
    const known = this.#replaced.get(agentId) ?? new Set();
    this.#replaced.set(agentId, known.add(processIdOf(hello)));
    const [oldest] = known;
    if (known.size > maxReplaced && oldest !== undefined) known.delete(oldest);
  }

  /** Notes that a copy of an agent was refused. */
  refused(agentId: string): void {
    this.#refused.set(agentId, this.#options.now().toISOString());
    this.#options.onRefused(agentId);
  }

  /** Returns when a copy of an agent was refused last, in RFC 3339; undefined if none was. */
  refusedAt(agentId: string): string | undefined {
    return this.#refused.get(agentId);
  }

  /** Forgets what is known about an agent, because it has another key or none. */
  forget(agentId: string): void {
    this.#refused.delete(agentId);
    this.#replaced.delete(agentId);
  }

  /** Processes that arrive at the same time get the same result, so they cost no more than one. */
  #works(connection: Incumbent['connection']): Promise<boolean> {
    const known = this.#examined.get(connection);
    if (known) return known;
    const { takeoverMs = 20_000 } = this.#options;
    const examined = keepsWorking(connection, takeoverMs).then((isWorking) => {
      this.#examined.delete(connection);
      if (!isWorking) this.#dead.add(connection);
      return isWorking;
    });
    this.#examined.set(connection, examined);
    return examined;
  }
}

/** Whether a process responds now and after a time. */
async function keepsWorking(connection: Incumbent['connection'], takeoverMs: number): Promise<boolean> {
  if (!(await responds(connection))) return false;
  await sleep(takeoverMs, undefined, { signal: connection.closed }).catch(() => undefined); // closed
  return await responds(connection);
}

async function responds({ ping, closed }: Incumbent['connection']): Promise<boolean> {
  if (closed.aborted) return false;
  const over = new AbortController();
  let hasResponded = false;
  ping(() => {
    hasResponded = true;
    over.abort();
  });
  await sleep(responseMs, undefined, { signal: AbortSignal.any([closed, over.signal]) }).catch(() => undefined);
  return hasResponded;
}
