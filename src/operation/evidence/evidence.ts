import type { ResourceStatus } from '../resource-status.ts';

/** State of the resources that a failed wait was waiting for, before anything is undone. */
export interface Evidence {
  resources: readonly ResourceEvidence[];
}

export interface ResourceEvidence extends ResourceStatus {
  conditions: readonly ConditionEvidence[];
  /** The last events of the resource and its pods, the newest last. */
  events: readonly EventEvidence[];
  /** Pods of the current revision that are not ready, the newest first. */
  pods: readonly PodEvidence[];
}

interface ConditionEvidence {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

export interface EventEvidence {
  /** RFC 3339. */
  time?: string;
  type: string;
  reason: string;
  message: string;
  count: number;
  /** `Pod/web-1`. */
  object: string;
}

export interface PodEvidence {
  name: string;
  phase: string;
  containers: readonly ContainerEvidence[];
}

export interface ContainerEvidence {
  name: string;
  image: string;
  /** `running`, or `waiting: CrashLoopBackOff`. */
  state: string;
  restarts: number;
  /** The end of the log. Absent if there is none. */
  log?: string;
  /** The end of the log of the run before. */
  previousLog?: string;
}
