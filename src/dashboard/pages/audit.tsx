import { useEffect, useState } from 'preact/hooks';
import { asError } from '../../errors/index.ts';
import { useApp } from '../parts/app-context.ts';
import { Badge } from '../parts/badge.tsx';
import { Choice, Filters, SearchBox } from '../parts/filters.tsx';
import { EmptyState, ErrorMessage, Loading } from '../parts/message.tsx';
import { Name } from '../parts/name.tsx';
import { oncePerFrame } from '../parts/once-per-frame.ts';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { foreignName } from '../text/foreign-text.ts';

/** An entry of the audit log, as docs/operations.md describes it. */
interface AuditEntry {
  readonly number: number;
  readonly time: string;
  readonly action: string;
  readonly user?: string;
  readonly decision: 'allowed' | 'refused';
  readonly outcome: string;
  readonly agentId?: string;
  readonly type?: string;
  readonly namespace?: string;
  readonly releaseName?: string;
}

/** The most entries that the page keeps. */
const maxEntries = 2000;

const hour = 3_600_000;
const periods = { '1': 'the last hour', '168': 'the last week' } as const;

/** Who did what, live. */
export function AuditView() {
  const { location } = useApp();
  const { q = '', decision = '', hours = '' } = location.place.value.query;
  const { entries, isComplete, error } = useAudit(Object.hasOwn(periods, hours) ? Number(hours) : 24);
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = entries.filter((entry) => {
    const text = [
      entry.action,
      entry.user,
      entry.agentId,
      entry.type,
      entry.namespace,
      entry.releaseName,
      entry.outcome,
    ];
    const joined = text.join(' ').toLowerCase();
    return (decision === '' || entry.decision === decision) && words.every((word) => joined.includes(word));
  });
  return (
    <>
      <div class="heading">
        <h1>Audit</h1>
      </div>
      <Filters>
        <SearchBox label="Search people, agents, actions" />
        <Choice
          name="decision"
          label="Decision"
          options={[
            ['allowed', 'Allowed'],
            ['refused', 'Refused'],
          ]}
        />
        <Choice name="hours" label="Time" none="the last day" options={Object.entries(periods)} />
      </Filters>
      {error && <ErrorMessage error={error} />}
      {!error && !isComplete && entries.length === 0 && <Loading />}
      {isComplete && shown.length === 0 && (
        <EmptyState title="No entry fits the filters">
          <p>Each request that changes something has an entry, and so has each that was refused.</p>
        </EmptyState>
      )}
      {shown.length > 0 && (
        <Table label="Entries of the audit log" rows={shown} columns={columns} keyOf={({ number }) => String(number)} />
      )}
    </>
  );
}

const columns: readonly Column<AuditEntry>[] = [
  { title: 'Time', cell: ({ time }) => <Time at={time} />, width: '7rem', narrow: '5.2rem' },
  { title: 'Who', cell: ({ user, agentId = '' }) => <Name>{user ?? `agent ${agentId}`}</Name> },
  {
    title: 'Action',
    cell: ({ action, type }) => <Name>{type === undefined ? action : type.replaceAll('_', ' ')}</Name>,
    narrow: '7rem',
  },
  { title: 'Agent', cell: ({ agentId = '–' }) => <Name>{agentId}</Name>, show: 'wide' },
  {
    title: 'Release',
    cell: ({ namespace, releaseName = '–' }) => <Name>{namespace ? `${namespace}/${releaseName}` : releaseName}</Name>,
    show: 'wide',
  },
  {
    title: 'Outcome',
    cell: ({ decision, outcome }) => (
      <Badge tone={decision === 'refused' ? 'bad' : outcome === 'ok' ? 'good' : 'warning'}>
        {foreignName(decision === 'refused' ? `refused: ${outcome}` : outcome)}
      </Badge>
    ),
    width: '12rem',
    narrow: 'shape',
  },
];

interface Audit {
  /** The newest first. */
  readonly entries: readonly AuditEntry[];
  /** Whether the first entries have arrived, if there are any. */
  readonly isComplete: boolean;
  readonly error: Error | undefined;
}

/** Time in milliseconds after which a log without entries is shown as empty. */
const quietMs = 1000;

/** Follows the audit log from some hours ago. */
function useAudit(hours: number): Audit {
  const { api, now } = useApp();
  const [audit, setAudit] = useState<Audit>({ entries: [], isComplete: false, error: undefined });
  useEffect(() => {
    const gone = new AbortController();
    let waiting: AuditEntry[] = [];
    const show = () => {
      if (gone.signal.aborted) return;
      const added = waiting.reverse();
      waiting = [];
      setAudit(({ entries, error }) => ({
        entries: [...added, ...entries].slice(0, maxEntries),
        isComplete: true,
        error,
      }));
    };
    const draw = oncePerFrame(show);
    const timer = setTimeout(show, quietMs);
    const follow = async () => {
      const since = new Date(now.peek() - hours * hour).toISOString();
      const path = `/api/audit/events?since=${encodeURIComponent(since)}`;
      for await (const { payload } of api.events(path, { signal: gone.signal })) {
        // as the control plane writes it
        waiting.push(payload as AuditEntry);
        draw();
        if (waiting.length > maxEntries) waiting.shift();
      }
    };
    setAudit({ entries: [], isComplete: false, error: undefined });
    follow().catch((reason: unknown) => {
      if (gone.signal.aborted) return;
      clearTimeout(timer); // an empty log would hide the error
      const error = asError(reason);
      setAudit((last) => ({ ...last, error }));
    });
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [hours]);
  return audit;
}
