import type { Hook } from '../../release/hook.ts';
import type { Release } from '../../release/release.ts';
import type { HookRun } from './hook-run.ts';

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
