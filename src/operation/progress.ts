/** The steps of an operation, in the order in which an install takes them; `rollback` and `uninstall` compensate or stand alone. */
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
  | 'finish'
  | 'rollback'
  | 'uninstall';

export type StepState = 'running' | 'done' | 'failed' | 'skipped';

/** kstatus's words. */
export type ResourceStatusName = 'InProgress' | 'Failed' | 'Current' | 'Terminating' | 'NotFound' | 'Unknown';

export interface ResourceStatus {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
  status: ResourceStatusName;
  /** Why it is not ready, in words a person can act on: `ImagePullBackOff: Back-off pulling image "x"`. */
  reason?: string;
}

/** One thing that happened in an operation; each becomes a `status` packet. */
export interface Progress {
  step: StepName;
  state: StepState;
  /** RFC 3339 in UTC with milliseconds. */
  time: string;
  /** What the step did, or why it failed. */
  message?: string;
  /** While waiting: the resources whose status or reason changed since the last progress; the first time all that are waited for. */
  resources?: ResourceStatus[];
}
