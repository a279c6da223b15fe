import { useEffect, useState } from 'preact/hooks';
import { asError } from '../../errors/index.ts';
import type { CommandParameters } from '../../protocol/commands/index.ts';
import { useApp } from '../parts/app-context.ts';
import { oncePerFrame } from '../parts/once-per-frame.ts';
import { followLogs } from '../server/follow-logs.ts';
import { foreignName } from '../text/foreign-text.ts';

export interface LogLine {
  /** Counts the lines from 1. */
  readonly number: number;
  /** The pod and the container. Undefined: it is a notice. */
  readonly source?: string | undefined;
  readonly text: string;
}

export interface FollowedLog {
  /** The newest lines. */
  readonly lines: readonly LogLine[];
  readonly state: 'following' | 'ended' | 'failed';
  readonly isConnected: boolean;
  readonly error: Error | undefined;
}

/** The most lines that the page keeps. */
const maxLines = 2000;

/** Follows logs. Lines are drawn once for each frame of the screen. */
export function useLogs(agentId: string, options: CommandParameters['pod_logs']): FollowedLog {
  const { api } = useApp();
  const [log, setLog] = useState<FollowedLog>(() => beginning());
  useEffect(() => {
    const gone = new AbortController();
    let lines: LogLine[] = [];
    let count = 0;
    const change = (changes: Partial<FollowedLog>) => {
      if (!gone.signal.aborted) setLog((last) => ({ ...last, ...changes }));
    };
    const draw = oncePerFrame(() => {
      lines = lines.slice(-maxLines);
      change({ lines: [...lines] });
    });
    const follow = async () => {
      const onConnected = (isConnected: boolean) => change({ isConnected });
      const parts = followLogs(api, { agentId, options }, { signal: gone.signal, onConnected });
      for await (const { source, lines: added } of parts) {
        for (const line of added) {
          count += 1;
          lines.push({ number: count, source, text: source === undefined ? foreignName(line, 1000) : line });
        }
        if (lines.length > 2 * maxLines) lines = lines.slice(-maxLines);
        if (added.length > 0) draw();
      }
      change({ state: 'ended' });
    };
    setLog(beginning());
    follow().catch((reason: unknown) => change({ state: 'failed', error: asError(reason) }));
    return () => gone.abort();
  }, [agentId, JSON.stringify(options)]);
  return log;
}

function beginning(): FollowedLog {
  return { lines: [], state: 'following', isConnected: true, error: undefined };
}
