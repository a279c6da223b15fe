import { useState } from 'preact/hooks';
import { useApp } from '../parts/app-context.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Facts } from '../parts/facts.tsx';
import { LoadedView } from '../parts/loaded-view.tsx';
import { EmptyState } from '../parts/message.tsx';
import { Name } from '../parts/name.tsx';
import { Tabs, useTab } from '../parts/tabs.tsx';
import { Time } from '../parts/time.tsx';
import { hrefOf } from '../route/route.ts';
import type { Agent } from '../server/types.ts';
import { foreignName } from '../text/foreign-text.ts';
import { AgentBadge } from './agent-badge.tsx';
import { agentStateOf } from './agent-filter.ts';
import { Labels } from './agents.tsx';
import { CommandTable } from './command-list.tsx';
import { EventList } from './event-list.tsx';
import { ReleaseTable } from './release-list.tsx';
import { useAgent } from './use-agents.ts';
import { useCommandPage } from './use-lists.ts';

const tabs = [
  ['releases', 'Releases'],
  ['commands', 'Commands'],
  ['events', 'Events'],
  ['abilities', 'Abilities'],
] as const;

/** An agent: its state, its releases, its commands and the events of its cluster. */
export function AgentView({ agent: agentId }: { agent: string }) {
  const agent = useAgent(agentId);
  const tab = useTab(tabs);
  return (
    <>
      <div class="crumbs">
        <a href={hrefOf('agents', {})}>Agents</a> /
      </div>
      <div class="heading">
        <h1>
          <Name>{agentId}</Name>
        </h1>
        {agent.value && <AgentBadge agent={agent.value} />}
        {agent.value && <AgentActions agent={agent.value} />}
      </div>
      <LoadedView of={agent}>
        {(known) => (
          <>
            <AgentFacts agent={known} />
            <Tabs label="Parts of the agent" tabs={tabs} />
            {tab === 'releases' && <AgentReleases agent={known} />}
            {tab === 'commands' && <AgentCommands agentId={agentId} />}
            {tab === 'events' && <AgentEvents agent={known} />}
            {tab === 'abilities' && <Abilities agent={known} />}
          </>
        )}
      </LoadedView>
    </>
  );
}

function AgentFacts({ agent }: { agent: Agent }) {
  const { version, connected, connectedAt, lastSeen, cluster, enrolment, copyRefusedAt } = agent;
  return (
    <Facts
      of={[
        ['Version', version === undefined ? undefined : <Name key="version">{version}</Name>],
        [connected ? 'Connected' : 'Last seen', <Time key="since" at={connected ? connectedAt : lastSeen} />],
        ['Cluster', cluster?.reachable === false ? foreignName(cluster.reason ?? 'does not respond', 500) : undefined],
        ['Labels', enrolment?.labels ? <Labels key="labels" of={agent} /> : undefined],
        ['Copy refused', copyRefusedAt === undefined ? undefined : <Time key="copy" at={copyRefusedAt} />],
        ['Refused last', enrolment?.problem === undefined ? undefined : foreignName(enrolment.problem, 500)],
      ]}
    />
  );
}

function AgentActions({ agent }: { agent: Agent }) {
  const { api, location, session } = useApp();
  const [asked, setAsked] = useState<'accept' | 'forget'>();
  const { agentId, connected, capabilities = [] } = agent;
  const may = (right: string, type: string) => connected && session.hasRight(right) && capabilities.includes(type);
  const path = `/api/agents/${encodeURIComponent(agentId)}`;
  const isPending = agentStateOf(agent) === 'pending';
  return (
    <div class="buttons">
      {may('logs', 'pod_logs') && (
        <a class="button quiet" href={hrefOf('logs', { agent: agentId })}>
          Logs
        </a>
      )}
      {may('exec', 'exec_pod') && (
        <a class="button quiet" href={hrefOf('terminal', { agent: agentId })}>
          Terminal
        </a>
      )}
      {isPending && (
        <button type="button" class="primary" onClick={() => setAsked('accept')}>
          Accept
        </button>
      )}
      {!connected && (
        <button type="button" onClick={() => setAsked('forget')}>
          Forget
        </button>
      )}
      {asked === 'accept' && (
        <Confirm
          title="Accept the agent?"
          action="Accept"
          onConfirm={() => api.send('POST', `${path}/accept`)}
          onClose={() => setAsked(undefined)}
        >
          <p>It can then connect with its key, and gets commands.</p>
        </Confirm>
      )}
      {asked === 'forget' && (
        <Confirm
          title="Forget the agent?"
          action="Forget the agent"
          isDangerous
          onConfirm={async () => {
            await api.send('DELETE', path);
            location.go(hrefOf('agents', {}));
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>For an agent that will not come back. Its commands that have no result end.</p>
        </Confirm>
      )}
    </div>
  );
}

function AwayState() {
  return (
    <EmptyState title="The agent is not connected">
      <p>It is asked when it is back. An agent connects again by itself when its cluster can reach this server.</p>
    </EmptyState>
  );
}

function AgentReleases({ agent: { agentId, connected } }: { agent: Agent }) {
  if (!connected) return <AwayState />;
  return <ReleaseTable agentId={agentId} />;
}

function AgentEvents({ agent: { agentId, connected } }: { agent: Agent }) {
  const { location } = useApp();
  if (!connected) return <AwayState />;
  return <EventList agentId={agentId} namespace={location.place.value.query['namespace'] ?? 'default'} />;
}

function AgentCommands({ agentId }: { agentId: string }) {
  const page = useCommandPage({ agent: agentId, reads: 'false', limit: '100' });
  return (
    <LoadedView of={page}>
      {({ commands }) =>
        commands.length === 0 ? (
          <EmptyState title="No command was sent to this agent">
            <p>
              <code>helm-agent ctl install --agent {foreignName(agentId)} …</code> sends the first one.
            </p>
          </EmptyState>
        ) : (
          <CommandTable label="Commands" commands={commands} />
        )
      }
    </LoadedView>
  );
}

function Abilities({ agent: { capabilities = [], durable = false } }: { agent: Agent }) {
  return (
    <>
      <p class="muted">
        {durable
          ? 'It has a journal: commands that change a release survive its process.'
          : 'It has no journal: commands end with its process.'}
      </p>
      <div class="labels wrapped">
        {[...capabilities].sort().map((type) => (
          <span key={type} class="label">
            {foreignName(type).replaceAll('_', ' ')}
          </span>
        ))}
      </div>
    </>
  );
}
