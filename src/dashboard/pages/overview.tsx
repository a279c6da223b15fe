import { Badge } from '../parts/badge.tsx';
import { LoadedView } from '../parts/loaded-view.tsx';
import { EmptyState } from '../parts/message.tsx';
import { hrefOf } from '../route/route.ts';
import type { Agent, CommandPage, ListedCommand } from '../server/types.ts';
import { agentStates } from './agent-badge.tsx';
import { type AgentState, agentStateOf } from './agent-filter.ts';
import { NoAgents } from './agents.tsx';
import { CommandTable } from './command-list.tsx';
import { FailingReleases } from './failing-releases.tsx';
import { useAgents } from './use-agents.ts';
import { useCommandPage } from './use-lists.ts';

/** How all agents are, which releases fail, and what runs now. */
export function OverviewView() {
  const agents = useAgents();
  const running = useCommandPage({ reads: 'false', ended: 'false', limit: '200' });
  const commands = useCommandPage({ reads: 'false', limit: '200' });
  return (
    <>
      <div class="heading">
        <h1>Overview</h1>
      </div>
      <LoadedView of={agents}>{(all) => (all.length === 0 ? <NoAgents /> : <AgentCounts agents={all} />)}</LoadedView>
      <LoadedView of={commands}>
        {(page) => (
          <>
            <FailingReleases commands={page.commands} />
            <LoadedView of={running}>{(open) => <RunningCommands page={open} />}</LoadedView>
            <EndedCommands commands={page.commands} />
          </>
        )}
      </LoadedView>
    </>
  );
}

function AgentCounts({ agents }: { agents: readonly Agent[] }) {
  const counts = new Map<AgentState, number>();
  for (const agent of agents) {
    const state = agentStateOf(agent);
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  const shown = (['connected', 'cluster-away', 'pending', 'invited', 'away'] as const).filter(
    (state) => counts.has(state) || state === 'connected' || state === 'away',
  );
  return (
    <div class="cards">
      {shown.map((state) => {
        const { tone, shown: text } = agentStates[state];
        const count = counts.get(state) ?? 0;
        return (
          <a key={state} class="card" href={hrefOf('agents', {}, { state })}>
            <Badge tone={count === 0 ? 'quiet' : tone}>{text}</Badge>
            <strong>{count}</strong>
          </a>
        );
      })}
    </div>
  );
}

function RunningCommands({ page: { commands, next } }: { page: CommandPage }) {
  return (
    <section>
      <h2>Running now</h2>
      {commands.length === 0 ? (
        <EmptyState title="Nothing runs now">
          <p>Installations, upgrades and other changes are shown here while they run.</p>
        </EmptyState>
      ) : (
        <CommandTable label="Running commands" commands={commands} />
      )}
      {next !== undefined && (
        <p>
          More are running: <a href={hrefOf('commands', {})}>all commands</a>
        </p>
      )}
    </section>
  );
}

/** The most commands that have ended to show. */
const maxEnded = 10;

function EndedCommands({ commands }: { commands: readonly ListedCommand[] }) {
  const ended = commands.filter(({ state }) => state === 'done').slice(0, maxEnded);
  if (ended.length === 0) return null;
  return (
    <section>
      <h2>Ended last</h2>
      <CommandTable label="Commands that have ended" commands={ended} />
    </section>
  );
}
