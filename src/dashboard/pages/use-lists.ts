import { type EventReader, useEvents } from '../parts/use-events.ts';
import type { Loaded } from '../parts/use-loaded.ts';
import { type Query, queryText } from '../route/route.ts';
import type { CommandPage, Rollout } from '../server/types.ts';

/** Follows a page of the commands that are kept, by the query of `GET /api/commands`. */
export function useCommandPage(query: Query): Loaded<CommandPage> {
  return useEvents(`/api/command-events${queryText(query)}`, commandPageReader);
}

/** Follows the rollouts, the newest first. */
export function useRollouts(): Loaded<readonly Rollout[]> {
  return useEvents('/api/rollout-events', rolloutReader);
}

function commandPageReader(): EventReader<CommandPage> {
  let page: CommandPage | undefined;
  return {
    // each event has the whole page
    read: ({ payload }) => (page = payload as CommandPage),
    value: () => page,
  };
}

/** Returns a reader of the events of `Rollouts.listEvents`. Exported for its test. @public */
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
