import { sleep } from '../../async/index.ts';
import type { Rollout } from './rollout.ts';
import type { RolloutRunner } from './rollout-runner.ts';
import { type RolloutView, rolloutView } from './rollout-view.ts';

/** An event of all rollouts. `ready` comes when all of them were sent. */
export type RolloutListEvent =
  | { readonly id: number; readonly type: 'rollouts'; readonly payload: { readonly rollouts: readonly RolloutView[] } }
  | { readonly id: number; readonly type: 'forgotten'; readonly payload: { readonly ids: readonly string[] } }
  | { readonly id: number; readonly type: 'ready'; readonly payload: Record<string, never> };

/** Time between two looks at all rollouts, in milliseconds. */
const listPauseMs = 250;

/** Number of rollouts in an event. */
const chunkLength = 20;

type Runner = Pick<RolloutRunner, 'version' | 'rollout'>;

/**
 * Returns the rollouts that a user may see, the oldest first, and those that change or that the
 * user does not see any more, until the signal aborts.
 */
export async function* rolloutListEvents(
  runners: ReadonlyMap<string, Runner>,
  isSeen: (rollout: Rollout) => boolean,
  signal: AbortSignal,
): AsyncGenerator<RolloutListEvent> {
  const looked = new Map<string, { runner: Runner; version: number }>();
  const sent = new Set<string>();
  let isReady = false;
  for (let id = 1; !signal.aborted; id++) {
    const changed: RolloutView[] = [];
    const gone = [...sent].filter((rolloutId) => !runners.has(rolloutId));
    for (const [rolloutId, runner] of runners) {
      const { version, rollout } = runner;
      const last = looked.get(rolloutId);
      if (last?.runner === runner && last.version === version) continue;
      looked.set(rolloutId, { runner, version });
      if (isSeen(rollout)) changed.push(rolloutView(rollout));
      else if (sent.has(rolloutId)) gone.push(rolloutId);
    }
    for (const rolloutId of gone) sent.delete(rolloutId);
    if (gone.length > 0) yield { id, type: 'forgotten', payload: { ids: gone } };
    for (let start = 0; start < changed.length; start += chunkLength) {
      const rollouts = changed.slice(start, start + chunkLength);
      for (const view of rollouts) sent.add(view.id);
      yield { id, type: 'rollouts', payload: { rollouts } };
    }
    if (!isReady) yield { id, type: 'ready', payload: {} };
    isReady = true;
    for (const rolloutId of looked.keys()) if (!runners.has(rolloutId)) looked.delete(rolloutId);
    await sleep(listPauseMs, signal).catch(() => undefined);
  }
}
