import * as z from 'zod';
import { awaitsApproval, endOfSoak } from './advance.ts';
import {
  clusterOf,
  clusterStageSchema,
  type PlanGroup,
  type Rollout,
  rolloutPhaseSchema,
  waveStageSchema,
  withoutNotes,
} from './rollout.ts';

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
    plan: z.string().optional().describe('Id of the plan that was made for it last'),
    group: z.string().optional().describe('Id of the group of that plan'),
    isExcused: z.boolean().optional().describe('Whether a user has gone on in spite of the failure'),
  })
  .meta({ id: 'RolloutCluster' });
export type ClusterView = z.output<typeof clusterViewSchema>;

const groupSummarySchema = z.object({
  id: z.string(),
  clusters: z.int().describe('Number of clusters whose plan is in the group'),
  action: z.string(),
  chart: z.string().optional(),
  counts: z.record(z.string(), z.int()).describe('Numbers of objects by what happens to them'),
  approvedBy: z.string().optional().describe('The user who has approved it'),
});

/** A group of plans that would change the same. */
export const planGroupViewSchema = groupSummarySchema
  .extend({
    agentId: z.string().describe('The first cluster with such a plan'),
    plan: z.string().describe('The plan of that cluster'),
    changes: z
      .looseObject({})
      .optional()
      .describe('What the plans would change, with the fields of `plan_release`. Absent if that is too long'),
  })
  .meta({ id: 'RolloutPlanGroup' });
export type PlanGroupView = z.output<typeof planGroupViewSchema>;

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
    awaitsApproval: z.boolean().describe('Whether it continues only when the present wave, or plans, are approved'),
    groups: z
      .array(groupSummarySchema)
      .optional()
      .describe('The different plans, at most 20, those that wait for an approval first'),
    groupCount: z.int().optional().describe('Number of different plans'),
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
const maxGroups = 20;

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
    ...(plan.spec.plan && groupSummaries(rollout)),
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
      const { since, plan, ...cluster } = withoutNotes(clusterOf(rollout, agentId));
      yield {
        ...{ agentId, wave: index + 1, ...cluster },
        ...(since > 0 && { since: new Date(since).toISOString() }),
        ...(plan && { plan: plan.id, group: plan.group }),
      };
    }
  }
}

function groupSummaries(rollout: Rollout): Pick<RolloutView, 'groups' | 'groupCount'> {
  const all = sortedGroups(rollout);
  const groups = all.slice(0, maxGroups).map(({ id, clusters, action, chart, counts, approvedBy }) => ({
    ...{ id, clusters, action, counts },
    ...(chart !== undefined && { chart }),
    ...(approvedBy !== undefined && { approvedBy }),
  }));
  return { groups, groupCount: all.length };
}

/** Returns the different plans of the clusters, those that wait for an approval first. */
export function planGroupViews(rollout: Rollout): PlanGroupView[] {
  return sortedGroups(rollout).map(({ changes, ...group }) => ({
    ...group,
    ...(changes !== undefined && { changes: JSON.parse(changes) as Record<string, unknown> }), // see addPlan
  }));
}

/** Returns the groups that clusters have now, with their numbers. */
function sortedGroups({ groups, clusters }: Rollout): (PlanGroup & { clusters: number })[] {
  const counts = new Map<string, number>();
  for (const { plan } of clusters.values()) if (plan) counts.set(plan.group, (counts.get(plan.group) ?? 0) + 1);
  return [...groups.values()]
    .flatMap((group) => (counts.has(group.id) ? [{ ...group, clusters: counts.get(group.id) ?? 0 }] : []))
    .sort(
      (a, b) =>
        Number(a.approvedBy !== undefined) - Number(b.approvedBy !== undefined) ||
        b.clusters - a.clusters ||
        (a.id < b.id ? -1 : 1),
    );
}

function countsOf(rollout: Rollout, agentIds: readonly string[]): StageCounts {
  const counts: StageCounts = {};
  for (const agentId of agentIds) {
    const { stage } = clusterOf(rollout, agentId);
    counts[stage] = (counts[stage] ?? 0) + 1;
  }
  return counts;
}
