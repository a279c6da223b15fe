import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Principal } from '../access/role.ts';
import type { RolloutSpec } from './rollout-spec.ts';

/** The plan of a cluster, which is performed when its group is approved. */
interface ClusterPlan {
  /** The id, with all characters of its digest. */
  readonly id: string;
  /** The group of plans that change the same. */
  readonly group: string;
  /** Time in milliseconds. */
  readonly expiresAt: number;
}

/** Plans of clusters that would change the same. One approval is for all of them. */
export interface PlanGroup {
  /** The digest of `changes`: another text has another one. */
  readonly id: string;
  /** The first cluster with such a plan. */
  readonly agentId: string;
  /** The plan of that cluster. */
  readonly plan: string;
  /** Numbers of objects by what happens to them. */
  readonly counts: Readonly<Record<string, number>>;
  readonly action: string;
  readonly chart?: string;
  /** JSON text of `PlannedChanges`. Undefined: it is too long to be kept. */
  readonly changes?: string;
  /** The name of the user who has approved the group. */
  readonly approvedBy?: string;
}

/**
 * The place of a cluster in a rollout.
 *
 * - `pending`: its turn has not come; `away`: its turn came while its agent was not connected;
 *   `held`: the owner of the cluster did not allow it; all of these get their turn later.
 * - `planning`, `planned`: it finds out what would change, and waits for its turn with the plan;
 *   `stale`: the plan did not fit the cluster any more, so nothing was changed.
 * - `inspecting`, `updating`, `testing`, `checking`: the last good revision is looked up, the new
 *   one is deployed, its tests run, and the Job of the check runs.
 * - `updated`, `failed`: its outcome.
 * - `reviewing`, `reverting`: the deployed revision is looked up, and undone; `reverted`, `stuck`:
 *   the outcome of that.
 * - `superseded`: a newer rollout of the same release has reached the cluster first.
 */
export const clusterStageSchema = z.enum([
  'pending',
  'away',
  'held',
  'planning',
  'planned',
  'stale',
  'inspecting',
  'updating',
  'testing',
  'checking',
  'updated',
  'failed',
  'reviewing',
  'reverting',
  'reverted',
  'stuck',
  'superseded',
]);
export type ClusterStage = z.output<typeof clusterStageSchema>;

/** A stage in which the cluster performs a command. */
export type ActiveStage = 'planning' | 'inspecting' | 'updating' | 'testing' | 'checking' | 'reviewing' | 'reverting';

const activeStages: ReadonlySet<ClusterStage> = new Set<ActiveStage>([
  'planning',
  'inspecting',
  'updating',
  'testing',
  'checking',
  'reviewing',
  'reverting',
]);

/** A cluster of a rollout. */
export interface Cluster {
  readonly stage: ClusterStage;
  /** Counts how often the cluster got its turn. */
  readonly attempt: number;
  /** Number of failures that may pass, since it had any other outcome. Default: 0. */
  readonly passing?: number;
  /** Time in milliseconds when the stage began. */
  readonly since: number;
  /**
   * The revision that was deployed before; null if the release did not exist. Undefined: that is
   * not known, or none was deployed.
   */
  readonly base?: number | null;
  /** The plan that was made for it last. */
  readonly plan?: ClusterPlan;
  /** The revision that the rollout has deployed. */
  readonly revision?: number;
  /**
   * The revisions that the rollout has deployed, or may have if no result says so. None of them
   * becomes `base` at another attempt.
   */
  readonly own?: readonly number[];
  /** The revision that the last rollback to `base` has made, if it has made one. */
  readonly undoing?: number;
  readonly failure?: { readonly code: string; readonly message: string };
  /** Whether a user has gone on in spite of the failure, so that it counts no more. */
  readonly isExcused?: boolean;
}

/**
 * `reverting`: clusters are returned to their last good revisions; afterwards it is `failed` or
 * `aborted`.
 */
export const rolloutPhaseSchema = z.enum(['running', 'paused', 'reverting', 'succeeded', 'failed', 'aborted']);
type RolloutPhase = z.output<typeof rolloutPhaseSchema>;

/**
 * `planning`: all clusters make their plans; `approval`: the wave may have to be approved before it
 * begins; `checking`: a webhook is asked whether the next one may begin.
 */
export const waveStageSchema = z.enum(['planning', 'approval', 'updating', 'soaking', 'checking']);
type WaveStage = z.output<typeof waveStageSchema>;

