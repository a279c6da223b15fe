import { windowTest } from '../../protocol/window.ts';
import type { AgentSubject } from '../access/is-allowed.ts';
import { awaitsPlanApproval, awaitsPlanApprovals, needsPlan } from './cluster-plan.ts';
import {
  type Changes,
  type Cluster,
  clusterOf,
  type ClusterStage,
  isActive,
  isEnded,
  type Rollout,
  type RolloutStatus,
  withoutFailure,
} from './rollout.ts';
import { type Amount, countOf, type WaveSpec } from './rollout-spec.ts';
import { selects } from './selection.ts';

/** `absent`: not connected since a moment ago, so that it may come back at once. */
export type Presence = 'connected' | 'absent' | 'away';

/** The time and the agents, as a rollout sees them. */
export interface World {
  /** Time in milliseconds. */
  readonly now: number;
  /** Time in milliseconds since when this control plane runs the rollout. */
  readonly runsSince: number;
  readonly presenceOf: (agentId: string) => Presence;
  /** Time in milliseconds since when an agent is connected. Undefined: it is not. */
  readonly connectedSince: (agentId: string) => number | undefined;
  readonly labelsOf: (agentId: string) => AgentSubject['labels'];
  /** Whether a newer rollout of the same release has reached a cluster. */
  readonly isSuperseded: (agentId: string) => boolean;
}

export interface Advance extends Changes {
  /** Time in milliseconds when it should be called again, if nothing happens before. */
  readonly wakeAt: number;
}

/** Time after a failure that may pass, in milliseconds. */
const awayRetryMs = 10_000;

/** Time after which a cluster gets its turn again, in milliseconds. */
const retryMs: Partial<Record<ClusterStage, number>> = { held: 600_000, away: awayRetryMs };

const minuteMs = 60_000;

/** The numbers of clusters of a wave, or of all waves. */
interface Tally {
  /** Clusters that get their turn as soon as there is room. */
  ready: string[];
  /** Clusters whose agents may come back at once, or whose turn or window comes later. */
  waiting: number;
  active: number;
  updated: number;
  failed: number;
}

/** A rollout with the changes so far. */
interface Draft extends Rollout {
  readonly clusters: Map<string, Cluster>;
  readonly changed: Map<string, Cluster>;
  status: RolloutStatus;
  readonly world: World;
  readonly isInTime: (agentId: string) => boolean;
  wakeAt: number;
}

/**
 * Returns the next changes of a rollout: the clusters that get their turn, and whether the next
 * wave begins.
 */
export function advance(rollout: Rollout, world: World): Advance {
  const draft: Draft = {
    ...{ plan: rollout.plan, groups: rollout.groups, status: rollout.status, world, wakeAt: Infinity },
    clusters: new Map(rollout.clusters),
    changed: new Map(),
    isInTime: windowsOf(rollout, world),
  };
  endOverdue(draft);
  supersede(draft);
  if (draft.status.phase === 'running') while (passStage(draft)) continue;
  catchUp(draft);
  if (draft.status.revertFrom !== undefined) revert(draft, draft.status.revertFrom);
  return {
    clusters: draft.changed,
    ...(draft.status !== rollout.status && { status: draft.status }),
    wakeAt: draft.wakeAt,
  };
}

/** Whether it may change something that an agent is connected, or not any more. */
export function isConcerned(rollout: Rollout, agentId: string): boolean {
  if (!isEnded(rollout)) return true;
  const cluster = rollout.clusters.get(agentId);
  if (!cluster) return false;
  return isActive(cluster) || isIdle(cluster) || (rollout.status.revertFrom !== undefined && isReturnable(cluster));
}

/** Ends the turn of clusters that have been busy for too long. */
function endOverdue(draft: Draft): void {
  const { plan, world } = draft;
  for (const [agentId, cluster] of draft.clusters) {
    if (!isActive(cluster)) continue;
    const connectedSince = world.connectedSince(agentId);
    const deadline = deadlineOf(plan, cluster.since, connectedSince);
    if (deadline > world.now) wake(draft, deadline);
    else if (connectedSince !== undefined) {
      const isUndone = cluster.stage === 'reviewing' || cluster.stage === 'reverting';
      const failure = { code: 'timeout', message: `the cluster has not been done with ${cluster.stage} in time` };
      change(draft, agentId, { ...cluster, stage: isUndone ? 'stuck' : 'failed', since: world.now, failure });
    }
  }
}

/** The least time for an answer after one was not possible, in milliseconds. */
const returnMs = 600_000;

