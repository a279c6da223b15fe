import { useRef } from 'preact/hooks';
import type { CommandResult } from '../../protocol/messages.ts';
import { useApp } from '../parts/app-context.ts';

/** Returns the result of a command by its key, if it has ended. */
type LoadResult = (key: string, signal: AbortSignal) => Promise<CommandResult | undefined>;

/**
 * Returns a function that loads the results of commands that have ended, each once, because a
 * result does not change.
 */
export function useResults(): LoadResult {
  const { api } = useApp();
  const known = useRef(new Map<string, CommandResult | undefined>());
  return async (key, signal) => {
    const results = known.current;
    if (!results.has(key)) {
      const path = `/api/commands/${encodeURIComponent(key)}`;
      results.set(key, (await api.get<{ result?: CommandResult }>(path, signal)).result);
    }
    return results.get(key);
  };
}
