import type { Hook, HookEvent, HookExecution } from '../../release/hook.ts';
import type { Release } from '../../release/release.ts';
import type { SeenObject } from '../apply/seen-object.ts';

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

/** Policy of a hook without one. */
const defaultPolicy = 'before-hook-creation';

/** Returns the policies of a hook. The default is Helm's. */
export function policiesOf({ delete_policies: policies = [] }: Hook): readonly string[] {
  return policies.length === 0 ? [defaultPolicy] : policies;
}

/** Returns a release with the last runs of its hooks, and, as Helm stores them, their policies. */
export function withHookRuns(release: Release, runs: readonly HookRun[]): Release {
  if (runs.length === 0) return release;
  const lastRuns = new Map(runs.map((run) => [run.hook, run]));
  const hooks = (release.hooks ?? []).map((hook, index) => {
    const run = lastRuns.get(index);
    return run === undefined ? hook : { ...hook, last_run: run.execution, delete_policies: [...policiesOf(hook)] };
  });
  return { ...release, hooks };
}
