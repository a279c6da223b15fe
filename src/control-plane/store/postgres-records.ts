import type { Client, Pool } from 'pg';
import * as z from 'zod';
import {
  type AuditPage,
  type AuditRecord,
  commandOutcomes,
  type CommandRecord,
  type EventRecord,
  type StoreBatch,
  type StoreContents,
  type StoredEntry,
} from './command-store.ts';
import { leaderEntry, placeEntry } from './postgres-schema.ts';

/** Number of rows that are read at once. */
const pageSize = 1000;

/** Bytes of their texts, but for the last one, so that a slow connection has time for each page. */
const pageBytes = 4 * 1024 * 1024;

/**
 * Returns a name as PostgreSQL can keep it: without NUL and lone surrogates, which JSON escapes.
 * Most names stay as they are.
 */
const nameOf = (text: string): string => JSON.stringify(text).slice(1, -1);

const textOf = (name: string): string => z.string().parse(JSON.parse(`"${name}"`));

/**
 * Stores a batch, in a transaction of the caller. All statements are sent at once; after one that
 * fails, PostgreSQL refuses the others.
 */
export async function writeBatch(client: Client, batch: StoreBatch): Promise<void> {
  const { commands, events, trims, forgotten, agents, sightings = [], forgottenAgents } = batch;
  const { entries = [], audit = [], oldAudit } = batch;
  const results: Promise<unknown>[] = [];
  const run = (name: string, text: string, rows: readonly unknown[], ...values: unknown[][]) => {
    if (rows.length > 0) results.push(client.query({ name: `helm-agent ${name}`, text, values }));
  };
  run(
    'put commands',
    `INSERT INTO helm_agent.commands (key, agent_id, state, record)
     SELECT key, agent_id, state, record
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY
       AS new (key, agent_id, state, record, place) ORDER BY place
     ON CONFLICT (key) DO UPDATE
     SET agent_id = excluded.agent_id, state = excluded.state, record = excluded.record`,
    commands,
    commands.map(({ key }) => nameOf(key)),
    commands.map(({ agentId }) => nameOf(agentId)),
    commands.map(({ state }) => state),
    commands.map((record) => JSON.stringify(record)),
  );
  run(
    'put events',
    `INSERT INTO helm_agent.events (command, id, type, payload, bytes)
     SELECT position, new.id, new.type, new.payload, new.bytes
     FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[]) AS new (key, id, type, payload, bytes)
     JOIN helm_agent.commands USING (key)
     ON CONFLICT (command, id) DO UPDATE
     SET type = excluded.type, payload = excluded.payload, bytes = excluded.bytes`,
    events,
    events.map(({ key }) => nameOf(key)),
    events.map(({ event }) => event.id),
    events.map(({ event }) => event.type),
    events.map(({ event }) => JSON.stringify(event.payload)),
    events.map(({ bytes }) => bytes),
  );
  run(
    'trim events',
    `DELETE FROM helm_agent.events USING unnest($1::text[], $2::bigint[]) AS old (key, first)
     JOIN helm_agent.commands USING (key) WHERE command = position AND id < first`,
    trims,
    trims.map(({ key }) => nameOf(key)),
    trims.map(({ first }) => first),
  );
  run('forget commands', 'DELETE FROM helm_agent.commands WHERE key = ANY ($1)', forgotten, forgotten.map(nameOf));
  run(
    'put agents',
    'INSERT INTO helm_agent.agents (id) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING',
    agents,
    agents.map(nameOf),
  );
  run(
    'put sightings',
    `UPDATE helm_agent.agents SET last_seen = new.last_seen, version = new.version
     FROM unnest($1::text[], $2::bigint[], $3::text[]) AS new (id, last_seen, version) WHERE agents.id = new.id`,
    sightings,
    sightings.map(({ agentId }) => nameOf(agentId)),
    sightings.map(({ lastSeen }) => lastSeen),
    sightings.map(({ version }) => nameOf(version)),
  );
  run(
    'forget agents',
    'DELETE FROM helm_agent.agents WHERE id = ANY ($1)',
    forgottenAgents,
    forgottenAgents.map(nameOf),
  );
  const [kept, deleted] = [entries.filter(isKept), entries.filter((entry) => !isKept(entry))];
  run(
    'put entries',
    `INSERT INTO helm_agent.entries (collection, id, text) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
     ON CONFLICT (collection, id) DO UPDATE SET text = excluded.text`,
    kept,
    kept.map(({ collection }) => nameOf(collection)),
    kept.map(({ id }) => nameOf(id)),
    kept.map(({ text }) => text),
  );
  run(
    'delete entries',
    `DELETE FROM helm_agent.entries WHERE (collection, id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    deleted,
    deleted.map(({ collection }) => nameOf(collection)),
    deleted.map(({ id }) => nameOf(id)),
  );
  run(
    'put audit',
    'INSERT INTO helm_agent.audit (number, at, line) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[])',
    audit,
    audit.map(({ number }) => number),
    audit.map(({ at }) => at),
    audit.map(({ line }) => line),
  );
  if (oldAudit) {
    const text = `DELETE FROM helm_agent.audit WHERE number <= $1
      OR number < (SELECT number FROM helm_agent.audit WHERE at >= $2 ORDER BY number LIMIT 1)`;
    results.push(client.query(text, [oldAudit.upTo, oldAudit.before]));
  }
  await Promise.all(results);
}

const isKept = (entry: StoredEntry): entry is StoredEntry & { text: string } => entry.text !== undefined;

/**
 * Returns a statement for the next rows, which are at least one if there are more. `next` selects
 * and orders them; `text` is the column that makes them large.
 */
function pageOf({ next, order, text }: { next: string; order: string; text: string }): string {
  return `SELECT * FROM (
      SELECT *, sum(octet_length(${text})) OVER (ORDER BY ${order}) - octet_length(${text}) AS before
      FROM (${next} ORDER BY ${order} LIMIT ${pageSize}) AS next
    ) AS sized WHERE before < ${pageBytes} ORDER BY ${order}`;
}

const commandsText = pageOf({
  next: 'SELECT position, record FROM helm_agent.commands WHERE position > $1',
  order: 'position',
  text: 'record',
});

/** The collections of entries that are about the database itself. */
const ownCollections = [placeEntry.collection, leaderEntry.collection];

const entriesText = pageOf({
  next: `SELECT collection, id, text FROM helm_agent.entries
         WHERE (collection, id) > ($1, $2) AND collection <> ALL ($3)`,
  order: 'collection, id',
  text: 'text',
});

async function readCommands(client: Client): Promise<CommandRecord[]> {
  const commands: CommandRecord[] = [];
  for (let position = '0'; ;) {
    const { rows } = await client.query<{ position: string; record: string }>(commandsText, [position]);
    for (const { record } of rows) commands.push(recordOf(record));
    const last = rows.at(-1);
    if (!last) return commands;
    position = last.position;
  }
}

async function readEntries(client: Client): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = [];
  for (let after = ['', '']; ;) {
    const { rows } = await client.query(entriesText, [...after, ownCollections]);
    const read = rows.map((row) => entrySchema.parse(row));
    for (const { collection, id, text } of read) entries.push({ collection: textOf(collection), id: textOf(id), text });
    const last = read.at(-1);
    if (!last) return entries;
    after = [last.collection, last.id];
  }
}

/** Reads everything but events and the audit log, a page at a time. */
export async function readContents(client: Client): Promise<StoreContents> {
  const commands = await readCommands(client);
  const agents = (await client.query('SELECT id, last_seen, version FROM helm_agent.agents ORDER BY id')).rows.map(
    (row) => agentSchema.parse(row),
  );
  const entries = await readEntries(client);
  const newest = await client.query('SELECT number, at, line FROM helm_agent.audit ORDER BY number DESC LIMIT 1');
  const sightings = agents.flatMap(({ id, last_seen: lastSeen, version }) =>
    lastSeen === null ? [] : [{ agentId: textOf(id), lastSeen, version: textOf(version ?? '') }],
  );
  return {
    commands,
    agents: agents.map(({ id }) => textOf(id)),
    ...(sightings.length > 0 && { sightings }),
    ...(entries.length > 0 && { entries }),
    ...(newest.rows[0] !== undefined && { lastAudit: auditSchema.parse(newest.rows[0]) }),
  };
}

/** Reads the events of commands, in the order of the keys. */
export async function readEvents(pool: Pool, keys: readonly string[]): Promise<EventRecord[][]> {
  const { rows } = await pool.query({
    text: `SELECT place, events.id, type, payload, bytes
           FROM unnest($1::text[]) WITH ORDINALITY AS wanted (key, place)
           JOIN helm_agent.commands USING (key) JOIN helm_agent.events ON command = position ORDER BY events.id`,
    values: [keys.map(nameOf)],
  });
  const events = keys.map((): EventRecord[] => []);
  for (const row of rows) {
    const { place, id, type, payload, bytes } = eventSchema.parse(row);
    // payloads are stored as they were validated
    const event = { id, type, payload: JSON.parse(payload) as unknown } as EventRecord['event'];
    events[place - 1]?.push({ event, bytes });
  }
  return events;
}

export async function readAudit(pool: Pool, { after, since, max }: AuditPage): Promise<AuditRecord[]> {
  const { rows } = await pool.query({
    name: 'helm-agent audit',
    text: 'SELECT number, at, line FROM helm_agent.audit WHERE number > $1 AND at >= $2 ORDER BY number LIMIT $3',
    values: [after, since, max],
  });
  return rows.map((row) => auditSchema.parse(row));
}

/** pg returns a bigint as text. All that are stored are safe integers. */
const integer = z.coerce.number().int();

const eventSchema = z.object({ place: integer, id: integer, type: z.string(), payload: z.string(), bytes: integer });

const auditSchema = z.object({ number: integer, at: integer, line: z.string() });

const entrySchema = z.object({ collection: z.string(), id: z.string(), text: z.string() });

const agentSchema = z.object({ id: z.string(), last_seen: integer.nullable(), version: z.string().nullable() });

/** A newer version may have stored more, which stays. */
const recordSchema = z.looseObject({
  key: z.string(),
  agentId: z.string(),
  type: z.string(),
  fingerprint: z.string(),
  state: z.enum(['waiting', 'sent', 'accepted', 'done']),
  instanceId: z.string().optional(),
  payload: z.string().optional(),
  sentBy: z.string().optional(),
  traceparent: z.string().optional(),
  envelope: z.string().optional(),
  namespace: z.string().optional(),
  releaseName: z.string().optional(),
  createdAt: z.number().optional(),
  chart: z.string().optional(),
  isDurable: z.boolean(),
  isConnected: z.boolean(),
  expiresAt: z.number().optional(),
  lastEvent: z.number(),
  lastStatus: z.number(),
  lastEvidence: z.number(),
  bytes: z.number(),
  lostProcesses: z.array(z.string()).optional(),
  end: z
    .object({
      number: z.number(),
      at: z.number(),
      isDelivered: z.boolean(),
      outcome: z.enum(commandOutcomes).optional(),
    })
    .optional(),
});

function recordOf(text: string): CommandRecord {
  const { instanceId, payload, expiresAt, ...record } = recordSchema.parse(JSON.parse(text));
  return { ...record, instanceId, payload, expiresAt };
}
