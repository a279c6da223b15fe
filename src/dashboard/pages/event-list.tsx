import type { CommandAnswers } from '../../protocol/commands/index.ts';
import { useApp } from '../parts/app-context.ts';
import { Badge } from '../parts/badge.tsx';
import { Filters, NamespaceField } from '../parts/filters.tsx';
import { LoadedView } from '../parts/loaded-view.tsx';
import { EmptyState } from '../parts/message.tsx';
import { Time } from '../parts/time.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { performCommand } from '../server/command.ts';
import { foreignName } from '../text/foreign-text.ts';

/** The last events of a namespace, the newest first. */
export function EventList({ agentId, namespace }: { agentId: string; namespace: string }) {
  const { api } = useApp();
  const events = useLoaded(
    (signal) => performCommand(api, { agentId, type: 'list_events', payload: { namespace } }, signal),
    [agentId, namespace],
  );
  return (
    <>
      <Filters>
        <NamespaceField value={namespace} />
        <button type="button" onClick={events.reload}>
          Look again
        </button>
      </Filters>
      <LoadedView of={events}>{({ events: all }) => <Events events={all} />}</LoadedView>
    </>
  );
}

function Events({ events }: { events: CommandAnswers['list_events']['events'] }) {
  if (events.length === 0) {
    return (
      <EmptyState title="There are no events">
        <p>Kubernetes keeps events for about an hour.</p>
      </EmptyState>
    );
  }
  return (
    <ul class="rows" aria-label="Events">
      {[...events].reverse().map(({ time, type, reason, message, object, count }, index) => (
        <li key={index}>
          <span class="row-state">
            <Badge tone={type === 'Warning' ? 'warning' : 'quiet'}>{foreignName(reason)}</Badge>
          </span>
          <span class="row-main">
            <bdi class="row-title">{foreignName(object)}</bdi>
            <bdi class="reason">{foreignName(message, 1000)}</bdi>
          </span>
          <span class="muted row-end">
            {count > 1 && `${count} × `}
            <Time at={time} />
          </span>
        </li>
      ))}
    </ul>
  );
}
