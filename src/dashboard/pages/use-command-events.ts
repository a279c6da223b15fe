import { useEffect, useState } from 'preact/hooks';
import { asError } from '../../errors/index.ts';
import { useApp } from '../parts/app-context.ts';
import { oncePerFrame } from '../parts/once-per-frame.ts';
import { addCommandEvent, type CommandEvent, type CommandView, newCommandView } from './command-events.ts';

export interface FollowedCommand {
  readonly view: CommandView;
  /** Whether the control plane sends events now. */
  readonly isConnected: boolean;
  readonly error: Error | undefined;
}

/** Follows the events of a command. They are drawn once for each frame of the screen. */
export function useCommandEvents(key: string): FollowedCommand {
  const { api } = useApp();
  const [followed, setFollowed] = useState<FollowedCommand>(() => beginning());
  useEffect(() => {
    const gone = new AbortController();
    const view = newCommandView();
    const change = (changes: Partial<FollowedCommand> = {}) => setFollowed((last) => ({ ...last, ...changes, view }));
    const draw = oncePerFrame(() => {
      if (!gone.signal.aborted) change();
    });
    const follow = async () => {
      const isLast = ({ type }: { type: string }) => type === 'result';
      const onConnected = (isConnected: boolean) => change({ isConnected });
      const path = `/api/commands/${encodeURIComponent(key)}/events`;
      for await (const event of api.events(path, { signal: gone.signal, isLast, onConnected })) {
        // as docs/protocol.md lists them
        addCommandEvent(view, event as CommandEvent);
        draw();
      }
    };
    setFollowed(beginning());
    follow().catch((error: unknown) => {
      if (!gone.signal.aborted) change({ error: asError(error) });
    });
    return () => gone.abort();
  }, [key]);
  return followed;
}

function beginning(): FollowedCommand {
  return { view: newCommandView(), isConnected: true, error: undefined };
}
