import type { EventReader } from '../server/events.ts';
import type { Rollout } from '../server/types.ts';

/** Returns a reader of the events of `Rollouts.listEvents`. */
export function rolloutReader(): EventReader<readonly Rollout[]> {
  const all = new Map<string, Rollout>();
  let isReady = false;
  return {
    read({ type, payload }) {
      const { rollouts = [], ids = [] } = payload as { rollouts?: Rollout[]; ids?: string[] };
      if (type === 'ready') isReady = true;
      for (const rollout of rollouts) {
        // another rollout with the id is a newer one
        if (all.get(rollout.id)?.createdAt !== rollout.createdAt) all.delete(rollout.id);
        all.set(rollout.id, rollout);
      }
      for (const id of ids) all.delete(id);
    },
    value: () => (isReady ? [...all.values()].reverse() : undefined),
  };
}
