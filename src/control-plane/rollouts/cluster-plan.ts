import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type PlannedChanges, plannedChanges } from '../../protocol/commands/plan-release.ts';
import type { CommandResult } from '../../protocol/messages.ts';
import { type Changes, type Cluster, clusterOf, type PlanGroup, type Rollout, type RolloutPlan } from './rollout.ts';

/** Number of groups of a rollout. */
const maxGroups = 1000;

/** Characters of the changes of a group, and of those of all groups of a rollout. */
const maxChangesLength = 128 * 1024;
const maxTotalLength = 1024 * 1024;

const maxNameLength = 1000;

/** The least time before a plan that has expired is made again, in milliseconds. */
const minPlanMs = 600_000;

/** The part of the answer of an agent that is read here. Agents may say anything. */
const answerSchema = z.looseObject({
  plan: z.string().max(maxNameLength),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  expires: z.iso.datetime(),
  action: z.string().max(maxNameLength),
  chart: z.string().max(maxNameLength).optional(),
  differences: z.array(z.looseObject({ change: z.string().max(maxNameLength) })),
});

/** Returns the changes when a cluster has now made its plan. `planned` is the cluster before. */
export function addPlan(rollout: Rollout, agentId: string, planned: Cluster, result: CommandResult): Changes {
  const answer = readAnswer(rollout.plan, result);
  if (!answer) return failing(agentId, planned, 'bad_packet', 'the agent has not returned a plan of the release');
  const { name, digest, expires, action, chart, differences, changes } = answer;
  const counts = new Map<string, number>();
  for (const { change } of differences) counts.set(change, (counts.get(change) ?? 0) + 1);
  const id = createHash('sha256')
    .update(changes.isWhole ? changes.text : `${agentId}\n${digest}`)
    .digest('hex')
    .slice(0, 32);
  const plan = `${name}@${digest}`;
  // the clock of the agent may be wrong
  const expiresAt = Math.max(Date.parse(expires), planned.since + minPlanMs);
  const next: Cluster = { ...planned, stage: 'planned', plan: { id: plan, group: id, expiresAt } };
  const clusters = new Map([[agentId, next]]);
  if (rollout.groups.has(id)) return { clusters };
  if (rollout.groups.size >= maxGroups) {
    return failing(agentId, planned, 'too_large', `there are ${maxGroups} different plans already`);
  }
  const total = [...rollout.groups.values()].reduce((sum, group) => sum + (group.changes?.length ?? 0), 0);
  const isKept = changes.text.length <= Math.min(maxChangesLength, maxTotalLength - total);
  const group: PlanGroup = {
    ...{ id, agentId, plan, counts: bounded(counts), action },
    ...(chart !== undefined && { chart }),
    ...(isKept && { changes: changes.text }),
  };
  return { clusters, groups: new Map([[id, group]]) };
}

function readAnswer({ spec }: RolloutPlan, result: CommandResult) {
  const parsed = answerSchema.safeParse(result);
  if (!parsed.success) return undefined;
  const { namespace = 'default', releaseName } = spec.payload;
  const name = `${String(namespace)}/${String(releaseName)}`;
  if (parsed.data.plan.split('@')[0] !== name || Number.isNaN(Date.parse(parsed.data.expires))) return undefined;
  const { omitted } = parsed.data;
  // a plan that the packet had no room for is equal to no other one
  const isWhole = !Array.isArray(omitted) || omitted.length === 0;
  const text = JSON.stringify(plannedChanges(parsed.data as unknown as PlannedChanges)); // any data can be text
  return { ...parsed.data, name, changes: { text, isWhole } };
}

/** Returns the counts of the first kinds of changes: there are only a few that an agent knows. */
function bounded(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].slice(0, 10));
}

function failing(agentId: string, cluster: Cluster, code: string, message: string): Changes {
  return { clusters: new Map([[agentId, { ...cluster, stage: 'failed', failure: { code, message } }]]) };
}

/** Whether a cluster has to make a plan before its turn. */
export function needsPlan({ plan }: Pick<Rollout, 'plan'>, cluster: Cluster, now: number): boolean {
  return plan.spec.plan && (cluster.plan === undefined || cluster.plan.expiresAt <= now);
}

/** Whether the plan of a cluster waits until its group is approved. */
export function awaitsPlanApproval({ groups }: Pick<Rollout, 'groups'>, { stage, plan }: Cluster): boolean {
  return stage === 'planned' && plan !== undefined && groups.get(plan.group)?.approvedBy === undefined;
}

/** Whether the rollout waits until someone approves the plans of clusters whose wave has begun. */
export function awaitsPlanApprovals(rollout: Rollout): boolean {
  const { plan, status } = rollout;
  if (!plan.spec.plan || status.phase !== 'running' || status.waveStage === 'planning') return false;
  const agentIds = plan.waves[status.wave] ?? [];
  return agentIds.some((agentId) => awaitsPlanApproval(rollout, clusterOf(rollout, agentId)));
}
