import type { Client } from 'pg';
import { backupEntry } from './command-store.ts';

interface Migration {
  readonly statements: string;
  /** The oldest version of the schema whose programs can use this one. */
  readonly worksSince: number;
}

/**
 * Each brings the schema to the next version, from 1. A migration that programs of the version
 * before survive keeps their `worksSince`, so that an upgrade can be undone.
 */
const migrations: readonly Migration[] = [
  {
    worksSince: 1,
    statements: `
      CREATE TABLE helm_agent.leader (
        only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
        epoch bigint NOT NULL,
        batch bigint NOT NULL
      ) WITH (fillfactor = 50);
      INSERT INTO helm_agent.leader (epoch, batch) VALUES (0, 0);
      CREATE TABLE helm_agent.commands (
        position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        key text NOT NULL UNIQUE,
        agent_id text NOT NULL,
        state text NOT NULL,
        record text NOT NULL
      );
      CREATE TABLE helm_agent.events (
        command bigint NOT NULL REFERENCES helm_agent.commands (position) ON DELETE CASCADE,
        id bigint NOT NULL,
        type text NOT NULL,
        payload text NOT NULL,
        bytes bigint NOT NULL,
        PRIMARY KEY (command, id)
      );
      CREATE TABLE helm_agent.agents (id text PRIMARY KEY, last_seen bigint, version text);
      CREATE TABLE helm_agent.entries (
        collection text NOT NULL,
        id text NOT NULL,
        text text NOT NULL,
        PRIMARY KEY (collection, id)
      );
      CREATE TABLE helm_agent.audit (number bigint PRIMARY KEY, at bigint NOT NULL, line text NOT NULL);
    `,
  },
  // earlier versions would send the name of a payload in its place
  { worksSince: 2, statements: '-- payloads can be entries' },
];

/** The oldest version of PostgreSQL, as `server_version_num`: it ends sessions that are idle. */
const oldestServer = 140_000;

/** Throws if the server is older than what a control plane needs. */
export async function requireServerVersion(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: string; name: string }>(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS name`,
  );
  const [server] = rows;
  if (Number(server?.number) >= oldestServer) return;
  throw new Error(`it runs PostgreSQL ${server?.name ?? ''}; a control plane needs 14 or newer`);
}

/**
 * Brings a database to the newest schema, or leaves one of a newer version that still works with
 * this one. Throws if it does not. Only called by the leader.
 */
export async function migrate(client: Client): Promise<void> {
  await client.query('BEGIN');
  try {
    const { rows: schemas } = await client.query(`SELECT FROM pg_namespace WHERE nspname = 'helm_agent'`);
    if (schemas.length === 0) await client.query('CREATE SCHEMA helm_agent');
    await client.query(`
      CREATE TABLE IF NOT EXISTS helm_agent.migrations (
        version integer PRIMARY KEY,
        works_since integer NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now()
      )`);
    const { rows } = await client.query<{ version: number | null; works_since: number | null }>(
      'SELECT max(version) AS version, max(works_since) AS works_since FROM helm_agent.migrations',
    );
    const { version, works_since: worksSince } = rows[0] ?? {};
    if ((worksSince ?? 0) > migrations.length) {
      throw new Error(
        `it was written by a newer version of helm-agent (schema ${version}, which needs ${worksSince}, not ${migrations.length})`,
      );
    }
    for (const [index, migration] of migrations.entries()) {
      if (index < (version ?? 0)) continue;
      await client.query(migration.statements);
      await client.query('INSERT INTO helm_agent.migrations (version, works_since) VALUES ($1, $2)', [
        index + 1,
        migration.worksSince,
      ]);
    }
    await noteCopy(client);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined); // the connection may have ended
    throw error;
  }
}

/** The collection and the id of the entry that says how others reach the leader. */
export const leaderEntry = { collection: 'leader', id: 'place' };

/** The collection and the id of the entry that says where the database is. No one else reads it. */
export const placeEntry = { collection: 'database', id: 'place' };

/**
 * Notes where the database is. If that has changed, the database was restored from a dump, whose
 * tables have other ids or are on another server, and gets the entry of a backup with the time of
 * the newest entry of its audit log. A copy of the files of a server has the same ids.
 */
async function noteCopy(client: Client): Promise<void> {
  const may = await client.query<{ may: boolean }>(
    `SELECT has_function_privilege('pg_control_system()', 'EXECUTE') AS may`,
  );
  const server = may.rows[0]?.may === true ? '(SELECT system_identifier FROM pg_control_system())' : 'NULL';
  const { rows } = await client.query<{ place: string; before: string | null; newest: Date | null }>(
    `SELECT
       concat_ws('/', ${server}, (SELECT oid FROM pg_database WHERE datname = current_database()),
         'helm_agent.leader'::regclass::oid) AS place,
       (SELECT text FROM helm_agent.entries WHERE collection = $1 AND id = $2) AS before,
       coalesce((SELECT to_timestamp(max(at) / 1000.0) FROM helm_agent.audit),
         (SELECT max(applied_at) FROM helm_agent.migrations)) AS newest`,
    [placeEntry.collection, placeEntry.id],
  );
  const { place = '', before, newest } = rows[0] ?? {};
  if (place === before) return;
  const keep = async ({ collection, id }: typeof placeEntry, text: string) => {
    await client.query(
      `INSERT INTO helm_agent.entries (collection, id, text) VALUES ($1, $2, $3)
       ON CONFLICT (collection, id) DO UPDATE SET text = excluded.text`,
      [collection, id, text],
    );
  };
  await keep(placeEntry, place);
  if (before !== null && newest) await keep(backupEntry, JSON.stringify({ at: newest.toISOString() }));
}
