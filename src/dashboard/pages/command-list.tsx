import { Badge, type Tone } from '../parts/badge.tsx';
import { Name } from '../parts/name.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { hrefOf } from '../route/route.ts';
import type { CommandOutcome, CommandState, ListedCommand } from '../server/types.ts';

/** How each state of commands looks. */
export const commandStates: Record<CommandState, { tone: Tone; shown: string }> = {
  waiting: { tone: 'warning', shown: 'Waits for the agent' },
  sent: { tone: 'busy', shown: 'Sent' },
  accepted: { tone: 'busy', shown: 'Running' },
  done: { tone: 'quiet', shown: 'Ended' },
};

/** How each outcome of commands looks. */
export const commandOutcomes: Record<CommandOutcome, { tone: Tone; shown: string }> = {
  succeeded: { tone: 'good', shown: 'Succeeded' },
  failed: { tone: 'bad', shown: 'Failed' },
};

/** Commands, the newest first. */
export function CommandTable({ label, commands }: { label: string; commands: readonly ListedCommand[] }) {
  return (
    <Table
      label={label}
      rows={commands}
      columns={columns}
      keyOf={({ key }) => key}
      hrefOf={({ key }) => hrefOf('command', { command: key })}
    />
  );
}

/** Returns the type of a command as words: `install_release` is "install release". */
export function commandTitle(type: string): string {
  return type.replaceAll('_', ' ');
}

const columns: readonly Column<ListedCommand>[] = [
  { title: 'Command', cell: ({ type }) => <Name>{commandTitle(type)}</Name> },
  { title: 'State', cell: (command) => <CommandBadge of={command} />, width: '11rem', narrow: 'shape' },
  { title: 'Agent', cell: ({ agentId }) => <Name>{agentId}</Name> },
  { title: 'Release', cell: (command) => <ReleaseName of={command} />, show: 'wide' },
  { title: 'Sent by', cell: ({ sentBy = '' }) => <Name>{sentBy}</Name>, show: 'wide', width: '9rem' },
  { title: 'Sent', cell: ({ createdAt }) => <Time at={createdAt} />, show: 'wide', width: '7.5rem' },
];

function CommandBadge({ of: { state, outcome } }: { of: ListedCommand }) {
  const { tone, shown } = outcome === undefined ? commandStates[state] : commandOutcomes[outcome];
  return <Badge tone={tone}>{shown}</Badge>;
}

function ReleaseName({ of: { namespace, releaseName } }: { of: ListedCommand }) {
  if (releaseName === undefined) return <span class="muted">–</span>;
  return <Name>{namespace === undefined ? releaseName : `${namespace}/${releaseName}`}</Name>;
}
