import { useApp } from '../parts/app-context.ts';
import { Badge } from '../parts/badge.tsx';
import { Facts } from '../parts/facts.tsx';
import { Choice, Filters, SearchBox } from '../parts/filters.tsx';
import { EmptyState, ErrorMessage, Loading } from '../parts/message.tsx';
import { Name } from '../parts/name.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { hrefOf } from '../route/route.ts';
import type { Rollout, RolloutCluster } from '../server/types.ts';
import { foreignName } from '../text/foreign-text.ts';
import { RolloutActions } from './rollout-actions.tsx';
import { clusterCount, clusterStages, presentStages, RolloutBadge, StageBadge, StageBar } from './rollout-badge.tsx';
import { RolloutPlans } from './rollout-plans.tsx';
import { useRollout } from './use-rollout.ts';

/** A rollout, live: its waves, its clusters, and the decisions about it. */
export function RolloutView({ rollout: id }: { rollout: string }) {
  const { rollout, clusters, isConnected, error } = useRollout(id);
  return (
    <>
      <div class="crumbs">
        <a href={hrefOf('rollouts', {})}>Rollouts</a> /
      </div>
      <div class="heading">
        <h1>
          <Name>{id}</Name>
        </h1>
        <span role="status">
          {rollout && isConnected && <RolloutBadge of={rollout} />}
          {!isConnected && <Badge tone="warning">The control plane is not reachable</Badge>}
        </span>
        {rollout && <RolloutActions rollout={rollout} />}
      </div>
      {error && <ErrorMessage error={error} />}
      {!rollout && !error && <Loading />}
      {rollout && (
        <>
          <RolloutFacts rollout={rollout} />
          {rollout.groups && <RolloutPlans rollout={rollout} />}
          <Waves rollout={rollout} />
          <Clusters rollout={rollout} clusters={[...clusters.values()]} />
        </>
      )}
    </>
  );
}

function RolloutFacts({ rollout }: { rollout: Rollout }) {
  const { type, releaseName, namespace, chart, startedBy, createdAt, reason } = rollout;
  return (
    <>
      {reason !== undefined && (
        <p class="notice">
          <bdi>{foreignName(reason, 1000)}</bdi>
        </p>
      )}
      <Facts
        of={[
          ['Operation', foreignName(type).replaceAll('_', ' ')],
          ['Release', releaseName === undefined ? undefined : <Name key="release">{releaseName}</Name>],
          ['Namespace', namespace === undefined ? undefined : <Name key="namespace">{namespace}</Name>],
          ['Chart', chart === undefined ? undefined : <Name key="chart">{chart}</Name>],
          ['Started by', startedBy === undefined ? undefined : <Name key="user">{startedBy}</Name>],
          ['Started', <Time key="started" at={createdAt} />],
        ]}
      />
    </>
  );
}

/** Returns what a wave does: those before the present one have ended. */
function waveState({ phase, wave, waveStage, awaitsApproval, since }: Rollout, number: number) {
  if (phase === 'succeeded' || number < wave) return <Badge tone="good">Done</Badge>;
  if (number > wave) return <Badge tone="quiet">Not begun</Badge>;
  if (phase !== 'running') return <RolloutBadge of={{ phase, awaitsApproval }} />;
  if (waveStage === 'planning') return <Badge tone="quiet">Not begun</Badge>;
  if (awaitsApproval) return <Badge tone="warning">Waits for approval</Badge>;
  if (waveStage === 'approval') return <Badge tone="busy">Begins</Badge>;
  if (waveStage === 'updating') return <Badge tone="busy">Updating</Badge>;
  if (waveStage === 'checking') return <Badge tone="busy">Waits for its check</Badge>;
  return (
    <Badge tone="busy">
      Soaks since <Time at={since} />
    </Badge>
  );
}

