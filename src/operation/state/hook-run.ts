import type { SeenObject } from '../apply/seen-object.ts';
import type { HookEvent, HookExecution } from '../../release/hook.ts';

/** An object of a hook that was applied. */
export interface AppliedObject extends SeenObject {
  /** Whether it did not exist before. */
  isNew: boolean;
}

/** A run of a hook at an event. */
export interface HookRun {
  event: HookEvent;
  /** Index of the hook in the revision. */
  hook: number;
  /** `applying` until all its objects are applied. */
  phase: 'applying' | 'waiting' | 'ended';
  execution: HookExecution;
  /** Time limit by the annotation of the hook, in milliseconds. Undefined without one. */
  timeout?: number;
  /** Generated names of its objects, by their place. Empty for an object with a name of its own. */
  names?: readonly string[];
  /** The uids of objects with its names that were there before. */
  before: readonly string[];
  applied: readonly AppliedObject[];
}