/** Returns the time in milliseconds at which an answer is due that is possible since a time. */
function deadlineOf({ spec: { progressDeadline } }: Rollout['plan'], since: number, possibleSince = since): number {
  return Math.max(since + progressDeadline, possibleSince + Math.min(progressDeadline, returnMs));
}

function supersede(draft: Draft): void {
  const { plan, world } = draft;
  for (const agentId of plan.waves.flat()) {
    const cluster = clusterOf(draft, agentId);
    if (!isIdle(cluster) || !world.isSuperseded(agentId)) continue;
    change(draft, agentId, { ...cluster, stage: 'superseded', since: world.now });
  }
}

/** Does what the stage of the present wave needs. Returns whether the next stage has begun. */
function passStage(draft: Draft): boolean {
  const { plan, status, world } = draft;
  const { wave, waveStage, approved } = status;
  if (waveStage === 'planning') return passPlanning(draft);
  if (waveStage === 'approval') return awaitsWave(draft) ? false : enter(draft, { waveStage: 'updating' });
  const agents = plan.waves[wave] ?? [];
  const isLast = wave === plan.waves.length - 1;
  if (agents.length === 0)
    return enter(draft, isLast ? { phase: 'succeeded' } : { wave: wave + 1, waveStage: 'approval' });
  const before = tallyOf(draft, agents);
  if (hasFailed(draft)) return stop(draft, `too many clusters of wave ${wave + 1} have failed`);
  begin(draft, before.ready, 'inspecting');
  const { ready, waiting, active, updated } = tallyOf(draft, agents);
  if (waveStage === 'updating') {
    return ready.length + waiting + active > 0 ? false : enter(draft, { waveStage: 'soaking' });
  }
  const soaked = endOfSoak(draft);
  const isNextApproved = approved > wave + 1;
  if (waveStage === 'soaking' && soaked > world.now && !isNextApproved) {
    wake(draft, soaked);
    return false;
  }
  if (isLast) return enter(draft, { phase: 'succeeded' });
  // a wave that has proved nothing lets the next one begin only by hand
  if (updated === 0 && !isNextApproved) return pause(draft, noProof(wave));
  if (plan.spec.check !== undefined && (status.checked ?? 0) <= wave && !isNextApproved) return awaitCheck(draft);
  return enter(draft, { wave: wave + 1, waveStage: 'approval' });
}

/** Lets all clusters make their plans, and pauses if too many of them cannot. */
function passPlanning(draft: Draft): boolean {
  const agents = draft.plan.waves.flat();
  makePlans(draft, agents);
  const { ready, waiting, active, failed } = planTally(draft, agents);
  if (ready.length + waiting + active > 0) return false;
  const { maxTotalFailures = draft.plan.spec.maxFailures } = draft.plan.spec;
  if (failed <= countOf(maxTotalFailures, agents.length, Math.floor)) return enter(draft, { waveStage: 'approval' });
  const clusters = failed === 1 ? '1 cluster has' : `${failed} clusters have`;
  return pause(draft, `${clusters} not made a plan; retry, or resume without them`);
}

/** Lets clusters make the plans that they need. */
function makePlans(draft: Draft, agents: readonly string[]): void {
  begin(draft, planTally(draft, agents).ready, 'inspecting');
}

/** Returns the numbers of clusters while plans are made. Those that have one are not ready. */
function planTally(draft: Draft, agents: readonly string[]): Tally {
  const { now } = draft.world;
  const isDone = (cluster: Cluster) => isIdle(cluster) && !needsPlan(draft, cluster, now);
  return tallyOf(
    draft,
    agents.filter((agentId) => !isDone(clusterOf(draft, agentId))),
  );
}

/** Waits until the check of the present wave says yes, for as long as a cluster may take. */
function awaitCheck(draft: Draft): boolean {
  const { plan, status, world } = draft;
  if (status.waveStage !== 'checking') return enter(draft, { waveStage: 'checking' });
  const deadline = deadlineOf(plan, status.since, world.runsSince);
  if (deadline <= world.now) return stop(draft, `the check of wave ${status.wave + 1} has not said yes in time`);
  wake(draft, deadline);
  return false;
}

/** Whether the present wave, or the plans of its clusters, wait until they are approved. */
export function awaitsApproval(rollout: Rollout): boolean {
  return awaitsWave(rollout) || awaitsPlanApprovals(rollout);
}

/** Whether the present wave waits until it is approved. */
function awaitsWave({ plan, status }: Pick<Rollout, 'plan' | 'status'>): boolean {
  const { phase, wave, waveStage, approved } = status;
  if (phase !== 'running' || waveStage !== 'approval' || approved > wave) return false;
  return waveSpec({ plan }, wave).approval ?? (plan.spec.approval && wave > 0);
}

