import type { StoredEntry } from '../store/command-store.ts';
import type { EntryStore } from '../store/entry-store.ts';
import {
  type Changes,
  type Cluster,
  newStatus,
  type PlanGroup,
  type Rollout,
  type RolloutPlan,
  type RolloutStatus,
} from './rollout.ts';

const collections = { plan: 'rollout', status: 'rollout-status', cluster: 'rollout-cluster', group: 'rollout-plans' };

/** A rollout and its clusters, as they were restored. */
export interface RestoredRollout extends Rollout {
  readonly clusters: Map<string, Cluster>;
  readonly groups: Map<string, PlanGroup>;
}

/** Keeps a new rollout. It is one entry, so it is stored as a whole or not at all. */
export function keepPlan(plan: RolloutPlan, keep: EntryStore['keep']): void {
  keep({ collection: collections.plan, id: plan.id, text: JSON.stringify(plan) });
}

/**
 * Keeps changes of a rollout. The status comes before the clusters, because their next stages
 * follow from it again if the control plane ends in between: a cluster that is reviewed does not
 * say any more that it has failed. Groups of plans come before the clusters with the plans.
 */
export function keepChanges(
  { id, uid }: RolloutPlan,
  { clusters, status, groups }: Changes,
  keep: EntryStore['keep'],
): void {
  for (const [group, content] of groups ?? []) {
    keep({ collection: collections.group, id: `${id}/${group}`, text: JSON.stringify({ uid, group: content }) });
  }
  if (status) keep({ collection: collections.status, id, text: JSON.stringify({ uid, status }) });
  for (const [agentId, cluster] of clusters) {
    keep({ collection: collections.cluster, id: `${id}/${agentId}`, text: JSON.stringify({ uid, cluster }) });
  }
}

/** Deletes a rollout. The plan comes first, because entries without one are of no rollout. */
export function deleteEntries({ plan: { id }, clusters, groups }: Rollout, keep: EntryStore['keep']): void {
  keep({ collection: collections.plan, id, text: undefined });
  keep({ collection: collections.status, id, text: undefined });
  for (const group of groups.keys()) keep({ collection: collections.group, id: `${id}/${group}`, text: undefined });
  for (const agentId of clusters.keys()) {
    keep({ collection: collections.cluster, id: `${id}/${agentId}`, text: undefined });
  }
}

/** Returns the rollouts of a store, and deletes what is left of others. */
export function restoreRollouts(entries: readonly StoredEntry[], keep: EntryStore['keep']): RestoredRollout[] {
  const all = Map.groupBy(entries, ({ collection }) => collection);
  const rollouts = new Map<string, RestoredRollout>();
  for (const { id, text = '' } of all.get(collections.plan) ?? []) {
    const plan = JSON.parse(text) as RolloutPlan; // as keepPlan writes it
    rollouts.set(id, { plan, status: newStatus(plan), clusters: new Map(), groups: new Map() });
  }
  for (const entry of all.get(collections.status) ?? []) {
    const { uid, status } = JSON.parse(entry.text ?? '') as { uid: string; status: RolloutStatus }; // see keepChanges
    const rollout = rollouts.get(entry.id);
    if (rollout?.plan.uid === uid) rollouts.set(entry.id, { ...rollout, status });
    else keep({ ...entry, text: undefined });
  }
  for (const entry of all.get(collections.cluster) ?? []) {
    const { uid, cluster } = JSON.parse(entry.text ?? '') as { uid: string; cluster: Cluster }; // see keepChanges
    const [id = '', agentId = ''] = entry.id.split('/');
    const rollout = rollouts.get(id);
    if (rollout?.plan.uid === uid) rollout.clusters.set(agentId, cluster);
    else keep({ ...entry, text: undefined });
  }
  for (const entry of all.get(collections.group) ?? []) {
    const { uid, group } = JSON.parse(entry.text ?? '') as { uid: string; group: PlanGroup }; // see keepChanges
    const rollout = rollouts.get(entry.id.split('/')[0] ?? '');
    if (rollout?.plan.uid === uid) rollout.groups.set(group.id, group);
    else keep({ ...entry, text: undefined });
  }
  return [...rollouts.values()].sort((a, b) => a.plan.number - b.plan.number);
}
