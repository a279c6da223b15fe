import { valueOfPlain } from '../../../release/plain-value.ts';
import { table } from '../../table.ts';
import { oneLine } from '../../text.ts';
import type { Agent } from '../api-client.ts';
import type { Output } from './format.ts';

const columns: Array<{ title: string; isOptional?: boolean; textOf: (agent: Agent) => string }> = [
  { title: 'AGENT', textOf: ({ agentId }) => agentId },
  { title: 'VERSION', textOf: ({ version = '' }) => version },
  { title: 'INSTANCE', textOf: ({ instanceId = '' }) => instanceId },
  { title: 'CONNECTED AT', textOf: (agent) => (isAway(agent) ? '' : (agent.connectedAt ?? '')) },
  { title: 'ENROLMENT', isOptional: true, textOf: ({ enrolment }) => enrolmentText(enrolment) },
  { title: 'COPY REFUSED AT', isOptional: true, textOf: ({ copyRefusedAt = '' }) => copyRefusedAt },
  { title: 'CLUSTER', isOptional: true, textOf: ({ cluster }) => clusterText(cluster) },
  { title: 'AWAY SINCE', isOptional: true, textOf: (agent) => (isAway(agent) ? (agent.lastSeen ?? 'never seen') : '') },
];

function enrolmentText({ states = [], problem }: Partial<NonNullable<Agent['enrolment']>> = {}): string {
  const text = states.join(', ');
  return problem === undefined ? text : `${text}; refused: ${problem}`;
}

function clusterText(cluster: Agent['cluster']): string {
  if (cluster === undefined || cluster === null) return '';
  if (cluster.reachable) return 'reachable';
  const { since, reason } = cluster;
  return `unreachable${since === undefined ? '' : ` since ${since}`}${reason === undefined ? '' : `: ${reason}`}`;
}

function isAway({ connected = true }: Agent): boolean {
  return !connected;
}

/** Returns the agents. JSON and YAML have all that the control plane says about them. */
export function agentsOutput(agents: readonly Agent[]): Output {
  return {
    table() {
      const shown = columns.filter(
        ({ isOptional = false, textOf }) => !isOptional || agents.some((agent) => textOf(agent) !== ''),
      );
      const rows = agents.map((agent) => shown.map(({ textOf }) => oneLine(textOf(agent))));
      return `${table([shown.map(({ title }) => title), ...rows]).join('\n')}\n`;
    },
    data: () => agents.map(valueOfPlain),
  };
}
