import type { AgentSubject } from '../access/is-allowed.ts';
import { countOf, type RolloutSpec } from './rollout-spec.ts';
import { selects } from './selection.ts';

/** An agent that can be part of a rollout. */
export interface Candidate extends AgentSubject {
  readonly isConnected: boolean;
}

/**
 * Divides the agents of a rollout into waves, in the order of their ids. A wave with a size takes
 * agents that are connected first, because others prove nothing. Agents that no wave names are in a
 * last one.
 */
export function wavesOf(spec: Pick<RolloutSpec, 'waves'>, candidates: readonly Candidate[]): string[][] {
  const sorted = candidates.toSorted(
    (a, b) => Number(b.isConnected) - Number(a.isConnected) || (a.agentId < b.agentId ? -1 : 1),
  );
  const left = new Map(sorted.map((candidate) => [candidate.agentId, candidate]));
  const waves = spec.waves.map((wave) => {
    const room = wave.size === undefined ? Infinity : Math.max(1, countOf(wave.size, candidates.length, Math.ceil));
    const isSelected = selects(wave);
    const chosen: string[] = [];
    for (const candidate of left.values()) {
      if (chosen.length >= room) break;
      if (isSelected(candidate)) chosen.push(candidate.agentId);
    }
    for (const agentId of chosen) left.delete(agentId);
    return chosen;
  });
  return left.size === 0 ? waves : [...waves, [...left.keys()]];
}
