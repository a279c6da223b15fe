import type { CommandParameters } from '../../protocol/commands/index.ts';
import type { Result } from '../../protocol/messages.ts';
import { type Api, ApiError } from './api.ts';
import { CommandError, sendCommand } from './command.ts';
import { readLogRecords } from './log-records.ts';
import { type LogPart, LogTexts } from './log-texts.ts';
import { pause } from './pause.ts';

export interface FollowLogsOptions {
  signal: AbortSignal;
  /** Called when a log begins or continues, and when the connection is lost. */
  onConnected: (isConnected: boolean) => void;
  /** Pauses before logs are continued, in milliseconds. Default: 500 to 5000. */
  pauses?: { firstMs: number; longestMs: number };
}

type LogOptions = CommandParameters['pod_logs'];

/** The most containers whose place is kept. */
const maxCursors = 10_000;

/**
 * Yields the logs of pods, and continues them after a lost connection. Ends when the agent ends
 * them. Rejects with `CommandError`, with `ApiError` and with the reason of the signal.
 */
export async function* followLogs(
  api: Api,
  { agentId, options }: { agentId: string; options: LogOptions },
  { signal, onConnected, pauses = { firstMs: 500, longestMs: 5000 } }: FollowLogsOptions,
): AsyncGenerator<LogPart> {
  const cursors = new Map<string, object>();
  const texts = new LogTexts();
  for (let failures = 0; ; failures++) {
    try {
      // cursors are sent back as they came
      const continued = { ...options, ...(cursors.size > 0 && { cursors: [...cursors.values()] }) } as LogOptions;
      const key = await sendCommand(api, agentId, 'pod_logs', continued);
      for await (const { cursor, notice, bytes } of readLogRecords(streamOf(api, key, { signal, onConnected }))) {
        failures = 0;
        if (notice !== undefined) yield { lines: [notice] };
        if (!cursor) continue;
        const source = `${cursor.pod}/${cursor.container}`;
        if (cursors.size < maxCursors || cursors.has(source)) cursors.set(source, cursor);
        yield* texts.add({ cursor, bytes });
      }
      const result = await resultOf(api, key, signal);
      if (!result.ok) throw new CommandError(result.error);
      yield* texts.end();
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (!isTemporary(error, cursors.size > 0)) throw error;
    }
    onConnected(false);
    await pause(Math.min(pauses.longestMs, pauses.firstMs * 2 ** failures), signal);
  }
}

/** Yields the bytes of the stream of a command; none if the command has ended without a stream. */
async function* streamOf(
  api: Api,
  key: string,
  { signal, onConnected }: Pick<FollowLogsOptions, 'signal' | 'onConnected'>,
): AsyncGenerator<Uint8Array> {
  try {
    const chunks = await api.bytes(`/api/commands/${encodeURIComponent(key)}/stream`, signal);
    onConnected(true);
    yield* chunks;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'stream_ended') throw error;
  }
}

async function resultOf(api: Api, key: string, signal: AbortSignal): Promise<Result> {
  const isLast = ({ type }: { type: string }) => type === 'result';
  const path = `/api/commands/${encodeURIComponent(key)}/events`;
  // the control plane has validated it
  for await (const { type, payload } of api.events(path, { signal, isLast }))
    if (type === 'result') return payload as Result;
  throw new Error('the command has ended without a result');
}

/** Failures of the way to the agent, after which the log continues. */
const temporary: ReadonlySet<string> = new Set([
  'stream_lost',
  'shutting_down',
  'agent_restarted',
  'agent_not_connected',
]);

function isTemporary(error: unknown, hasBegun: boolean): boolean {
  if (!hasBegun) return false;
  if (error instanceof ApiError) return error.status >= 500 || temporary.has(error.code);
  if (error instanceof CommandError) return temporary.has(error.failure.code);
  // a connection that was cut
  return error instanceof TypeError || (error instanceof DOMException && error.name === 'NetworkError');
}
