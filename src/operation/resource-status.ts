import type { ProblemClass, ProblemCode } from '../protocol/problem-codes.ts';
import type { ReplicaCounts } from '../readiness/index.ts';

/** Statuses of kstatus. */
export type ResourceStatusName = 'InProgress' | 'Failed' | 'Current' | 'Terminating' | 'NotFound' | 'Unknown';

/** The problem of a resource that is not ready. */
export interface ResourceProblem {
  code: ProblemCode;
  class: ProblemClass;
  /** How often it was seen, if it occurs again and again. */
  failures?: number;
  /** How the last run of a restarted container ended, such as `1` or `137 OOMKilled`. */
  exit?: string;
  /** Whether a container that has failed runs again. */
  running?: boolean;
  /** The problem of a pod that made a Job fail. */
  cause?: ProblemCode;
}

export interface ResourceStatus {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
  status: ResourceStatusName;
  /** Why it is not ready: `ImagePullBackOff: Back-off pulling image "x"`. */
  reason?: string;
  problem?: ResourceProblem;
  /** How far a workload is. */
  counts?: ReplicaCounts;
  /** When status, reason or counts have last changed, RFC 3339. */
  since?: string;
  /** In an error: the end of the log of a container that has failed. */
  log?: string;
}
