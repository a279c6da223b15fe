import { useApp } from '../parts/app-context.ts';
import { Choice, Filters, SearchBox } from '../parts/filters.tsx';
import { LoadedView } from '../parts/loaded-view.tsx';
import { EmptyState } from '../parts/message.tsx';
import { Name } from '../parts/name.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { hrefOf } from '../route/route.ts';
import type { Rollout } from '../server/types.ts';
import { clusterCount, RolloutBadge, rolloutPhases } from './rollout-badge.tsx';
import { useRollouts } from './use-lists.ts';

/** The rollouts over many clusters, the newest first. */
export function RolloutsView() {
  const rollouts = useRollouts();
  return (
    <>
      <div class="heading">
        <h1>Rollouts</h1>
        <div class="buttons">
          <a class="button" href={hrefOf('startRollout', {})}>
            Start a rollout
          </a>
        </div>
      </div>
      <LoadedView of={rollouts}>
        {(all) => (all.length === 0 ? <NoRollouts /> : <RolloutList rollouts={all} />)}
      </LoadedView>
    </>
  );
}

function NoRollouts() {
  return (
    <EmptyState title="No rollout was started yet">
      <p>
        A rollout deploys a release to many clusters in waves: first to one, then to a tenth, then to the rest. It stops
        by itself when a cluster fails, and returns the clusters of the wave to their last good revision.
      </p>
      <p>
        <a href={hrefOf('startRollout', {})}>Start a rollout</a>
      </p>
    </EmptyState>
  );
}

function RolloutList({ rollouts }: { rollouts: readonly Rollout[] }) {
  const { location } = useApp();
  const { q = '', phase = '' } = location.place.value.query;
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = rollouts.filter((rollout) => {
    const text = [rollout.id, rollout.releaseName, rollout.namespace, rollout.chart, rollout.startedBy].join(' ');
    return (phase === '' || rollout.phase === phase) && words.every((word) => text.toLowerCase().includes(word));
  });
  return (
    <>
      <Filters>
        <SearchBox label="Search ids, releases, charts" />
        <Choice
          name="phase"
          label="State"
          options={Object.entries(rolloutPhases).map(([one, { shown: text }]) => [one, text])}
        />
      </Filters>
      {shown.length === 0 ? (
        <EmptyState title="No rollout fits the filters">
          <p>
            <a href={hrefOf('rollouts', {})}>Show all rollouts</a>
          </p>
        </EmptyState>
      ) : (
        <Table
          label="Rollouts"
          rows={shown}
          columns={columns}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => hrefOf('rollout', { rollout: id })}
        />
      )}
    </>
  );
}

const columns: readonly Column<Rollout>[] = [
  { title: 'Rollout', cell: ({ id }) => <Name>{id}</Name> },
  { title: 'State', cell: (rollout) => <RolloutBadge of={rollout} />, width: '12rem', narrow: '7rem' },
  {
    title: 'Release',
    cell: ({ namespace, releaseName = '–' }) => <Name>{namespace ? `${namespace}/${releaseName}` : releaseName}</Name>,
    show: 'wide',
  },
  {
    title: 'Wave',
    cell: ({ wave, waves }) => `${wave} of ${waves.length}`,
    kind: 'number',
    show: 'wide',
    width: '6rem',
  },
  {
    title: 'Updated',
    cell: ({ clusters }) => `${clusters.updated ?? 0} of ${clusterCount(clusters)}`,
    kind: 'number',
    width: '9rem',
    narrow: '5.5rem',
  },
  { title: 'Started', cell: ({ createdAt }) => <Time at={createdAt} />, show: 'wide', width: '8rem' },
];
