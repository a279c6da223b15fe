import type { ObjectRef } from '../objects/object.ts';
import type { Drift } from '../protocol/drift.ts';
import type { ObjectChange } from '../protocol/object-change.ts';
import type { HookEvent } from '../release/hook.ts';
import type { Evidence } from './evidence/evidence.ts';
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
  /** Objects that are followed, those that have changed. */
  objects?: ObjectChange[];
  /** Objects of a release that differ from its manifest, those that have changed. */
  drift?: Drift[];
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

/** A container whose log is followed. */
export interface LogSource {
  /** The Job or Pod. */
  resource: ObjectRef;
  /** Event of the hook. Undefined if the resource is not a hook. */
  event?: HookEvent | undefined;
  pod: string;
  container: string;
}

/** Lines that a container has written while an operation waited for it. */
export interface LogLines extends LogSource {
  lines: readonly string[];
  /** The part that was left out after these lines, because it is too much. Default: none. */
  omitted?: { lines: number; bytes: number };
  /** Whether the operation reports no more lines, because it has reported too many. */
  isFull?: boolean;
}
