import { setTimeout as sleep } from 'node:timers/promises';
import type { Result } from '../../../protocol/messages.ts';
import { type LogCursor, type LogRecord, readLogRecords } from '../../../protocol/streams/log-records.ts';
import { type ApiClient, ApiError, type CommandRequest } from '../api-client.ts';
import { resultOf } from '../follow.ts';
import { silentScreen } from '../screen.ts';

/** Most cursors that are kept, the newest ones. */
const maxCursors = 10_000;

/** Number of failures in a row after which reading ends, and the pause after each. */
const maxFailures = 30;
const defaultRetryMs = 1000;

/** How long a command that continues waits for its agent. */
const deliverAgain = '5m';

export interface ReadLogsOptions {
  agent: string;
  payload: object;
  /** See `SendOptions` of the control plane. */
  deliverWithin?: string | false | undefined;
  /** Receives each record. The next one is read when it has resolved. */
  onRecord: (record: LogRecord) => Promise<void>;
  /** Called when a connection is lost, once until the next record. */
  onLost: () => void;
  signal: AbortSignal;
  /** Pause in milliseconds after a failed attempt. Default: a second. */
  retryMs?: number;
}

/**
 * Reads logs until their end, and returns the result of the command. After a lost connection,
 * another command continues where the last record has ended. Rejects with `ApiError`, at once if
 * the first command cannot be sent, with what `onRecord` throws, and with the signal's reason.
 */
export async function readLogs(
  client: Pick<ApiClient, 'send' | 'events' | 'readStream'>,
  { agent, payload, deliverWithin, onRecord, onLost, signal, retryMs = defaultRetryMs }: ReadLogsOptions,
): Promise<Result> {
  const cursors = new Map<string, LogCursor>();
  let isSent = false;
  for (let failures = 0; ;) {
    let failure: unknown;
    try {
      const continues = cursors.size > 0;
      const request: CommandRequest = {
        type: 'pod_logs',
        payload: continues ? { ...payload, cursors: [...cursors.values()] } : payload,
      };
      const wait = deliverWithin ?? (continues ? deliverAgain : undefined);
      const { key } = await client.send(
        agent,
        { ...request, ...(wait !== undefined && { deliverWithin: wait }) },
        signal,
      );
      isSent = true;
      const records = readLogRecords(client.readStream(key, signal));
      failure = await readAll(records, async (record) => {
        failures = 0;
        await onRecord(record);
        if (record.cursor) note(cursors, record.cursor);
      });
      if (failure === undefined || isEnded(failure)) {
        const result = await resultOf(client, key, silentScreen, { signal, retryMs });
        if (result.ok || !isLost(result.error.code)) return result;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!isSent || !(error instanceof ApiError && error.isTemporary)) throw error;
      failure = error;
    }
    signal.throwIfAborted();
    if (++failures > maxFailures) throw failure;
    if (failures === 1) onLost();
    await sleep(retryMs, undefined, { signal });
  }
}

/** Passes all records on. Returns why they have broken off, if they have. */
async function readAll(
  records: AsyncGenerator<LogRecord, void, undefined>,
  onRecord: (record: LogRecord) => Promise<void>,
): Promise<unknown> {
  for (;;) {
    let next: IteratorResult<LogRecord, void>;
    try {
      next = await records.next();
    } catch (error) {
      return error;
    }
    if (next.done === true) return undefined;
    await onRecord(next.value);
  }
}

/** Whether the control plane says that the command has a result. */
function isEnded(error: unknown): boolean {
  return error instanceof ApiError && !error.isTemporary;
}

/** Whether the end of a command comes from a connection, and not from the logs. */
function isLost(code: string): boolean {
  return ['stream_lost', 'shutting_down', 'disconnected', 'unreachable'].includes(code);
}

function note(cursors: Map<string, LogCursor>, cursor: LogCursor): void {
  const key = JSON.stringify([cursor.uid, cursor.container]);
  cursors.delete(key);
  cursors.set(key, cursor);
  const [oldest] = cursors.keys();
  if (cursors.size > maxCursors && oldest !== undefined) cursors.delete(oldest);
}
