import { useEffect, useState } from 'preact/hooks';
import { asError } from '../../errors/index.ts';
import type { EventReader } from '../server/events.ts';
import { useApp } from './app-context.ts';
import { oncePerFrame } from './once-per-frame.ts';
import type { Loaded } from './use-loaded.ts';
import { useVisible } from './use-visible.ts';

/**
 * Follows a stream of events while the page is shown, because browsers open only six connections to
 * a server over HTTP/1.1, for all tabs. The value is drawn once for each frame of the screen. A
 * stream that is opened again begins with all of it; until then, the last value is shown, and if it
 * was cut off, the page says that the control plane is not reachable.
 */
export function useEvents<Value>(path: string, newReader: () => EventReader<Value>): Loaded<Value> {
  const { api, lostStreams } = useApp();
  const isVisible = useVisible();
  const [round, setRound] = useState(0);
  const [state, setState] = useState<{ path: string; value?: Value | undefined; error?: Error }>({ path });
  useEffect(() => {
    if (!isVisible) return undefined;
    const gone = new AbortController();
    let reader = newReader();
    const draw = oncePerFrame(() => {
      const value = reader.value();
      if (!gone.signal.aborted && value !== undefined) setState({ path, value });
    });
    let isLost = false;
    const setLost = (isLostNow: boolean) => {
      if (isLostNow !== isLost) lostStreams.value += isLostNow ? 1 : -1;
      isLost = isLostNow;
    };
    const follow = async () => {
      const onConnected = (isConnected: boolean) => {
        setLost(!isConnected);
        if (isConnected) reader = newReader();
      };
      for await (const event of api.events(path, { signal: gone.signal, onConnected })) {
        reader.read(event);
        draw();
      }
    };
    follow().catch((reason: unknown) => {
      if (gone.signal.aborted) return;
      setLost(false);
      const error = asError(reason);
      setState((last) => ({ path, ...(last.path === path && { value: last.value }), error }));
    });
    return () => {
      gone.abort();
      setLost(false);
    };
  }, [path, round, isVisible]);
  // the value of another path is not shown
  const { value, error } = state.path === path ? state : {};
  return { value, error, isLoading: value === undefined, reload: () => setRound((last) => last + 1) };
}
