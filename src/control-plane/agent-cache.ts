import { LRUCache } from 'lru-cache';

/**
 * Returns a cache by agent id that keeps the agents that were used last. It grows with them: with
 * `max`, lru-cache would allocate memory for all of them at once.
 */
export function agentCache<Value extends object | string>(agents: number): LRUCache<string, Value> {
  return new LRUCache({ maxSize: agents, sizeCalculation: () => 1 });
}
