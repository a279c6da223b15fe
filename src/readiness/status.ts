import type { KubeObject } from '../objects/object.ts';

/** kstatus's words for what a live object can be; `NotFound` and `Unknown` are said of objects that cannot be looked at. */
type ReadinessStatus = 'InProgress' | 'Failed' | 'Current' | 'Terminating';

export interface Readiness {
  status: ReadinessStatus;
  /** Why, in kstatus's words. */
  message: string;
}

export interface ReadinessOptions {
  /** Milliseconds since the Unix epoch. */
  now: number;
  /** Kinds that must have run to their end: a Job, or a Pod of a hook. By kstatus alone a Job is current once it has started. */
  toCompletion?: readonly ('Job' | 'Pod')[];
}

/** What a kind's status says. */
export type ReadinessRule = (object: KubeObject, options: ReadinessOptions) => Readiness;

export const current = (message: string): Readiness => ({ status: 'Current', message });
export const inProgress = (message: string): Readiness => ({ status: 'InProgress', message });
export const failed = (message: string): Readiness => ({ status: 'Failed', message });
