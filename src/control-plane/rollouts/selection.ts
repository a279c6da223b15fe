import { type LabelRequirement, matchesLabels, parseLabelSelector } from '../../objects/label-selector.ts';
import { matchesAny } from '../../protocol/pattern.ts';
import type { AgentSubject } from '../access/is-allowed.ts';
import type { RolloutSpec, Selection } from './rollout-spec.ts';

/**
 * Returns whether a selection has an agent. As in roles, a label selector has no agent that was not
 * invited.
 */
export function selects({ agents, labels }: Selection): (agent: AgentSubject) => boolean {
  const requirements: readonly LabelRequirement[] | undefined =
    labels === undefined ? undefined : parseLabelSelector(labels);
  return (agent) =>
    matchesAny(agents, agent.agentId) &&
    (requirements === undefined || (agent.labels !== undefined && matchesLabels(requirements, agent.labels)));
}

/** Returns the indexes of the differences for each agent that has some. */
export function differencesOf(
  { differences }: Pick<RolloutSpec, 'differences'>,
  agents: readonly AgentSubject[],
): Record<string, number[]> {
  const chosen = differences.map(selects);
  return Object.fromEntries(
    agents.flatMap((agent): [string, number[]][] => {
      const own = chosen.flatMap((isSelected, index) => (isSelected(agent) ? [index] : []));
      return own.length === 0 ? [] : [[agent.agentId, own]];
    }),
  );
}