/** Returns the time in milliseconds when the soak time of the present wave ends. */
export function endOfSoak({ plan, status }: Pick<Rollout, 'plan' | 'status'>): number {
  const soak = waveSpec({ plan }, status.wave).soak ?? plan.spec.soak;
  return status.since + (soak === false ? 0 : soak);
}

function noProof(wave: number): string {
  return `no cluster of wave ${wave + 1} was updated, so it has proved nothing; approve the next wave to continue`;
}

/** Lets clusters of earlier waves get their turn when their agents are back. */
function catchUp(draft: Draft): void {
  const { plan, status } = draft;
  const isDone = status.phase === 'succeeded';
  if (!isDone && status.phase !== 'running') return;
  const earlier = plan.waves.slice(0, isDone ? plan.waves.length : status.wave).flat();
  begin(draft, tallyOf(draft, earlier).ready, 'inspecting');
  // also those of later waves make their plans when they are back
  if (plan.spec.plan) makePlans(draft, plan.waves.flat());
}

/** Returns clusters to their last good revisions, from a wave on. */
function revert(draft: Draft, from: number): void {
  const { plan, status, world } = draft;
  const agents = plan.waves.slice(from).flat();
  const returnable =
    plan.spec.type === 'upgrade_agent' ? [] : agents.filter((id) => isReturnable(clusterOf(draft, id)));
  const ready = returnable.filter((id) => world.presenceOf(id) === 'connected' && isReturnDue(draft, id));
  begin(draft, ready, 'reviewing');
  if (status.phase !== 'reverting') return;
  const isLeft = agents.some((agentId) => {
    const cluster = clusterOf(draft, agentId);
    const presence = world.presenceOf(agentId);
    if (presence === 'absent' && (isActive(cluster) || isReturnable(cluster))) wake(draft, world.now + retryPause);
    return presence !== 'away' && (isActive(cluster) || (isReturnable(cluster) && plan.spec.type !== 'upgrade_agent'));
  });
  if (!isLeft) enter(draft, { phase: status.end ?? 'failed' });
}

const retryPause = 5000;

/** Whether a cluster that is to be returned need not wait after a failure that may pass. */
function isReturnDue(draft: Draft, agentId: string): boolean {
  const { passing, since } = clusterOf(draft, agentId);
  const turn = since + awayRetryMs;
  if (passing === undefined || turn <= draft.world.now) return true;
  wake(draft, turn);
  return false;
}

/** Whether the rollout may have changed a cluster that is to be returned. */
function isReturnable(cluster: Cluster): boolean {
  const { stage, base, own = [], isExcused } = cluster;
  if (stage === 'updated') return true;
  // one that is to be tried again keeps what the attempt before has deployed
  const mayDiffer = stage === 'failed' || (isIdle(cluster) && own.length > 0);
  return mayDiffer && base !== undefined && isExcused !== true;
}

/** Begins a stage on clusters, as far as the concurrency allows it. */
function begin(draft: Draft, agentIds: readonly string[], stage: 'inspecting' | 'reviewing'): void {
  const { plan, world, clusters } = draft;
  let room = plan.spec.concurrency;
  for (const [agentId, cluster] of clusters) {
    if (isActive(cluster) && world.presenceOf(agentId) !== 'away') room--;
  }
  const firstOf = (cluster: Cluster): ClusterStage => {
    if (stage === 'reviewing') return stage;
    if (needsPlan(draft, cluster, world.now)) return 'planning';
    return plan.spec.type === 'upgrade_agent' ? 'updating' : stage;
  };
  for (const agentId of agentIds.slice(0, Math.max(0, room))) {
    const cluster = clusterOf(draft, agentId);
    const turn = { stage: firstOf(cluster), attempt: cluster.attempt + 1, since: world.now };
    // a cluster that is returned keeps the reason for that
    change(draft, agentId, { ...(stage === 'reviewing' ? cluster : withoutFailure(cluster)), ...turn });
  }
}

function tallyOf(draft: Draft, agentIds: readonly string[]): Tally {
  const { world, isInTime } = draft;
  const tally: Tally = { ready: [], waiting: 0, active: 0, updated: 0, failed: 0 };
  for (const agentId of agentIds) {
    const cluster = clusterOf(draft, agentId);
    const presence = world.presenceOf(agentId);
    if (cluster.stage === 'updated') tally.updated++;
    else if (cluster.stage === 'failed') tally.failed += cluster.isExcused === true ? 0 : 1;
    else if (isActive(cluster)) {
      if (presence !== 'away') tally.active++;
      if (presence === 'absent') wake(draft, world.now + retryPause);
    } else if (isIdle(cluster)) tallyIdle(draft, tally, agentId, cluster, presence, isInTime);
  }
  return tally;
}

