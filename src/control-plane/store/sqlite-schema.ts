import type { DatabaseSync } from 'node:sqlite';

/** Says that a file belongs to a control plane: `hlma` in ASCII. */
const applicationId = 0x68_6c_6d_61;

/** The statements that lead from each version of the schema to the next one. */
const migrations = [
  `
  CREATE TABLE commands (
    position INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    agent_id TEXT NOT NULL,
    type TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    state TEXT NOT NULL,
    instance_id TEXT,
    payload TEXT,
    is_durable INTEGER NOT NULL,
    is_connected INTEGER NOT NULL,
    expires_at INTEGER,
    last_event INTEGER NOT NULL,
    last_status INTEGER NOT NULL,
    last_evidence INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    result_number INTEGER,
    ended_at INTEGER,
    is_delivered INTEGER
  ) STRICT;
  CREATE TABLE events (
    command INTEGER NOT NULL REFERENCES commands (position) ON DELETE CASCADE,
    id INTEGER NOT NULL,
    type TEXT NOT NULL,
    payload TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (command, id)
  ) STRICT;
  CREATE TABLE agents (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  `,
  'ALTER TABLE commands ADD COLUMN chart TEXT;',
  `
  ALTER TABLE commands ADD COLUMN sent_by TEXT;
  ALTER TABLE agents ADD COLUMN last_seen INTEGER;
  ALTER TABLE agents ADD COLUMN version TEXT;
  `,
  'ALTER TABLE commands ADD COLUMN lost_processes TEXT;',
  `
  CREATE TABLE entries (
    collection TEXT NOT NULL,
    id TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (collection, id)
  ) STRICT, WITHOUT ROWID;
  `,
  'ALTER TABLE commands ADD COLUMN traceparent TEXT;',
  `
  ALTER TABLE commands ADD COLUMN namespace TEXT;
  ALTER TABLE commands ADD COLUMN release_name TEXT;
  ALTER TABLE commands ADD COLUMN created_at INTEGER;
  `,
  'CREATE TABLE audit (number INTEGER PRIMARY KEY, at INTEGER NOT NULL, line TEXT NOT NULL) STRICT;',
  'ALTER TABLE commands ADD COLUMN envelope TEXT;',
  'ALTER TABLE commands ADD COLUMN outcome TEXT;',
  '-- payloads can be entries, which earlier versions do not read',
];

/** Brings a file to the newest schema. Throws if it is newer, or not that of a control plane. */
export function migrate(database: DatabaseSync): void {
  const { application_id: application, user_version: version } = pragmasOf(database);
  const { count } = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get() ?? {};
  if (application !== applicationId && count !== 0) throw new Error('it is the database of another program');
  if (version > migrations.length) {
    throw new Error(`it was written by a newer version of helm-agent (schema ${version}, not ${migrations.length})`);
  }
  database.exec(`PRAGMA application_id = ${applicationId}`);
  for (const statements of migrations.slice(version)) database.exec(statements);
  database.exec(`PRAGMA user_version = ${migrations.length}`);
}

function pragmasOf(database: DatabaseSync) {
  const read = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0);
  return { application_id: read('application_id'), user_version: read('user_version') };
}
