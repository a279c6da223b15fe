import { useMemo } from 'preact/hooks';
import { useApp } from '../parts/app-context.ts';
import { Choice, Filters, SearchBox } from '../parts/filters.tsx';
import { LoadedView } from '../parts/loaded-view.tsx';
import { EmptyState } from '../parts/message.tsx';
import { Name } from '../parts/name.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { hrefOf } from '../route/route.ts';
import type { Agent } from '../server/types.ts';
import { foreignName } from '../text/foreign-text.ts';
import { AgentBadge, agentStates } from './agent-badge.tsx';
import { filterAgents, versionsOf } from './agent-filter.ts';
import { useAgents } from './use-agents.ts';

/** All agents, by label, version and state. */
export function AgentsView() {
  const agents = useAgents();
  return (
    <>
      <div class="heading">
        <h1>Agents</h1>
        <div class="buttons">
          <a class="button" href={hrefOf('connect', {})}>
            Connect a cluster
          </a>
        </div>
      </div>
      <LoadedView of={agents}>{(all) => <AgentList agents={all} />}</LoadedView>
    </>
  );
}

function AgentList({ agents }: { agents: readonly Agent[] }) {
  const { location } = useApp();
  const versions = useMemo(() => versionsOf(agents).map((one) => [one, foreignName(one)] as const), [agents]);
  if (agents.length === 0) return <NoAgents />;
  const shown = filterAgents(agents, location.place.value.query);
  const states = Object.entries(agentStates).map(([state, { shown: text }]) => [state, text] as const);
  return (
    <>
      <Filters>
        <SearchBox label="Search ids, labels, versions" />
        <Choice name="state" label="State" options={states} />
        <Choice name="version" label="Version" options={versions} />
      </Filters>
      <p class="muted" role="status">
        {shown.length === agents.length ? '' : `${shown.length} of `}
        {agents.length === 1 ? '1 agent' : `${agents.length} agents`}
      </p>
      {shown.length === 0 ? (
        <EmptyState title="No agent fits the filters">
          <p>
            <a href={hrefOf('agents', {})}>Show all agents</a>
          </p>
        </EmptyState>
      ) : (
        <Table
          label="Agents"
          rows={shown}
          columns={columns}
          keyOf={({ agentId }) => agentId}
          hrefOf={({ agentId }) => hrefOf('agent', { agent: agentId })}
        />
      )}
    </>
  );
}

/** Says how the first agent comes here. */
export function NoAgents() {
  return (
    <EmptyState title="No cluster is connected yet">
      <p>An agent is one pod in a cluster. It dials out to this control plane, so the cluster needs no open port.</p>
      <p>
        <a href={hrefOf('connect', {})}>Connect a cluster</a>
      </p>
    </EmptyState>
  );
}

const columns: readonly Column<Agent>[] = [
  { title: 'Agent', cell: ({ agentId }) => <Name>{agentId}</Name> },
  { title: 'State', cell: (agent) => <AgentBadge agent={agent} />, width: '14rem' },
  { title: 'Labels', cell: (agent) => <Labels of={agent} />, show: 'wide' },
  { title: 'Version', cell: ({ version = '–' }) => <Name>{version}</Name>, show: 'wide', width: '8rem' },
  {
    title: 'Since',
    cell: ({ connected, connectedAt, lastSeen }) => <Time at={connected ? connectedAt : lastSeen} />,
    show: 'wide',
    width: '9rem',
  },
];

/** The labels of an agent. */
export function Labels({ of: { enrolment } }: { of: Agent }) {
  const labels = Object.entries(enrolment?.labels ?? {});
  if (labels.length === 0) return <span class="muted">–</span>;
  return (
    <span class="labels">
      {labels.map(([key, value]) => (
        <span key={key} class="label">
          {foreignName(`${key}=${value}`)}
        </span>
      ))}
    </span>
  );
}
