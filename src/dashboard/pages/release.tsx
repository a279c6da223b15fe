import { useEffect, useRef } from 'preact/hooks';
import { AgentCrumbs } from '../parts/agent-crumbs.tsx';
import { useApp } from '../parts/app-context.ts';
import { Facts } from '../parts/facts.tsx';
import { LoadedView } from '../parts/loaded-view.tsx';
import { EmptyState, ErrorMessage, Loading } from '../parts/message.tsx';
import { Name } from '../parts/name.tsx';
import { Tabs, useTab } from '../parts/tabs.tsx';
import { Time } from '../parts/time.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import type { ReleasePlace } from '../route/route.ts';
import { performCommand } from '../server/command.ts';
import { foreignName } from '../text/foreign-text.ts';
import { CompareRevisions } from './compare-revisions.tsx';
import { ReleaseActions } from './release-actions.tsx';
import { chartText, ReleaseBadge } from './release-list.tsx';
import { ResourceList } from './resource-list.tsx';
import { RevisionList } from './revision-list.tsx';
import { useCommandPage } from './use-lists.ts';
import { useWatchedRelease } from './use-watched-release.ts';

const tabs = [
  ['resources', 'Resources'],
  ['revisions', 'Revisions'],
  ['values', 'Values'],
  ['manifest', 'Manifest'],
] as const;

/** A release: its resources with their reasons, its revisions, and what differs between two. */
export function ReleaseView(place: ReleasePlace) {
  const { agent: agentId, namespace, release: releaseName } = place;
  const { api } = useApp();
  const tab = useTab(tabs);
  const inputs = [agentId, namespace, releaseName];
  const payload = { namespace, releaseName };
  const history = useLoaded(
    (signal) => performCommand(api, { agentId, type: 'release_history', payload }, signal),
    inputs,
  );
  useReloadAfterCommands(place, history.reload);
  const newest = history.value?.releases.at(-1);
  return (
    <>
      <AgentCrumbs agentId={agentId}>
        <span>{foreignName(namespace)}</span> /
      </AgentCrumbs>
      <div class="heading">
        <h1>
          <Name>{releaseName}</Name>
        </h1>
        {newest && <ReleaseBadge status={newest.info.status} />}
        {newest && <ReleaseActions place={place} />}
      </div>
      <LoadedView of={history}>
        {({ releases }) => {
          const last = releases.at(-1);
          if (!last) return <EmptyState title="The release has no revisions" />;
          return (
            <>
              <Facts
                of={[
                  ['Chart', <Name key="chart">{chartText(last)}</Name>],
                  ['App version', last.chart?.metadata?.appVersion && foreignName(last.chart.metadata.appVersion)],
                  ['Revision', last.version],
                  ['Deployed', <Time key="deployed" at={last.info.last_deployed} />],
                  ['Last operation', last.info.description && foreignName(last.info.description, 300)],
                ]}
              />
              <Tabs label="Parts of the release" tabs={tabs} />
              {tab === 'resources' && <ReleaseResources key={last.version} place={place} />}
              {tab === 'revisions' && <RevisionList place={place} revisions={releases} />}
              {(tab === 'values' || tab === 'manifest') && (
                <CompareRevisions place={place} part={tab} revisions={releases.map(({ version }) => version)} />
              )}
            </>
          );
        }}
      </LoadedView>
    </>
  );
}

/** Calls back when a command that changes a release has ended. */
function useReloadAfterCommands({ agent, namespace, release }: ReleasePlace, reload: () => void): void {
  const ended = useCommandPage({ agent, namespace, release, reads: 'false', state: 'done', limit: '20' });
  const keys = ended.value?.commands.map(({ key }) => key).join('\n');
  const seen = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (seen.current !== undefined && keys !== seen.current) reload();
    seen.current = keys;
  }, [keys]);
}

function ReleaseResources({ place }: { place: ReleasePlace }) {
  const { resources, error } = useWatchedRelease(place);
  return (
    <>
      {error && <ErrorMessage error={error} />}
      {!resources && !error && <Loading />}
      {resources?.length === 0 && <EmptyState title="The release has no resources" />}
      {resources && resources.length > 0 && <ResourceList resources={resources} />}
    </>
  );
}
