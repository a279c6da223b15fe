import { Badge, type Tone } from '../parts/badge.tsx';
import type { Agent } from '../server/types.ts';
import { foreignName } from '../text/foreign-text.ts';
import { type AgentState, agentStateOf } from './agent-filter.ts';

/** How each state of agents looks. */
export const agentStates: Record<AgentState, { tone: Tone; shown: string }> = {
  connected: { tone: 'good', shown: 'Connected' },
  'cluster-away': { tone: 'warning', shown: 'Cluster does not respond' },
  pending: { tone: 'busy', shown: 'Waits to be accepted' },
  invited: { tone: 'quiet', shown: 'Invited' },
  away: { tone: 'bad', shown: 'Away' },
};

/** How an agent is. */
export function AgentBadge({ agent }: { agent: Agent }) {
  const { tone, shown } = agentStates[agentStateOf(agent)];
  const reason = agent.cluster?.reason ?? agent.enrolment?.problem;
  return (
    <Badge tone={tone} {...(reason !== undefined && { title: foreignName(reason, 500) })}>
      {shown}
    </Badge>
  );
}
