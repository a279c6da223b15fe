import type { Client, Pool } from 'pg';
import { Notice, retry, sleep } from '../../async/index.ts';
import type { Logger } from '../logger.ts';
import type { DatabaseUrl } from './database-url.ts';
import { clientsOf, destroy, idleSessionMs, isRefusal, isTemporary, unavailable } from './postgres-connection.ts';
import { leaderEntry, migrate, requireServerVersion } from './postgres-schema.ts';

/** Pause between attempts to lead, in milliseconds. */
const attemptMs = 1000;

/** Time between two signs of life of a leader. PostgreSQL waits `idleSessionMs` for one. */
const signMs = 2000;

/** Time for PostgreSQL to answer one. */
const signTimeoutMs = 5000;

/** The longest pause before a connection is tried again. */
const maxPauseMs = 5000;

/** Of the lock that the leader holds: a number that other programs hardly use. */
const lock = [0x68656c6d, 1];

export interface PostgresLeaderOptions {
  url: DatabaseUrl;
  log: Logger;
  /** Returns a number from 0 up to 1. */
  random: () => number;
  /** A text for the others to read while this one leads. Undefined: none. */
  place: string | undefined;
}

/** Reads the text of the leader. The schema does not exist before the first one. */
const placeText = 'SELECT text FROM helm_agent.entries WHERE collection = $1 AND id = $2';
const hasPlaceText = `SELECT to_regclass('helm_agent.entries') IS NOT NULL AS has`;

/** The connections of a leader, which end together. */
interface Session {
  readonly client: Client;
  readonly readers: Pool;
  /** Aborts when the connection has ended. */
  readonly ended: AbortSignal;
  /** Number of the last batch of this leader that is stored. */
  batch: number;
  /** Whether it sends statements, which have limits of their own. A sign would wait for them. */
  isBusy: boolean;
}

/**
 * The right of one control plane to write to a database: a lock of its session. If the session
 * ends, it takes the lock again, unless another control plane has had it since: each leader has an
 * epoch, which each of its transactions checks (ADR 48).
 */
export class PostgresLeader {
  readonly #options: PostgresLeaderOptions;
  readonly #ending = new AbortController();
  readonly #lost = new AbortController();
  readonly #changed = new Notice();
  #session: Session | undefined;
  #epoch: string | undefined;
  #otherPlace: string | undefined;
  #keeping: Promise<void> | undefined;

  constructor(options: PostgresLeaderOptions) {
    this.#options = options;
  }

  /** Aborts when another control plane leads. This one can never write again. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get isConnected(): boolean {
    return this.#session !== undefined && !this.#lost.signal.aborted;
  }

  /** The text of another one that leads. Undefined: it is not known, or this one leads. */
  get otherPlace(): string | undefined {
    return this.#epoch === undefined ? this.#otherPlace : undefined;
  }

  /**
   * Waits until no other control plane leads, brings the schema up to date, and reads the database,
   * however long that takes.
   */
  async lead<Contents>(signal: AbortSignal, read: (client: Client) => Promise<Contents>): Promise<Contents> {
    const session = await this.#connectAgain(AbortSignal.any([signal, this.#ending.signal]), isTemporary);
    session.isBusy = true;
    this.#session = session;
    this.#keeping = this.#keep(session);
    try {
      return await read(session.client);
    } finally {
      session.isBusy = false;
    }
  }

  /** The connections for reading. Throws if the database cannot be reached now. */
  get readers(): Pool {
    return this.#connected().readers;
  }

