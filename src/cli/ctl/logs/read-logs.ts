import { codeOf } from '../../../errors/index.ts';
import type { Result } from '../../../protocol/messages.ts';
import { type LogCursor, type LogRecord, readLogRecords } from '../../../protocol/streams/log-records.ts';
import type { ApiClient, CommandRequest } from '../api-client.ts';
import { ApiError } from '../api-request.ts';
import { resultOf } from '../follow.ts';
import { reconnection, type ReconnectionOptions } from '../reconnection.ts';

/** Most cursors that are kept, the newest ones. */
const maxCursors = 10_000;

/** How long a command that continues waits for its agent. */
const deliverAgain = '5m';

export interface ReadLogsOptions extends Pick<ReconnectionOptions, 'say' | 'signal' | 'retryMs'> {
  agent: string;
  payload: object;
  /** See `SendOptions` of the control plane. */
  deliverWithin?: string | false | undefined;
  /** Receives each record. The next one is read when it has resolved. */
  onRecord: (record: LogRecord) => Promise<void>;
}

/**
 * Reads logs until their end, and returns the result of the command. After a lost connection,
 * another command continues where the last record has ended. Rejects with `ApiError`, at once if
 * the first command cannot be sent, with what `onRecord` throws, and with the signal's reason.
 */
export async function readLogs(
  client: Pick<ApiClient, 'send' | 'events' | 'readStream'>,
  { agent, payload, deliverWithin, onRecord, ...options }: ReadLogsOptions,
): Promise<Result> {
  const cursors = new Map<string, LogCursor>();
  const { signal } = options;
  const { responds, pauseAfter } = reconnection({ ...options, hasResponded: false });
  for (let isSent = false; ;) {
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
      if (!isSent) responds();
      isSent = true;
      const records = readLogRecords(client.readStream(key, signal));
      failure = await readAll(records, async (record) => {
        responds();
        await onRecord(record);
        if (record.cursor) note(cursors, record.cursor);
      });
      if (failure === undefined || isEnded(failure)) {
        const result = await resultOf(client, key, options);
        if (result.ok || !isLost(result.error.code)) return result;
        failure = new ApiError(result.error.message, true);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ApiError && error.isTemporary)) throw error;
      failure = error;
    }
    if (!isQuiet(failure)) await pauseAfter(failure);
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

/** Whether the HTTP client has given up only because no line was written for some minutes. */
function isQuiet(failure: unknown): boolean {
  return failure instanceof Error && codeOf(failure.cause) === 'UND_ERR_BODY_TIMEOUT';
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
