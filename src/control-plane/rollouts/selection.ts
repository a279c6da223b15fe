import { type LabelRequirement, matchesLabels, parseLabelSelector } from '../../objects/label-selector.ts';
import { matchesAny } from '../../protocol/pattern.ts';
import type { AgentSubject } from '../access/is-allowed.ts';
import type { Selection } from './rollout-spec.ts';

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
