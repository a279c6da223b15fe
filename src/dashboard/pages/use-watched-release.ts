import { useEffect, useState } from 'preact/hooks';
import { asError } from '../../errors/index.ts';
import type { ResourceProgress } from '../../protocol/progress.ts';
import { useApp } from '../parts/app-context.ts';
import type { ReleasePlace } from '../route/route.ts';
import type { Api } from '../server/api.ts';
import { CommandError, sendCommand } from '../server/command.ts';
import { addCommandEvent, type CommandEvent, newCommandView } from './command-events.ts';

export interface WatchedRelease {
  /** Undefined until the agent has sent the first ones. */
  readonly resources: readonly ResourceProgress[] | undefined;
  readonly error: Error | undefined;
}

/** Time after which a watch ends by itself. */
const timeout = '15m';

/** Follows the resources of a release while the component is shown. */
export function useWatchedRelease({ agent, namespace, release: releaseName }: ReleasePlace): WatchedRelease {
  const { api } = useApp();
  const [watched, setWatched] = useState<WatchedRelease>({ resources: undefined, error: undefined });
  useEffect(() => {
    const gone = new AbortController();
    let sent: string | undefined;
    const watch = async () => {
      sent = await sendCommand(api, agent, 'watch_release', { namespace, releaseName, timeout });
      if (gone.signal.aborted) {
        await endWatch(api, agent, sent);
        return;
      }
      const view = newCommandView();
      const isLast = ({ type }: { type: string }) => type === 'result';
      const path = `/api/commands/${encodeURIComponent(sent)}/events`;
      for await (const event of api.events(path, { signal: gone.signal, isLast })) {
        // as docs/protocol.md lists them
        addCommandEvent(view, event as CommandEvent);
        if (view.progress.resources.size > 0 || view.result) {
          setWatched({ resources: [...view.progress.resources.values()], error: undefined });
        }
      }
      sent = undefined;
      if (view.result?.ok === false) throw new CommandError(view.result.error);
    };
    const watchOn = async () => {
      // one that succeeds has ended by its timeout, or was cancelled by someone
      while (!gone.signal.aborted) await watch();
    };
    setWatched({ resources: undefined, error: undefined });
    watchOn().catch((reason: unknown) => {
      if (gone.signal.aborted) return;
      const error = asError(reason);
      setWatched(({ resources }) => ({ resources, error }));
    });
    return () => {
      gone.abort();
      if (sent !== undefined) void endWatch(api, agent, sent);
    };
  }, [agent, namespace, releaseName]);
  return watched;
}

/** Ends a watch. One that cannot be ended now ends by its timeout. */
async function endWatch(api: Api, agent: string, key: string): Promise<void> {
  await sendCommand(api, agent, 'cancel_command', { key }).catch(() => undefined);
}
