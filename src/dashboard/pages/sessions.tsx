import { useApp } from '../parts/app-context.ts';
import { Filters, SearchBox } from '../parts/filters.tsx';
import { LoadedView } from '../parts/loaded-view.tsx';
import { EmptyState } from '../parts/message.tsx';
import { Name } from '../parts/name.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { hrefOf } from '../route/route.ts';
import type { ListedCommand, ListedRecording } from '../server/types.ts';
import { useCommandPage } from './use-lists.ts';

/** The shells that are open, and the recordings of those from before. */
export function SessionsView() {
  const { api, location } = useApp();
  const { q = '' } = location.place.value.query;
  const sessions = useCommandPage({ type: 'exec_pod', ended: 'false', limit: '1000' });
  const live = sessions.value?.commands ?? [];
  const loaded = useLoaded(
    (signal) => api.get<{ recordings: ListedRecording[] }>('/api/recordings', signal),
    [live.map(({ key }) => key).join('\n')],
    { keepsValue: true },
  );
  return (
    <>
      <div class="heading">
        <h1>Sessions</h1>
      </div>
      <LoadedView of={sessions}>
        {() => (
          <>
            <section>
              <h2>Open now</h2>
              {live.length === 0 ? (
                <EmptyState title="No shell is open">
                  <p>A shell is opened on the page of an agent or a release, or by “helm-agent ctl exec”.</p>
                </EmptyState>
              ) : (
                <Table
                  label="Sessions that are open"
                  rows={live}
                  columns={liveColumns}
                  keyOf={({ key }) => key}
                  hrefOf={({ key }) => hrefOf('session', { command: key })}
                />
              )}
            </section>
            <section>
              <h2>Recordings</h2>
              <LoadedView of={loaded}>{({ recordings }) => <Recordings recordings={recordings} q={q} />}</LoadedView>
            </section>
          </>
        )}
      </LoadedView>
    </>
  );
}

function Recordings({ recordings, q }: { recordings: readonly ListedRecording[]; q: string }) {
  if (recordings.length === 0) {
    return (
      <EmptyState title="There is no recording">
        <p>
          A control plane with <code>--record-sessions terminals</code> records what shells show, before it shows it.
        </p>
      </EmptyState>
    );
  }
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = recordings.filter(({ user, agentId, namespace, pod, container, command, reason }) => {
    const text = [user, agentId, namespace, pod, container, command, reason].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <>
      <Filters>
        <SearchBox label="Search people, agents, pods, reasons" />
      </Filters>
      {shown.length === 0 ? (
        <EmptyState title="No recording fits the search" />
      ) : (
        <Table
          label="Recordings"
          rows={shown}
          columns={recordingColumns}
          keyOf={({ key }) => key}
          hrefOf={({ key }) => hrefOf('session', { command: key })}
        />
      )}
    </>
  );
}

const liveColumns: readonly Column<ListedCommand>[] = [
  { title: 'Who', cell: ({ sentBy = '–' }) => <Name>{sentBy}</Name> },
  { title: 'Agent', cell: ({ agentId }) => <Name>{agentId}</Name> },
  { title: 'Namespace', cell: ({ namespace = '–' }) => <Name>{namespace}</Name>, show: 'wide' },
  { title: 'Since', cell: ({ createdAt }) => <Time at={createdAt} />, width: '8rem' },
];

const recordingColumns: readonly Column<ListedRecording>[] = [
  { title: 'Who', cell: ({ user }) => <Name>{user}</Name> },
  { title: 'Agent', cell: ({ agentId }) => <Name>{agentId}</Name> },
  {
    title: 'Pod',
    cell: ({ namespace = '', pod = '–' }) => <Name>{namespace === '' ? pod : `${namespace}/${pod}`}</Name>,
    show: 'wide',
  },
  { title: 'Reason', cell: ({ reason = '–' }) => <Name>{reason}</Name>, show: 'wide' },
  { title: 'Size', cell: ({ bytes }) => sizeText(bytes), kind: 'number', show: 'wide', width: '7rem' },
  { title: 'Began', cell: ({ startedAt }) => <Time at={startedAt} />, width: '8rem' },
];

/** Returns a size as `812 B`, `3.4 KiB` or `1.2 MiB`. */
function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
