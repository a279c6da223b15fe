// The thread of a SQLite store: its calls write and read the file, and wait for the disk.
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase, type SqliteDatabase } from './sqlite-database.ts';
import type { SqliteCalls, SqliteReply, SqliteRequest } from './sqlite-messages.ts';

/** Time without changes after which what was deleted is also deleted from the log of changes. */
const quietMs = 1000;

const { path } = workerData as { path: string }; // from sqlite-store.ts
let database: SqliteDatabase | undefined;
let quiet: NodeJS.Timeout | undefined;

function perform(request: SqliteRequest): SqliteCalls[keyof SqliteCalls]['result'] {
  if (request.call === 'open') return (database = openDatabase(path)).contents();
  if (!database) throw new Error('the file is not open');
  switch (request.call) {
    case 'write': {
      database.write(request.argument);
      clearTimeout(quiet);
      quiet = setTimeout(() => database?.checkpoint(), quietMs);
      return undefined;
    }
    case 'events': {
      return database.events(request.argument);
    }
    case 'audit': {
      return database.audit(request.argument);
    }
    case 'backup': {
      database.backup(request.argument);
      return undefined;
    }
    case 'close': {
      clearTimeout(quiet);
      database.close();
      database = undefined;
      return undefined;
    }
  }
}

function reply(request: SqliteRequest): SqliteReply {
  try {
    return { ok: true, result: perform(request) };
  } catch (error) {
    return { ok: false, message: problemOf(error) };
  }
}

/** By the primary result codes of SQLite. */
const problems: Readonly<Record<number, string>> = {
  5: 'another process uses it',
  8: 'it cannot be written',
  11: 'it is damaged',
  13: 'the disk is full',
  14: 'it cannot be opened',
  26: 'it is not a SQLite database',
};

function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : -1;
  return problems[code] ?? error.message;
}

const port = parentPort;
port?.on('message', (request: SqliteRequest) => {
  port.postMessage(reply(request));
  if (request.call === 'close') port.close();
});
