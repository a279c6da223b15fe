import type { Release } from '../../protocol/release.ts';
import { useApp } from '../parts/app-context.ts';
import { Badge, type Tone } from '../parts/badge.tsx';
import { Choice, Filters, NamespaceField, SearchBox } from '../parts/filters.tsx';
import { LoadedView } from '../parts/loaded-view.tsx';
import { EmptyState } from '../parts/message.tsx';
import { Name } from '../parts/name.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { hrefOf } from '../route/route.ts';
import { performCommand } from '../server/command.ts';
import { foreignName } from '../text/foreign-text.ts';

/** Pause between two looks at the releases. */
const refreshMs = 60_000;

/** The releases of an agent's cluster. */
export function ReleaseTable({ agentId }: { agentId: string }) {
  const { api, location } = useApp();
  const { q = '', status = '', namespace = '' } = location.place.value.query;
  const releases = useLoaded(
    (signal) =>
      performCommand(api, { agentId, type: 'list_releases', payload: namespace === '' ? {} : { namespace } }, signal),
    [agentId, namespace],
    { everyMs: refreshMs },
  );
  const found = [...new Set(releases.value?.releases.map(({ info }) => info.status))].sort();
  return (
    <>
      <Filters>
        <SearchBox label="Search releases, charts" />
        <Choice name="status" label="Status" options={found.map((one) => [one, foreignName(one)])} />
        <NamespaceField value={namespace} />
      </Filters>
      <LoadedView of={releases}>
        {({ releases: all }) => {
          if (all.length === 0) return <NoReleases agentId={agentId} namespace={namespace} />;
          const words = q.toLowerCase().split(/\s+/).filter(Boolean);
          const shown = all.filter((release) => {
            const text = `${release.namespace}/${release.name} ${chartText(release)}`.toLowerCase();
            return (status === '' || release.info.status === status) && words.every((word) => text.includes(word));
          });
          return (
            <Table
              label="Releases"
              rows={shown}
              columns={columns}
              keyOf={(release) => `${release.namespace}/${release.name}`}
              hrefOf={({ namespace: place, name: release }) =>
                hrefOf('release', { agent: agentId, namespace: place, release })
              }
            />
          );
        }}
      </LoadedView>
    </>
  );
}

function NoReleases({ agentId, namespace }: { agentId: string; namespace: string }) {
  return (
    <EmptyState title={`The ${namespace === '' ? 'cluster' : 'namespace'} has no releases yet`}>
      <p>
        <code>helm-agent ctl install web CHART --repo URL --agent {foreignName(agentId)}</code> installs the first one.
        Releases of the helm CLI are shown, too.
      </p>
    </EmptyState>
  );
}

const columns: readonly Column<Release>[] = [
  { title: 'Release', cell: ({ name }) => <Name>{name}</Name> },
  { title: 'Namespace', cell: ({ namespace }) => <Name>{namespace}</Name>, show: 'wide' },
  { title: 'Status', cell: ({ info }) => <ReleaseBadge status={info.status} />, width: '11rem' },
  { title: 'Chart', cell: (release) => <Name>{chartText(release)}</Name>, show: 'wide' },
  { title: 'Revision', cell: ({ version }) => version, kind: 'number', show: 'wide', width: '6rem' },
  { title: 'Deployed', cell: ({ info }) => <Time at={info.last_deployed} />, show: 'wide', width: '8rem' },
];

/** Returns the chart of a release as `web-1.2.3`. */
export function chartText({ chart }: Pick<Release, 'chart'>): string {
  const { name = '', version = '' } = chart?.metadata ?? {};
  return name === '' ? '–' : `${name}-${version}`;
}

const tones = new Map(
  Object.entries<Tone>({
    deployed: 'good',
    failed: 'bad',
    superseded: 'quiet',
    uninstalled: 'quiet',
    uninstalling: 'warning',
    unknown: 'warning',
  }),
);

/** The status of a revision. */
export function ReleaseBadge({ status }: { status: string }) {
  return <Badge tone={tones.get(status) ?? 'busy'}>{foreignName(status)}</Badge>;
}
