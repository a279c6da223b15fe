import type { Host } from '../../../go/host.ts';
import type { Hook, HookEvent } from '../../../release/hook.ts';
import { formatTime } from '../../../release/time.ts';
import type { HookRun } from '../../state/hook-run.ts';
import { type OperationState, revisionOf, withRevision } from '../../state/operation-state.ts';

/** Returns the runs of an event in the order in which they started. */
export function runsOf(state: OperationState, event: HookEvent): HookRun[] {
  return revisionOf(state).hooks.filter((run) => run.event === event);
}

/** Returns the run of a hook at an event, which is undefined before it starts. */
export function runOf(state: OperationState, event: HookEvent, hook: number): HookRun | undefined {
  return revisionOf(state).hooks.findLast((run) => run.event === event && run.hook === hook);
}

/** Returns the state with a new run, or with a changed one in its place. */
export function withRun(state: OperationState, run: HookRun): OperationState {
  const { hooks } = revisionOf(state);
  const place = hooks.findLastIndex(({ event, hook }) => event === run.event && hook === run.hook);
  return withRevision(state, { hooks: place === -1 ? [...hooks, run] : hooks.with(place, run) });
}

/**
 * Whether an object of a hook may be gone when it is looked for, because it is deleted by its time
 * to live.
 */
export function mayVanish({ manifest }: Hook): boolean {
  return manifest.includes('ttlSecondsAfterFinished');
}

/** Returns a run that has ended now. */
export function endedRun(host: Host, run: HookRun, phase: 'Succeeded' | 'Failed'): HookRun {
  const completed = formatTime(host.now());
  return { ...run, phase: 'ended', execution: { ...run.execution, completed_at: completed, phase } };
}