  /**
   * Makes a change in a transaction. If the connection ends while it is committed, this waits for
   * the next one, to find out whether it was.
   */
  async transaction(change: (client: Client) => Promise<void>): Promise<void> {
    const session = this.#connected();
    const { client } = session;
    const batch = session.batch + 1;
    session.isBusy = true;
    try {
      await this.#begin(client, batch);
      await change(client);
    } catch (error) {
      await undo(client, error);
      session.isBusy = false;
      throw error;
    }
    try {
      await client.query('COMMIT');
      session.batch = batch;
    } catch (error) {
      destroy(client);
      if ((await this.#sessionAfter(session)).batch !== batch) throw error;
    } finally {
      session.isBusy = false;
    }
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#keeping;
  }

  #connected(): Session {
    if (this.#lost.signal.aborted) throw new Error('another control plane uses it now');
    if (!this.#session) throw new Error('it cannot be reached');
    return this.#session;
  }

  async #begin(client: Client, batch: number): Promise<void> {
    const [, { rowCount }] = await Promise.all([
      client.query('BEGIN'),
      client.query({
        name: 'helm-agent begin',
        text: 'UPDATE helm_agent.leader SET batch = $1 WHERE epoch = $2',
        values: [batch, this.#epoch],
      }),
    ]);
    if (rowCount !== 1) throw this.#lose();
  }

  /** Keeps the session alive, and replaces it when it has ended. */
  async #keep(first: Session): Promise<void> {
    const { log } = this.#options;
    const over = AbortSignal.any([this.#ending.signal, this.#lost.signal]);
    for (let session: Session | undefined = first; session;) {
      this.#session = session;
      this.#changed.give();
      await keepAlive(session, over);
      this.#session = undefined;
      await endSession(session);
      if (over.aborted) break;
      log.warn({}, 'the connection to the database has ended; connecting again');
      session = await this.#connectAgain(over, () => true).catch(() => undefined); // it is over
      if (session) log.info({}, 'the database can be reached again');
    }
    this.#changed.give();
  }

  #connectAgain(signal: AbortSignal, canRetry: (error: unknown) => boolean): Promise<Session> {
    const { log, random } = this.#options;
    return retry(() => this.#connect(signal), {
      pauses: (failures) => random() * Math.min(maxPauseMs, 250 * 2 ** failures),
      canRetry: (error) => !signal.aborted && canRetry(error),
      onRetry(error, failures) {
        if (failures === 1)
          log.warn({ reason: unavailable(error).message }, 'no connection to the database; trying again');
      },
      signal,
    });
  }

  async #connect(signal: AbortSignal): Promise<Session> {
    const { leader: client, readers } = await clientsOf(this.#options.url);
    const ended = new AbortController();
    client.once('end', () => ended.abort());
    const onAbort = () => destroy(client);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      signal.throwIfAborted();
      await client.connect();
      await requireServerVersion(client);
      await client.query(`SET idle_session_timeout = ${idleSessionMs}`);
      await this.#takeLock(client, signal);
      return { client, readers, ended: ended.signal, batch: await this.#takeEpoch(client), isBusy: false };
    } catch (error) {
      destroy(client);
      await readers.end();
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #takeLock(client: Client, signal: AbortSignal): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const { rows } = await client.query<{ leads: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS leads', lock);
      if (rows[0]?.leads === true) return;
      if (this.#epoch !== undefined) await this.#requireEpoch(client);
      else {
        await this.#readPlace(client);
        if (attempt === 0) this.#options.log.info({}, 'another control plane leads; waiting until it has ended');
      }
      await sleep(attemptMs, signal);
    }
  }

  /** Returns the number of the last batch that is stored. */
  async #takeEpoch(client: Client): Promise<number> {
    if (this.#epoch !== undefined) return this.#requireEpoch(client);
    await migrate(client);
    const { collection, id } = leaderEntry;
    const { rows } = await client.query<{ epoch: string }>(
      `WITH place AS (
         INSERT INTO helm_agent.entries (collection, id, text) VALUES ($1, $2, $3)
         ON CONFLICT (collection, id) DO UPDATE SET text = excluded.text
       )
       UPDATE helm_agent.leader SET epoch = epoch + 1, batch = 0 RETURNING epoch`,
      [collection, id, this.#options.place ?? ''],
    );
    this.#epoch = rows[0]?.epoch;
    return 0;
  }

  async #readPlace(client: Client): Promise<void> {
    const { rows: tables } = await client.query<{ has: boolean }>(hasPlaceText);
    if (tables[0]?.has !== true) return;
    const { rows } = await client.query<{ text: string }>(placeText, [leaderEntry.collection, leaderEntry.id]);
    this.#otherPlace = rows[0]?.text;
  }

  async #requireEpoch(client: Client): Promise<number> {
    const { rows } = await client.query<{ epoch: string; batch: string }>('SELECT epoch, batch FROM helm_agent.leader');
    if (rows[0]?.epoch !== this.#epoch) throw this.#lose();
    return Number(rows[0]?.batch);
  }

  #lose(): Error {
    const error = new Error('another control plane uses it now');
    this.#lost.abort(unavailable(error));
    return error;
  }

  async #sessionAfter(session: Session): Promise<Session> {
    const over = AbortSignal.any([this.#ending.signal, this.#lost.signal]);
    while (this.#session === undefined || this.#session === session) {
      over.throwIfAborted();
      await this.#changed.next(over);
    }
    return this.#session;
  }
}

/** Sends signs of life until the connection ends, or until the signal aborts. */
async function keepAlive(session: Session, over: AbortSignal): Promise<void> {
  const { client, ended } = session;
  const stop = AbortSignal.any([ended, over]);
  while (!stop.aborted) {
    await sleep(signMs, stop).catch(() => undefined);
    if (session.isBusy) continue;
    const sign = { text: 'SELECT', query_timeout: signTimeoutMs };
    await client.query(sign).catch(() => destroy(client));
  }
}

async function undo(client: Client, error: unknown): Promise<void> {
  if (!isRefusal(error)) destroy(client);
  else await client.query('ROLLBACK').catch(() => destroy(client));
}

/** Time for the last statements of a session. */
const endMs = 1000;

async function endSession({ client, readers, ended }: Session): Promise<void> {
  const timer = setTimeout(() => destroy(client), endMs);
  if (!ended.aborted) await client.end().catch(() => undefined);
  clearTimeout(timer);
  await readers.end();
}
