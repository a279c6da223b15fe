import * as z from 'zod';
import { awaitsApproval, endOfSoak } from './advance.ts';
import { clusterOf, clusterStageSchema, type Rollout, rolloutPhaseSchema, waveStageSchema } from './rollout.ts';

/** Numbers of clusters by stage. */
const stageCountsSchema = z.partialRecord(clusterStageSchema, z.int());
type StageCounts = z.output<typeof stageCountsSchema>;

/** A cluster of a rollout, as users see it. */
export const clusterViewSchema = z
  .object({
    agentId: z.string(),
    wave: z.int().describe('Number of its wave, from 1'),
    stage: clusterStageSchema,
    attempt: z.int().describe('Counts how often the cluster got its turn'),
    since: z.iso.datetime().optional().describe('When the stage began, if it is not pending'),
    base: z.int().nullable().optional().describe('The revision that was deployed before; null if there was none'),
    revision: z.int().optional().describe('The revision that the rollout has deployed'),
    failure: z.object({ code: z.string(), message: z.string() }).optional(),
    isExcused: z.boolean().optional().describe('Whether a user has gone on in spite of the failure'),
  })
  .meta({ id: 'RolloutCluster' });
export type ClusterView = z.output<typeof clusterViewSchema>;

/** A rollout, as users see it. It has no values. */
export const rolloutViewSchema = z
  .object({
    id: z.string(),
    type: z.string(),
    releaseName: z.string().optional(),
    namespace: z.string().optional(),
    chart: z.string().optional(),
    phase: rolloutPhaseSchema,
    reason: z.string().optional().describe('Why it does not run'),
    wave: z.int().describe('Number of the present wave, from 1'),
    waveStage: waveStageSchema,
    since: z.iso.datetime(),
    awaitsApproval: z.boolean().describe('Whether the present wave begins only when it is approved'),
    soaksUntil: z.iso.datetime().optional().describe('When the soak time of the present wave ends'),
    createdAt: z.iso.datetime(),
    startedBy: z.string().optional().describe('The user who has started it'),
    clusters: stageCountsSchema,
    waves: z.array(z.object({ number: z.int(), clusters: stageCountsSchema })),
    problems: z.array(clusterViewSchema).describe('Clusters that have failed, are held or are stuck; at most 20'),
  })
  .meta({ id: 'Rollout' });
export type RolloutView = z.output<typeof rolloutViewSchema>;

const maxProblems = 20;

export function rolloutView(rollout: Rollout): RolloutView {
  const { plan, status } = rollout;
  const { releaseName, namespace, chartName } = plan.spec.payload;
  const waves = plan.waves.map((agentIds, index) => ({ number: index + 1, clusters: countsOf(rollout, agentIds) }));
  const problems: ClusterView[] = [];
  for (const view of clusterViews(rollout)) {
    if (problems.length === maxProblems) break;
    if (view.failure !== undefined) problems.push(view);
  }
  return {
    ...{ id: plan.id, type: plan.spec.type },
    ...(typeof releaseName === 'string' && { releaseName }),
    ...(typeof namespace === 'string' && { namespace }),
    ...(typeof chartName === 'string' && { chart: chartName }),
    phase: status.phase,
    ...(status.reason !== undefined && { reason: status.reason }),
    ...{ wave: status.wave + 1, waveStage: status.waveStage, since: new Date(status.since).toISOString() },
    awaitsApproval: awaitsApproval(rollout),
    ...(status.phase === 'running' &&
      status.waveStage === 'soaking' && { soaksUntil: new Date(endOfSoak(rollout)).toISOString() }),
    createdAt: new Date(plan.createdAt).toISOString(),
    ...(plan.startedBy && { startedBy: plan.startedBy.name }),
    ...{ clusters: countsOf(rollout, plan.waves.flat()), waves, problems },
  };
}

/** Returns the clusters by wave. */
export function* clusterViews(rollout: Rollout): Generator<ClusterView> {
  for (const [index, agentIds] of rollout.plan.waves.entries()) {
    for (const agentId of agentIds) {
      const { since, ...cluster } = clusterOf(rollout, agentId);
      yield { agentId, wave: index + 1, ...cluster, ...(since > 0 && { since: new Date(since).toISOString() }) };
    }
  }
}

function countsOf(rollout: Rollout, agentIds: readonly string[]): StageCounts {
  const counts: StageCounts = {};
  for (const agentId of agentIds) {
    const { stage } = clusterOf(rollout, agentId);
    counts[stage] = (counts[stage] ?? 0) + 1;
  }
  return counts;
}
