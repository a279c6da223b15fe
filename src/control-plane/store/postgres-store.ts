import { randomBytes, randomInt } from 'node:crypto';
import { type Logger, silentLog } from '../logger.ts';
import { readLeaderPlace } from '../replicas/leader-place.ts';
import type { CommandStore, ReplicaPlaces } from './command-store.ts';
import type { DatabaseUrl } from './database-url.ts';
import { unavailable } from './postgres-connection.ts';
import { PostgresLeader } from './postgres-leader.ts';
import { readAudit, readContents, readEvents, writeBatch } from './postgres-records.ts';
import { retentionOf, type RetentionOptions } from './retention.ts';

export interface PostgresStoreOptions {
  /**
   * `postgresql://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full`, or a function that reads it
   * for each connection. What it does not have is read from the environment variables of libpq,
   * such as `PGPASSWORD`.
   */
  url: DatabaseUrl;
  /** Default: nothing is logged. */
  log?: Logger;
  /**
   * Where other replicas reach this one: a host or address, and a port that no one else uses. They
   * relay their connections to it while it leads. Default: connections are not relayed.
   */
  replicaAddress?: { host: string; port: number } | undefined;
  /** How long commands that have ended are kept. Default: 10,000, with 512 MiB, for 7 days. */
  retention?: RetentionOptions | undefined;
  /** Returns a number from 0 up to 1, for pauses between attempts. Default: that of the system. */
  random?: () => number;
}

/** Bytes of the secret of a leader. */
const secretBytes = 32;

/**
 * Keeps commands in a PostgreSQL database, version 14 or newer, in the schema `helm_agent`.
 * Several control planes can share a database. One of them leads: `open` waits until no other one
 * does. The methods reject with `ControlPlaneError` `store_unavailable`.
 */
export function createPostgresStore({
  url,
  log = silentLog,
  replicaAddress,
  retention,
  random = randomPart,
}: PostgresStoreOptions): CommandStore {
  const own = replicaAddress && { ...replicaAddress, secret: randomBytes(secretBytes).toString('base64url') };
  const leader = new PostgresLeader({ url, log, random, place: own && JSON.stringify(own) });
  const places: ReplicaPlaces | undefined = own && {
    own,
    leader: () => (leader.otherPlace === undefined ? undefined : readLeaderPlace(leader.otherPlace)),
  };
  const known = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    try {
      return await run();
    } catch (error) {
      throw unavailable(error);
    }
  };
  return {
    retention: retentionOf(retention),
    lost: leader.lost,
    ...(places && { places }),
    isReachable: () => leader.isConnected,
    async open(signal = new AbortController().signal) {
      try {
        return await leader.lead(signal, readContents);
      } catch (error) {
        signal.throwIfAborted();
        throw unavailable(error);
      }
    },
    write: (batch) => known(() => leader.transaction((client) => writeBatch(client, batch))),
    events: together((keys) => known(async () => readEvents(leader.readers, keys))),
    audit: (page) => known(async () => readAudit(leader.readers, page)),
    close: () => leader.close(),
  };
}

/** Returns a function for one key that makes one call for those of the same turn. */
function together<Result>(read: (keys: readonly string[]) => Promise<Result[]>): (key: string) => Promise<Result> {
  let waiting: (PromiseWithResolvers<Result> & { readonly key: string })[] = [];
  const readWaiting = async () => {
    const turn = waiting;
    waiting = [];
    try {
      const results = await read(turn.map(({ key }) => key));
      for (const [index, result] of results.entries()) turn[index]?.resolve(result);
    } catch (error) {
      for (const { reject } of turn) reject(error);
    }
  };
  return (key) => {
    if (waiting.length === 0) queueMicrotask(() => void readWaiting());
    const one = { key, ...Promise.withResolvers<Result>() };
    waiting.push(one);
    return one.promise;
  };
}

function randomPart(): number {
  return randomInt(1_000_000) / 1_000_000;
}
