import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ControlPlaneError } from '../error.ts';
import type { CommandStore, EventRecord } from './command-store.ts';
import { retentionOf, type RetentionOptions } from './retention.ts';
import type { SqliteCalls, SqliteReply, StoredEvent } from './sqlite-messages.ts';
import { rowOf } from './sqlite-rows.ts';

/**
 * Keeps commands in a SQLite file. Default of `retention`: those that have ended for 7 days, at
 * most the last 10,000, and of them those whose packets have 512 MiB together. Only this user can
 * read the file, which is created if it does not exist. Its reads and writes run in a thread. The
 * methods reject with `ControlPlaneError` `store_unavailable`.
 */
export function createSqliteStore(
  path: string,
  { retention }: { retention?: RetentionOptions | undefined } = {},
): CommandStore {
  let thread: SqliteThread | undefined;
  let isCopying = false;
  const opened = () => {
    if (!thread) throw unavailable(path, 'it is not open');
    return thread;
  };
  return {
    retention: retentionOf(retention),
    async open() {
      const starting = startThread(path);
      try {
        const contents = await starting.call('open', undefined);
        thread = starting;
        return contents;
      } catch (error) {
        await starting.end();
        throw error;
      }
    },
    async write({ commands, events, ...batch }) {
      const stored = events.map(({ key, event: { id, type, payload }, bytes }) => ({
        ...{ key, id, type, bytes },
        payload: JSON.stringify(payload),
      }));
      await opened().call('write', { ...batch, commands: commands.map(rowOf), events: stored });
    },
    events: async (key) => (await opened().call('events', key)).map(eventOf),
    audit: async (page) => opened().call('audit', page),
    async backup() {
      if (isCopying) throw new ControlPlaneError('busy', 'another backup is being made; try again later');
      const copy = `${path}-backup`;
      isCopying = true;
      try {
        await rm(copy, { force: true }); // of a process that was killed
        await opened().call('backup', copy);
        return await open(copy);
      } finally {
        await rm(copy, { force: true });
        isCopying = false;
      }
    },
    async close() {
      const closing = thread;
      thread = undefined;
      try {
        await closing?.call('close', undefined);
      } finally {
        await closing?.end();
      }
    },
  };
}

/** The payloads of events are stored as they were validated. */
function eventOf({ id, type, payload, bytes }: StoredEvent): EventRecord {
  return { event: { id, type, payload: JSON.parse(payload) as unknown } as EventRecord['event'], bytes };
}

interface SqliteThread {
  call<Call extends keyof SqliteCalls>(
    call: Call,
    argument: SqliteCalls[Call]['argument'],
  ): Promise<SqliteCalls[Call]['result']>;
  /** Resolves when the thread has ended. */
  end(): Promise<void>;
}

function startThread(path: string): SqliteThread {
  // Node 24 had the module as an experiment first, with a warning
  const worker = new Worker(new URL(`./sqlite-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: { path },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const waiting: PromiseWithResolvers<unknown>[] = [];
  let isEnded = false;
  const onEnd = (reason: string) => {
    isEnded = true;
    for (const { reject } of waiting.splice(0)) reject(unavailable(path, reason));
  };
  worker.on('message', (reply: SqliteReply) => {
    const next = waiting.shift();
    if (reply.ok) next?.resolve(reply.result);
    else next?.reject(unavailable(path, reply.message));
  });
  worker.once('error', (error: Error) => onEnd(error.message));
  const ended = once(worker, 'exit').then(
    () => onEnd('its thread has ended'),
    () => undefined,
  );
  return {
    async call(call, argument) {
      if (isEnded) throw unavailable(path, 'its thread has ended');
      const reply = Promise.withResolvers<unknown>();
      waiting.push(reply);
      worker.postMessage({ call, argument });
      return (await reply.promise) as never; // replies are in the order of their calls
    },
    async end() {
      await worker.terminate();
      await ended;
    },
  };
}

function unavailable(path: string, reason: string): ControlPlaneError {
  return new ControlPlaneError('store_unavailable', `cannot use the file ${path} of the control plane: ${reason}`);
}
