import type { Evidence } from './evidence/evidence.ts';
import type { LogLines } from './logs/log-lines.ts';
import type { ResourceStatus } from './resource-status.ts';

export type { ResourceProblem, ResourceStatus, ResourceStatusName } from './resource-status.ts';

/**
 * Steps of operations. `queue` is the wait for other operations. `rollback` and `uninstall` undo a
 * failed operation.
 */
export type StepName =
  | 'queue'
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
  | 'watch'
  | 'finish'
  | 'rollback'
  | 'uninstall';

export type StepState = 'running' | 'done' | 'failed' | 'skipped';

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
  /**
   * When the operation ends if it takes as long as the one that deployed the revision before, RFC
   * 3339.
   */
  estimate?: string;
  /** The state of resources that a wait has failed for. */
  evidence?: Evidence;
  /** Lines of a log, if the request asks for them. */
  log?: LogLines;
}
