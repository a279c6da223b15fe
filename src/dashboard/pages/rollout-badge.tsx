import { Badge, type Tone } from '../parts/badge.tsx';
import type { ClusterStage, Rollout, StageCounts } from '../server/types.ts';
import { foreignName } from '../text/foreign-text.ts';

/** How each stage of clusters looks, in the order in which a wave shows them. */
export const clusterStages: Readonly<Record<ClusterStage, { tone: Tone; shown: string }>> = {
  updated: { tone: 'good', shown: 'Updated' },
  testing: { tone: 'busy', shown: 'Tests run' },
  checking: { tone: 'busy', shown: 'Check runs' },
  updating: { tone: 'busy', shown: 'Updating' },
  planning: { tone: 'busy', shown: 'Planning' },
  inspecting: { tone: 'busy', shown: 'Inspecting' },
  reviewing: { tone: 'busy', shown: 'Reviewing' },
  reverting: { tone: 'busy', shown: 'Reverting' },
  failed: { tone: 'bad', shown: 'Failed' },
  stuck: { tone: 'bad', shown: 'Stuck' },
  stale: { tone: 'warning', shown: 'Plan is stale' },
  held: { tone: 'warning', shown: 'Held by its owner' },
  away: { tone: 'warning', shown: 'Away' },
  reverted: { tone: 'warning', shown: 'Reverted' },
  superseded: { tone: 'quiet', shown: 'Superseded' },
  planned: { tone: 'quiet', shown: 'Planned' },
  pending: { tone: 'quiet', shown: 'Pending' },
};

/** How each phase of rollouts looks. */
export const rolloutPhases: Record<Rollout['phase'], { tone: Tone; shown: string }> = {
  running: { tone: 'busy', shown: 'Running' },
  paused: { tone: 'warning', shown: 'Paused' },
  reverting: { tone: 'warning', shown: 'Reverting' },
  succeeded: { tone: 'good', shown: 'Succeeded' },
  failed: { tone: 'bad', shown: 'Failed' },
  aborted: { tone: 'quiet', shown: 'Aborted' },
};

/** How a rollout is. */
export function RolloutBadge({ of: { phase, awaitsApproval } }: { of: Pick<Rollout, 'phase' | 'awaitsApproval'> }) {
  if (phase === 'running' && awaitsApproval) return <Badge tone="warning">Needs approval</Badge>;
  // a newer control plane may have other phases
  const { tone, shown } = (rolloutPhases as Partial<typeof rolloutPhases>)[phase] ?? {
    tone: 'quiet',
    shown: foreignName(phase),
  };
  return <Badge tone={tone}>{shown}</Badge>;
}

/** The stage of a cluster. */
export function StageBadge({ stage }: { stage: ClusterStage }) {
  const known: Partial<typeof clusterStages> = clusterStages;
  const { tone, shown } = known[stage] ?? { tone: 'quiet', shown: foreignName(stage) };
  return <Badge tone={tone}>{shown}</Badge>;
}

/** Returns the stages that clusters are in, in the order of `clusterStages`. */
export function presentStages(counts: StageCounts): { stage: ClusterStage; count: number }[] {
  return (Object.keys(clusterStages) as ClusterStage[]).flatMap((stage) => {
    const count = counts[stage] ?? 0;
    return count === 0 ? [] : [{ stage, count }];
  });
}

/** Returns the number of clusters. */
export function clusterCount(counts: StageCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** The share of clusters in each stage, as a bar. The numbers beside it say the same. */
export function StageBar({ counts }: { counts: StageCounts }) {
  return (
    <svg class="stage-bar" aria-hidden="true" width="100%" height="6" preserveAspectRatio="none">
      <Segments counts={counts} />
    </svg>
  );
}

function Segments({ counts }: { counts: StageCounts }) {
  const total = clusterCount(counts);
  let start = 0;
  return (
    <>
      {presentStages(counts).map(({ stage, count }) => {
        const [x, width] = [(start / total) * 100, (count / total) * 100];
        start += count;
        return <rect key={stage} class={clusterStages[stage].tone} x={`${x}%`} y="0" width={`${width}%`} height="6" />;
      })}
    </>
  );
}