function Waves({ rollout }: { rollout: Rollout }) {
  return (
    <section>
      <h2>Waves</h2>
      <ol class="waves" aria-label="Waves">
        {rollout.waves.map(({ number, clusters }) => (
          <li key={number} class="wave" aria-current={number === rollout.wave ? 'step' : undefined}>
            <div class="wave-title">
              <a href={hrefOf('rollout', { rollout: rollout.id }, { wave: String(number) })}>Wave {number}</a>
              <span class="muted">
                {clusterCount(clusters) === 1 ? '1 cluster' : `${clusterCount(clusters)} clusters`}
              </span>
            </div>
            {waveState(rollout, number)}
            <StageBar counts={clusters} />
            <ul class="wave-stages">
              {presentStages(clusters).map(({ stage, count }) => (
                <li key={stage}>
                  <StageBadge stage={stage} /> <span class="count">{count}</span>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Clusters({ rollout, clusters }: { rollout: Rollout; clusters: readonly RolloutCluster[] }) {
  const { location } = useApp();
  const { q = '', stage = '', wave = '' } = location.place.value.query;
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = clusters.filter((cluster) => {
    const text = `${cluster.agentId} ${cluster.failure?.message ?? ''}`.toLowerCase();
    if (stage !== '' && cluster.stage !== stage) return false;
    return (wave === '' || String(cluster.wave) === wave) && words.every((word) => text.includes(word));
  });
  const sorted = [...shown.filter(hasProblem), ...shown.filter((cluster) => !hasProblem(cluster))];
  const columns = columnsOf(rollout);
  return (
    <section>
      <h2>Clusters</h2>
      <Filters>
        <SearchBox label="Search clusters, problems" />
        <Choice
          name="stage"
          label="Stage"
          options={presentStages(rollout.clusters).map(({ stage: one }) => [one, clusterStages[one].shown])}
        />
        <Choice
          name="wave"
          label="Wave"
          options={rollout.waves.map(({ number }) => [String(number), String(number)])}
        />
      </Filters>
      {shown.length === 0 ? (
        <EmptyState title="No cluster fits the filters">
          <p>
            <a href={hrefOf('rollout', { rollout: rollout.id })}>Show all clusters</a>
          </p>
        </EmptyState>
      ) : (
        <Table
          label="Clusters"
          rows={sorted}
          columns={columns}
          keyOf={({ agentId }) => agentId}
          hrefOf={(cluster) => clusterHref(rollout, cluster)}
        />
      )}
    </section>
  );
}

/** Whether a cluster has failed, is held or is stuck. */
function hasProblem({ failure }: RolloutCluster): boolean {
  return failure !== undefined;
}

/** Returns the view of the release in a cluster, or of the plan that waits for approvals there. */
function clusterHref(
  { releaseName, namespace = 'default' }: Rollout,
  { agentId: agent, plan, failure }: RolloutCluster,
): string {
  if (plan !== undefined && failure?.code === 'approval_required') return hrefOf('plan', { agent, plan });
  if (releaseName === undefined) return hrefOf('agent', { agent });
  return hrefOf('release', { agent, namespace, release: releaseName });
}

function columnsOf({ type }: Rollout): readonly Column<RolloutCluster>[] {
  return [
    { title: 'Cluster', cell: ({ agentId }) => <Name>{agentId}</Name> },
    { title: 'Stage', cell: ({ stage }) => <StageBadge stage={stage} />, width: '12rem' },
    { title: 'Wave', cell: ({ wave }) => wave, kind: 'number', show: 'wide', width: '5rem' },
    ...(type === 'upgrade_agent'
      ? []
      : ([
          {
            title: 'Revision',
            cell: ({ base, revision }) =>
              revision === undefined ? '–' : `${base === null || base === undefined ? '' : `${base} → `}${revision}`,
            kind: 'number',
            show: 'wide',
            width: '7rem',
          },
        ] satisfies Column<RolloutCluster>[])),
    {
      title: 'Problem',
      cell: ({ failure }) => (failure ? <Name>{`${failure.code}: ${failure.message}`}</Name> : '–'),
      show: 'wide',
    },
    {
      title: 'Since',
      cell: ({ since }) => (since === undefined ? '–' : <Time at={since} />),
      show: 'wide',
      width: '7rem',
    },
  ];
}
