import type { PlannedChanges } from '../../protocol/commands/plan-release.ts';
import type { Hello } from '../../protocol/messages.ts';
import type { Role } from './session.ts';

/** An agent as `GET /api/agents` returns it. */
export interface Agent extends Partial<Pick<Hello, 'version' | 'capabilities' | 'instanceId' | 'durable'>> {
  readonly agentId: string;
  readonly connected: boolean;
  /** RFC 3339; null if it was never connected. */
  readonly lastSeen: string | null;
  /** RFC 3339. */
  readonly connectedAt?: string;
  /** Whether the API server of its cluster responds. */
  readonly cluster?: { readonly reachable: boolean; readonly since: string; readonly reason?: string };
  readonly enrolment?: Enrolment;
  /** When a process was refused last that may be of a copy of the cluster. */
  readonly copyRefusedAt?: string;
}

/** How far the enrolment of an agent is. */
interface Enrolment {
  readonly states: readonly ('invited' | 'pending' | 'enrolled')[];
  readonly labels?: Readonly<Record<string, string>>;
  /** Why a connection was refused last. */
  readonly problem?: string;
}

/** How far a command is. */
export type CommandState = 'waiting' | 'sent' | 'accepted' | 'done';

/** How a command has ended. */
export type CommandOutcome = 'succeeded' | 'failed';

/** A command as `GET /api/commands` lists it. */
export interface ListedCommand {
  readonly key: string;
  readonly agentId: string;
  readonly type: string;
  readonly state: CommandState;
  /** Undefined if it has not ended, or if that is not known. */
  readonly outcome?: CommandOutcome;
  readonly sentBy?: string;
  readonly namespace?: string;
  readonly releaseName?: string;
  /** RFC 3339. */
  readonly createdAt?: string;
}

/** A page of `GET /api/commands`. */
export interface CommandPage {
  readonly commands: readonly ListedCommand[];
  /** The cursor of the next page. */
  readonly next?: string;
}

/** A token of a user as `GET /api/tokens` lists it. Times are in RFC 3339. */
export interface ListedToken {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly createdBy?: string;
}

/** How far a cluster of a rollout is, see docs/rollouts.md. */
export type ClusterStage =
  | 'pending'
  | 'away'
  | 'held'
  | 'planning'
  | 'planned'
  | 'stale'
  | 'inspecting'
  | 'updating'
  | 'testing'
  | 'checking'
  | 'updated'
  | 'failed'
  | 'reviewing'
  | 'reverting'
  | 'reverted'
  | 'stuck'
  | 'superseded';

export type StageCounts = Readonly<Partial<Record<ClusterStage, number>>>;

/** A cluster of a rollout, as `GET /api/rollouts/ID/clusters` lists it. */
export interface RolloutCluster {
  readonly agentId: string;
  readonly wave: number;
  readonly stage: ClusterStage;
  readonly attempt: number;
  /** RFC 3339. */
  readonly since?: string;
  readonly base?: number | null;
  readonly revision?: number;
  readonly failure?: { readonly code: string; readonly message: string };
  readonly plan?: string;
  /** The group of the plan. */
  readonly group?: string;
}

/** A rollout, as `GET /api/rollouts` lists it. Times are in RFC 3339. */
export interface Rollout {
  readonly id: string;
  readonly type: string;
  readonly releaseName?: string;
  readonly namespace?: string;
  readonly chart?: string;
  readonly phase: 'running' | 'paused' | 'reverting' | 'succeeded' | 'failed' | 'aborted';
  /** Why it does not run. */
  readonly reason?: string;
  /** Number of the present wave, from 1. */
  readonly wave: number;
  readonly waveStage: 'planning' | 'approval' | 'updating' | 'soaking' | 'checking';
  /** Whether it continues only when the present wave, or plans, are approved. */
  readonly awaitsApproval: boolean;
  /** The different plans, at most 20. Absent: it makes none. */
  readonly groups?: readonly Omit<PlanGroup, 'agentId' | 'plan' | 'changes'>[];
  readonly groupCount?: number;
  readonly since: string;
  readonly createdAt: string;
  readonly startedBy?: string;
  readonly clusters: StageCounts;
  readonly waves: readonly { readonly number: number; readonly clusters: StageCounts }[];
  /** At most 20. */
  readonly problems: readonly RolloutCluster[];
}

/** Plans of clusters that would change the same, as `GET /api/rollouts/ID/plans` lists them. */
export interface PlanGroup {
  readonly id: string;
  /** Number of clusters. */
  readonly clusters: number;
  readonly action: string;
  readonly chart?: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly approvedBy?: string;
  /** The first cluster with such a plan. */
  readonly agentId: string;
  readonly plan: string;
  /** Absent if they are too long. */
  readonly changes?: PlannedChanges;
}

/** A recording of a session, as `GET /api/recordings` lists it. */
export interface ListedRecording {
  readonly key: string;
  readonly agentId: string;
  readonly user: string;
  readonly namespace?: string;
  readonly releaseName?: string;
  readonly pod?: string;
  readonly container?: string;
  readonly command?: string;
  readonly reason?: string;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly bytes: number;
  readonly isEnded: boolean;
}

/** A session of a person, as `GET /api/sessions` lists it. Times are in RFC 3339. */
export interface PersonSession {
  readonly id: string;
  readonly name: string;
  readonly kind: 'browser' | 'ctl';
  readonly createdAt: string;
  readonly seenAt: string;
  readonly expiresAt: string;
}
