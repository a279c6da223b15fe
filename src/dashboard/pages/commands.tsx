import { useApp } from '../parts/app-context.ts';
import { Choice, Filters, SearchBox } from '../parts/filters.tsx';
import { LoadedView } from '../parts/loaded-view.tsx';
import { EmptyState } from '../parts/message.tsx';
import { hrefOf } from '../route/route.ts';
import { commandOutcomes, commandStates, CommandTable } from './command-list.tsx';
import { useCommandPage } from './use-lists.ts';

/** The commands that are kept. */
export function CommandsView() {
  const { location } = useApp();
  const { q = '', state, outcome, agent, reads, cursor } = location.place.value.query;
  const page = useCommandPage({ state, outcome, agent, reads: reads ?? 'false', cursor, limit: '200' });
  const states = Object.entries(commandStates).map(([name, { shown }]) => [name, shown] as const);
  const outcomes = Object.entries(commandOutcomes).map(([name, { shown }]) => [name, shown] as const);
  return (
    <>
      <div class="heading">
        <h1>Commands</h1>
      </div>
      <Filters>
        <SearchBox label="Search this page" />
        <Choice name="state" label="State" options={states} />
        <Choice name="outcome" label="Outcome" options={outcomes} />
        <Choice name="reads" label="Those that only read" none="hidden" options={[['true', 'shown']]} />
        {agent !== undefined && <Choice name="agent" label="Agent" options={[]} />}
      </Filters>
      <LoadedView of={page}>
        {({ commands, next }) => {
          const words = q.toLowerCase().split(/\s+/).filter(Boolean);
          const shown = commands.filter(({ type, agentId, namespace, releaseName, sentBy, key }) => {
            const text = [type, type.replaceAll('_', ' '), agentId, namespace, releaseName, sentBy, key].join(' ');
            return words.every((word) => text.toLowerCase().includes(word));
          });
          return (
            <>
              {shown.length === 0 ? (
                <EmptyState title="No command fits the filters">
                  <p>
                    Commands are what people and programs ask agents to do. They are kept for some days; see{' '}
                    <a href={hrefOf('commands', {})}>all of them</a>.
                  </p>
                </EmptyState>
              ) : (
                <CommandTable label="Commands" commands={shown} />
              )}
              <div class="buttons">
                {cursor !== undefined && (
                  <a href={hrefOf('commands', {}, { q, state, outcome, agent, reads })}>Newest</a>
                )}
                {next !== undefined && (
                  <a href={hrefOf('commands', {}, { q, state, outcome, agent, reads, cursor: next })}>Older</a>
                )}
              </div>
            </>
          );
        }}
      </LoadedView>
    </>
  );
}