function tallyIdle(
  draft: Draft,
  tally: Tally,
  agentId: string,
  cluster: Cluster,
  presence: Presence,
  isInTime: Draft['isInTime'],
): void {
  const { now } = draft.world;
  if (presence === 'away') {
    if (cluster.stage === 'pending' || cluster.stage === 'planned')
      change(draft, agentId, { ...cluster, stage: 'away', since: now });
    return;
  }
  const turn = cluster.attempt === 0 ? now : cluster.since + (retryMs[cluster.stage] ?? 0);
  if (presence === 'absent') wake(draft, now + retryPause);
  else if (turn > now) wake(draft, turn);
  else if (needsPlan(draft, cluster, now)) {
    // windows are for changes
    tally.ready.push(agentId);
    return;
  } else if (!awaitsPlanApproval(draft, cluster) && isInTime(agentId)) {
    tally.ready.push(agentId);
    return;
  } else if (!awaitsPlanApproval(draft, cluster)) wake(draft, now - (now % minuteMs) + minuteMs);
  // the owner of a cluster does not hold up the others
  if (cluster.stage !== 'held') tally.waiting++;
}

/** Whether a cluster can get its turn. */
function isIdle({ stage }: Cluster): boolean {
  return stage === 'pending' || stage === 'away' || stage === 'held' || stage === 'planned';
}

/** Whether more clusters of the present wave, or of all waves, have failed than may. */
export function hasFailed(rollout: Pick<Rollout, 'plan' | 'status' | 'clusters'>): boolean {
  const { plan, status } = rollout;
  const { maxFailures, maxTotalFailures } = plan.spec;
  const isCounted = ({ stage, isExcused }: Cluster) => stage === 'failed' && isExcused !== true;
  const exceed = (agents: readonly string[], limit: Amount) =>
    agents.filter((id) => isCounted(clusterOf(rollout, id))).length > countOf(limit, agents.length, Math.floor);
  if (exceed(plan.waves[status.wave] ?? [], waveSpec(rollout, status.wave).maxFailures ?? maxFailures)) return true;
  return maxTotalFailures !== undefined && exceed(plan.waves.flat(), maxTotalFailures);
}

function stop(draft: Draft, reason: string): false {
  draft.status = stopped(draft, reason);
  return false;
}

/** Returns the status of a rollout whose present wave has failed. */
export function stopped({ plan, status }: Pick<Rollout, 'plan' | 'status'>, reason: string): RolloutStatus {
  if (plan.spec.onFailure === 'pause') return { ...status, phase: 'paused', reason };
  return { ...status, phase: 'reverting', reason, revertFrom: status.wave, end: 'failed' };
}

function pause(draft: Draft, reason: string): false {
  draft.status = { ...draft.status, phase: 'paused', reason };
  return false;
}

/** Begins another stage or wave, or ends the rollout. Returns whether it runs. */
function enter(draft: Draft, next: Partial<RolloutStatus>): boolean {
  draft.status = { ...draft.status, since: draft.world.now, ...next };
  return draft.status.phase === 'running';
}

function change(draft: Draft, agentId: string, cluster: Cluster): void {
  draft.clusters.set(agentId, cluster);
  draft.changed.set(agentId, cluster);
}

function wake(draft: Draft, at: number): void {
  draft.wakeAt = Math.min(draft.wakeAt, at);
}

/** Returns the rules of a wave. The one with the agents that no wave names has none of its own. */
function waveSpec({ plan }: Pick<Rollout, 'plan'>, wave: number): Partial<WaveSpec> {
  return plan.spec.waves[wave] ?? {};
}

/** Returns whether a cluster may get its turn now: it has no windows, or one of them is open. */
function windowsOf({ plan }: Rollout, { now, labelsOf }: World): (agentId: string) => boolean {
  const time = new Date(now);
  const windows = plan.spec.windows.map((window) => ({ has: selects(window), isOpen: windowTest(window)(time) }));
  if (windows.length === 0) return () => true;
  return (agentId) => {
    const own = windows.filter(({ has }) => has({ agentId, labels: labelsOf(agentId) }));
    return own.length === 0 || own.some(({ isOpen }) => isOpen);
  };
}