/** The state of a rollout, without that of its clusters. */
export interface RolloutStatus {
  readonly phase: RolloutPhase;
  /** Why it does not run. */
  readonly reason?: string;
  /** Index of the present wave. */
  readonly wave: number;
  readonly waveStage: WaveStage;
  /** Time in milliseconds when that began. */
  readonly since: number;
  /** The waves before this index were approved. */
  readonly approved: number;
  /** The check of the waves before this index has said yes. Default: 0. */
  readonly checked?: number;
  /** The first wave whose clusters are returned. Undefined: none is. */
  readonly revertFrom?: number;
  /** The phase after `reverting`. */
  readonly end?: 'failed' | 'aborted';
}

/** The parts of a rollout that never change. */
export interface RolloutPlan {
  readonly id: string;
  /** Part of the keys of all commands. Another rollout with the id has another one. */
  readonly uid: string;
  /** Counts the rollouts of the control plane. */
  readonly number: number;
  readonly spec: RolloutSpec;
  /** SHA-256 of the request. */
  readonly fingerprint: string;
  /** Time in milliseconds. */
  readonly createdAt: number;
  /** The user for whom the commands are sent. Undefined: the application. */
  readonly startedBy?: Pick<Principal, 'name' | 'roles'>;
  /** The ids of the agents of each wave. */
  readonly waves: readonly (readonly string[])[];
  /** The differences of the spec that each agent gets, by index. Default: none. */
  readonly differences: Readonly<Record<string, readonly number[]>>;
}

/** A rollout. A cluster that is not in the map is pending. */
export interface Rollout {
  readonly plan: RolloutPlan;
  readonly status: RolloutStatus;
  readonly clusters: ReadonlyMap<string, Cluster>;
  /** The different plans of its clusters, by id. */
  readonly groups: ReadonlyMap<string, PlanGroup>;
}

/** The parts of a rollout that a transition replaces. */
export interface Changes {
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly status?: RolloutStatus;
  readonly groups?: ReadonlyMap<string, PlanGroup>;
}

export function newStatus({ spec, createdAt }: Pick<RolloutPlan, 'spec' | 'createdAt'>): RolloutStatus {
  const waveStage = spec.plan ? 'planning' : 'approval';
  return { phase: 'running', wave: 0, waveStage, since: createdAt, approved: 0 };
}

const pendingCluster: Cluster = { stage: 'pending', attempt: 0, since: 0 };

export function clusterOf({ clusters }: Pick<Rollout, 'clusters'>, agentId: string): Cluster {
  return clusters.get(agentId) ?? pendingCluster;
}

/** Returns a cluster without the failure of its last attempt. */
export function withoutFailure({ failure: _, isExcused: __, ...cluster }: Cluster): Cluster {
  return cluster;
}

/** Returns a cluster that has to make its plan again. */
export function withoutPlan({ plan: _, ...cluster }: Cluster): Cluster {
  return cluster;
}

/** Returns a cluster whose failures that may pass are counted from 0. */
export function withoutPassing({ passing: _, ...cluster }: Cluster): Cluster {
  return cluster;
}

/** Returns a cluster without what is noted for its next turn. */
export function withoutNotes({ own: _, undoing: __, ...cluster }: Cluster): Cluster {
  return withoutPassing(cluster);
}

/** Whether the cluster performs a command. */
export function isActive<Known extends Cluster>(cluster: Known): cluster is Known & { stage: ActiveStage } {
  return activeStages.has(cluster.stage);
}

/** Whether nothing more happens by itself, except that clusters that were away catch up. */
export function isEnded({ status: { phase } }: Pick<Rollout, 'status'>): boolean {
  return phase === 'succeeded' || phase === 'failed' || phase === 'aborted';
}

/**
 * Returns the key of the command that a cluster performs. It follows from the rollout, so that a
 * control plane that was killed sends the command again under the same key, and the cluster
 * performs it once.
 */
export function commandKey({ plan }: Pick<Rollout, 'plan'>, agentId: string, { stage, attempt }: Cluster): string {
  const wave = plan.waves.findIndex((agents) => agents.includes(agentId));
  const digest = createHash('sha256').update([plan.uid, wave, agentId, attempt, stage].join('\n')).digest('hex');
  return `${keyPrefix}${plan.id}/${digest.slice(0, 32)}`;
}

const keyPrefix = 'rollout/';

/** Whether a command has such a key. */
export function isOfRollout({ key }: { readonly key: string }): boolean {
  return key.startsWith(keyPrefix);
}
