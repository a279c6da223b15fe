import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import * as z from 'zod';
import {
  type AgentSighting,
  type AuditPage,
  type AuditRecord,
  backupEntry,
  type StoreContents,
} from './command-store.ts';
import type { StoredBatch, StoredEvent } from './sqlite-messages.ts';
import { columns, recordOf } from './sqlite-rows.ts';
import { migrate } from './sqlite-schema.ts';

/** Time for a control plane that is stopping to release the file, in milliseconds. */
const lockTimeoutMs = 5000;

/** A SQLite file, used in the thread that calls it. */
export interface SqliteDatabase {
  contents(): StoreContents;
  write(batch: StoredBatch): void;
  events(key: string): StoredEvent[];
  audit(page: AuditPage): AuditRecord[];
  /** Copies everything to a new file that only this user can read. Throws if there is a file. */
  backup(path: string): void;
  /** Overwrites the log of changes, which still has what was deleted since the last call. */
  checkpoint(): void;
  close(): void;
}

/** Opens or creates a file that only this user can read, and locks it. */
export function openDatabase(path: string): SqliteDatabase {
  createPrivately(path);
  const database = new DatabaseSync(path, { timeout: lockTimeoutMs });
  try {
    // FULL: what is stored survives a power failure, too
    database.exec(`
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA secure_delete = ON;
      PRAGMA foreign_keys = ON;
    `);
    transaction(database, () => migrate(database));
    return operations(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** SQLite gives its log the mode of the file. */
function createPrivately(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
}

function transaction(database: DatabaseSync, change: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    change();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function operations(database: DatabaseSync): SqliteDatabase {
  const updates = columns.slice(1).map((column) => `${column} = excluded.${column}`);
  const putCommand = database.prepare(
    `INSERT INTO commands (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
     ON CONFLICT (key) DO UPDATE SET ${updates.join(', ')}`,
  );
  const position = '(SELECT position FROM commands WHERE key = ?)';
  const putEvent = database.prepare(
    `INSERT OR REPLACE INTO events (command, id, type, payload, bytes)
     SELECT position, ?, ?, ?, ? FROM commands WHERE key = ?`,
  );
  const trim = database.prepare(`DELETE FROM events WHERE command = ${position} AND id < ?`);
  const forget = database.prepare('DELETE FROM commands WHERE key = ?');
  const putAgent = database.prepare('INSERT OR IGNORE INTO agents (id) VALUES (?)');
  const forgetAgent = database.prepare('DELETE FROM agents WHERE id = ?');
  const allCommands = database.prepare('SELECT * FROM commands ORDER BY position');
  const putSighting = database.prepare('UPDATE agents SET last_seen = ?, version = ? WHERE id = ?');
  const allAgents = database.prepare('SELECT id, last_seen, version FROM agents');
  const putEntry = database.prepare('INSERT OR REPLACE INTO entries (collection, id, text) VALUES (?, ?, ?)');
  const deleteEntry = database.prepare('DELETE FROM entries WHERE collection = ? AND id = ?');
  const allEntries = database.prepare('SELECT collection, id, text FROM entries');
  const allEvents = database.prepare(
    `SELECT id, type, payload, bytes FROM events WHERE command = ${position} ORDER BY id`,
  );
  const putAudit = database.prepare('INSERT INTO audit (number, at, line) VALUES (?, ?, ?)');
  const deleteAudit = database.prepare(
    'DELETE FROM audit WHERE number <= ? OR number < (SELECT number FROM audit WHERE at >= ? ORDER BY number LIMIT 1)',
  );
  const pageOfAudit = database.prepare(
    'SELECT number, at, line FROM audit WHERE number > ? AND at >= ? ORDER BY number LIMIT ?',
  );
  const newestAudit = database.prepare('SELECT number, at, line FROM audit ORDER BY number DESC LIMIT 1');
  return {
    contents() {
      const [lastAudit] = newestAudit.all().map((row) => auditSchema.parse(row));
      const agents = allAgents.all();
      const sightings = agents.flatMap(sightingOf);
      const entries = allEntries.all().map((row) => entrySchema.parse(row));
      return {
        commands: allCommands.all().map(recordOf),
        agents: agents.map(({ id }) => String(id)),
        ...(sightings.length > 0 && { sightings }),
        ...(entries.length > 0 && { entries }),
        ...(lastAudit && { lastAudit }),
      };
    },
    write(batch) {
      transaction(database, () => {
        for (const row of batch.commands) putCommand.run(...row);
        for (const { key, id, type, payload, bytes } of batch.events) putEvent.run(id, type, payload, bytes, key);
        for (const { key, first } of batch.trims) trim.run(key, first);
        for (const key of batch.forgotten) forget.run(key);
        for (const agentId of batch.agents) putAgent.run(agentId);
        for (const { agentId, lastSeen, version } of batch.sightings ?? []) putSighting.run(lastSeen, version, agentId);
        for (const agentId of batch.forgottenAgents) forgetAgent.run(agentId);
        for (const { collection, id, text } of batch.entries ?? []) {
          if (text === undefined) deleteEntry.run(collection, id);
          else putEntry.run(collection, id, text);
        }
        for (const { number, at, line } of batch.audit ?? []) putAudit.run(number, at, line);
        if (batch.oldAudit) deleteAudit.run(batch.oldAudit.upTo, batch.oldAudit.before);
      });
    },
    events: (key) => allEvents.all(key).map((row) => eventSchema.parse(row)),
    audit: ({ after, since, max }) => pageOfAudit.all(after, since, max).map((row) => auditSchema.parse(row)),
    backup(path) {
      closeSync(openSync(path, 'wx', 0o600));
      database.prepare('VACUUM INTO ?').run(path); // without what was deleted
      const copy = new DatabaseSync(path);
      try {
        const { collection, id } = backupEntry;
        const text = JSON.stringify({ at: new Date().toISOString() });
        copy
          .prepare('INSERT OR REPLACE INTO entries (collection, id, text) VALUES (?, ?, ?)')
          .run(collection, id, text);
      } finally {
        copy.close();
      }
    },
    checkpoint: () => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
    close: () => database.close(),
  };
}

const eventSchema = z.object({ id: z.number(), type: z.string(), payload: z.string(), bytes: z.number() });

const auditSchema = z.object({ number: z.number(), at: z.number(), line: z.string() });

const entrySchema = z.object({ collection: z.string(), id: z.string(), text: z.string() });

/** Returns nothing for an agent that an earlier version has stored. */
function sightingOf({ id, last_seen: lastSeen, version }: Record<string, SQLOutputValue>): AgentSighting[] {
  return lastSeen === null ? [] : [{ agentId: String(id), lastSeen: Number(lastSeen), version: String(version) }];
}
