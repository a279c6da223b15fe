import type { KubeObject } from '../objects/object.ts';

/** Statuses of kstatus for an existing object. */
type ReadinessStatus = 'InProgress' | 'Failed' | 'Current' | 'Terminating';

export interface Readiness {
  status: ReadinessStatus;
  /** Message of kstatus. */
  message: string;
  /**
   * Milliseconds after which the status may be another one although the object has not changed.
   * Default: never.
   */
  changesIn?: number;
}

export interface ReadinessOptions {
  /** Milliseconds since the Unix epoch. */
  now: number;
  /**
   * Kinds that are current only after they have completed: Jobs, or Pods of hooks. In kstatus, a
   * Job is current as soon as it has started. Default: none.
   */
  toCompletion?: readonly ('Job' | 'Pod')[];
  /** Helm's strategy for waits. Default: `watcher`, with the rules of kstatus. */
  strategy?: WaitStrategy | undefined;
  /** Rules of the user. Default: none, but annotations count. */
  rules?: readonly OwnRule[];
}

export type WaitStrategy = 'watcher' | 'legacy';

/** A rule of a user for objects, in place of that of their kind. */
export interface OwnRule {
  /** `Widget`, or `example.com/Widget`. */
  kind: string;
  /** Default: all names. */
  name?: string | undefined;
  /** A condition as `kubectl wait --for` has it. */
  readyWhen: string;
  /** Default: never. */
  failedWhen?: string | undefined;
}

/** Returns the status of an object of one kind. */
export type ReadinessRule = (object: KubeObject, options: ReadinessOptions) => Readiness;

export const current = (message: string): Readiness => ({ status: 'Current', message });
export const inProgress = (message: string): Readiness => ({ status: 'InProgress', message });
export const failed = (message: string): Readiness => ({ status: 'Failed', message });
