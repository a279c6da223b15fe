import { useEvents } from '../parts/use-events.ts';
import type { Loaded } from '../parts/use-loaded.ts';
import { type Query, queryText } from '../route/route.ts';
import type { EventReader } from '../server/events.ts';
import type { CommandPage, Rollout } from '../server/types.ts';
import { rolloutReader } from './rollout-reader.ts';

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
