import type { Evidence } from './evidence/evidence.ts';
import type { ProblemClass, ProblemCode } from '../readiness/problem.ts';

/** Steps of operations. `rollback` and `uninstall` undo a failed operation. */
export type StepName =
  | 'load'
  | 'crds'
  | 'capabilities'
  | 'render'
  | 'check'
  | 'namespace'
  | 'record'
  | 'pre-hooks'
  | 'apply'
  | 'wait'
  | 'post-hooks'
  | 'delete'
  | 'test'
  | 'finish'
  | 'rollback'
  | 'uninstall';

export type StepState = 'running' | 'done' | 'failed' | 'skipped';

/** Statuses of kstatus. */
export type ResourceStatusName = 'InProgress' | 'Failed' | 'Current' | 'Terminating' | 'NotFound' | 'Unknown';

/** The problem of a resource that is not ready. */
export interface ResourceProblem {
  code: ProblemCode;
  class: ProblemClass;
  /** How often it was seen, if it occurs again and again. */
  failures?: number;
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
  /** In an error: the end of the log of a container that has failed. */
  log?: string;
}

/** An event of an operation. Each is sent as a `status` packet. */
export interface Progress {
  step: StepName;
  state: StepState;
  /** RFC 3339 in UTC with milliseconds. */
  time: string;
  /** Outcome of the step, or the reason for its failure. */
  message?: string;
  /** During a wait: at first all resources, then those whose status or reason has changed. */
  resources?: ResourceStatus[];
  /** The state of resources that a wait has failed for. */
  evidence?: Evidence;
}
