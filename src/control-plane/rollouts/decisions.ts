import { ControlPlaneError } from '../error.ts';
import { hasFailed, stopped } from './advance.ts';
import {
  type Changes,
  type Cluster,
  isEnded,
  type PlanGroup,
  type Rollout,
  type RolloutStatus,
  withoutFailure,
  withoutPassing,
  withoutPlan,
} from './rollout.ts';

const noClusters: ReadonlyMap<string, Cluster> = new Map();

/** Lets no more clusters begin. What they perform ends. */
export function pauseRollout({ status }: Rollout, by: string): Changes {
  if (status.phase === 'paused') return { clusters: noClusters };
  requirePhase(status, ['running'], 'paused');
  return changed(status, { phase: 'paused', reason: `paused by ${by}` });
}

/** Continues a rollout, also in spite of the failures so far, which count no more. */
export function resumeRollout({ status, clusters }: Rollout, now: number): Changes {
  if (status.phase === 'running') return { clusters: noClusters };
  requirePhase(status, ['paused'], 'resumed');
  const excused = [...clusters].flatMap(([agentId, cluster]): [string, Cluster][] =>
    cluster.stage === 'failed' && cluster.isExcused !== true ? [[agentId, { ...cluster, isExcused: true }]] : [],
  );
  return { ...changed(status, { phase: 'running', reason: undefined, since: now }), clusters: new Map(excused) };
}

/**
 * Approves the waves up to an index. The one before does not soak any longer, and need not have
 * updated a cluster.
 */
export function approveWave({ plan, status, clusters }: Rollout, wave: number, now: number): Changes {
  if (wave >= plan.waves.length) {
    throw new ControlPlaneError('bad_request', `wave must be at most ${plan.waves.length}`);
  }
  if (status.approved > wave) return { clusters: noClusters };
  if (isEnded({ status }) || status.phase === 'reverting') refuse(status, 'approved');
  if (status.waveStage === 'planning') {
    throw new ControlPlaneError('rollout_conflict', 'clusters still make their plans; approve a wave when it waits');
  }
  const furthest = status.waveStage === 'approval' ? status.wave : status.wave + 1;
  if (wave > furthest) {
    throw new ControlPlaneError('bad_request', `wave ${wave} has not begun; approve wave ${furthest + 1} first`);
  }
  const isStopped = status.phase === 'paused' && status.waveStage !== 'approval' && wave > status.wave;
  if (isStopped && hasFailed({ plan, status, clusters })) {
    const message = `too many clusters of wave ${status.wave + 1} have failed; resume the rollout, or retry them`;
    throw new ControlPlaneError('rollout_conflict', message);
  }
  return changed(status, {
    approved: wave + 1,
    ...(isStopped && { phase: 'running', reason: undefined, since: now }),
  });
}

/** Approves groups of plans, also for clusters that make such a plan later. */
export function approvePlans({ status, groups }: Rollout, ids: readonly string[], by: string): Changes {
  if (status.phase === 'reverting' || status.phase === 'failed' || status.phase === 'aborted')
    refuse(status, 'approved');
  const approved = ids.flatMap((id): [string, PlanGroup][] => {
    const group = groups.get(id);
    if (!group) throw new ControlPlaneError('bad_request', `the rollout has no group of plans ${JSON.stringify(id)}`);
    return group.approvedBy === undefined ? [[id, { ...group, approvedBy: by }]] : [];
  });
  return { clusters: noClusters, groups: new Map(approved) };
}

/**
 * Ends a rollout. Its clusters are left as they are, or returned to their last good revisions, also
 * those that could not be returned before.
 */
export function abortRollout({ status, clusters }: Rollout, now: number, by: string, isUndone: boolean): Changes {
  const end = { reason: `aborted by ${by}`, since: now };
  if (isUndone) {
    const again = [...clusters].flatMap(([agentId, cluster]): [string, Cluster][] =>
      cluster.stage === 'stuck' && cluster.base !== undefined
        ? [[agentId, { ...withoutPassing(withoutFailure(cluster)), stage: 'failed', since: now }]]
        : [],
    );
    if (status.revertFrom === 0 && again.length === 0) return { clusters: noClusters };
    return changed(status, { ...end, phase: 'reverting', revertFrom: 0, end: 'aborted' }, new Map(again));
  }
  if (status.phase === 'aborted') return { clusters: noClusters };
  return changed(status, { ...end, phase: 'aborted', revertFrom: undefined });
}

/** Applies what the check of the present wave has said. A wave without a yes has failed. */
export function settleCheck({ plan, status }: Rollout, isYes: boolean): Changes {
  if (isYes) return changed(status, { checked: status.wave + 1 });
  return { clusters: noClusters, status: stopped({ plan, status }, `the check of wave ${status.wave + 1} says no`) };
}

/** Tries clusters again that have failed or are stuck, and a rollout that has failed. */
export function retryRollout({ plan, status, clusters }: Rollout, now: number): Changes {
  if (status.phase === 'aborted' || status.phase === 'reverting') refuse(status, 'retried');
  const isRepeated = status.phase === 'failed';
  const again = (cluster: Cluster): Cluster | undefined => {
    const isUndone = cluster.stage === 'reverted' || cluster.stage === 'stuck';
    const isRetried = ['failed', 'held', 'stale'].includes(cluster.stage) || (isRepeated && isUndone);
    const before = withoutPlan(withoutPassing(withoutFailure(cluster)));
    return isRetried ? { ...before, stage: 'pending', since: 0 } : undefined;
  };
  const retried = [...clusters].flatMap(([agentId, cluster]): [string, Cluster][] => {
    const pending = again(cluster);
    return pending ? [[agentId, pending]] : [];
  });
  if (retried.length === 0 && status.phase === 'paused') {
    throw new ControlPlaneError('rollout_conflict', 'no cluster has failed or is held; resume the rollout');
  }
  const wave = Math.min(status.wave, firstWave(plan.waves, new Set(retried.map(([agentId]) => agentId))));
  const hasBegun = wave < status.wave || (status.waveStage !== 'planning' && status.waveStage !== 'approval');
  const next = {
    ...{ phase: 'running' as const, wave, since: now },
    waveStage: hasBegun ? ('updating' as const) : status.waveStage,
    ...{ reason: undefined, revertFrom: undefined, end: undefined, checked: undefined },
  };
  // the check of a wave may have failed, and no cluster
  return retried.length > 0 || isRepeated ? changed(status, next, new Map(retried)) : { clusters: noClusters };
}

function firstWave(waves: readonly (readonly string[])[], agentIds: ReadonlySet<string>): number {
  const index = waves.findIndex((agents) => agents.some((agentId) => agentIds.has(agentId)));
  return index === -1 ? Infinity : index;
}

/** Fields that are undefined are removed. */
type StatusChange = { [Name in keyof RolloutStatus]?: RolloutStatus[Name] | undefined };

function changed(
  status: RolloutStatus,
  change: StatusChange,
  clusters = noClusters,
): Required<Omit<Changes, 'groups'>> {
  const fields = Object.entries({ ...status, ...change }).filter(([, value]) => value !== undefined);
  return { clusters, status: Object.fromEntries(fields) as unknown as RolloutStatus }; // required fields stay
}

function requirePhase(status: RolloutStatus, phases: readonly RolloutStatus['phase'][], verb: string): void {
  if (!phases.includes(status.phase)) refuse(status, verb);
}

function refuse({ phase }: RolloutStatus, verb: string): never {
  throw new ControlPlaneError('rollout_conflict', `the rollout is ${phase}, so it cannot be ${verb}`);
}
