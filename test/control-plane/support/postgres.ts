import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { appendFile, chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { TestFn } from 'ava';
import { Client } from 'pg';
import { eventually } from '../../support/eventually.ts';

/** A PostgreSQL server of the tests. */
export interface PostgresServer {
  readonly port: number;
  /** The folder of its files, with the log of changes. */
  readonly folder: string;
  /** Creates a database, and returns its URL. */
  createDatabase(): Promise<string>;
  /** Runs a statement in a database. */
  query<Row extends object>(url: string, text: string): Promise<Row[]>;
  /** Ends all processes of the server with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again, on the same port. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export const password = 'sentinel-of-the-database';

/** Returns the folder of the newest PostgreSQL on this machine; undefined if there is none. */
export function postgresFolder(): string | undefined {
  const installed = globSync('/usr/lib/postgresql/*/bin/postgres').sort((a, b) => versionOf(b) - versionOf(a));
  const onPath = (process.env['PATH'] ?? '').split(delimiter).flatMap((folder) => globSync(join(folder, 'initdb')));
  return [...installed, ...onPath].map((path) => join(path, '..')).at(0);
}

function versionOf(path: string): number {
  return Number(/postgresql\/(\d+)/.exec(path)?.[1] ?? 0);
}

/**
 * Starts a server for the tests of a file, and returns a function that returns it. Undefined: this
 * machine has no PostgreSQL.
 */
export function postgresOfFile(test: TestFn): (() => PostgresServer) | undefined {
  const folder = postgresFolder();
  if (folder === undefined) return undefined;
  let server: PostgresServer | undefined;
  test.before(async () => {
    server = await startPostgres(folder);
  });
  test.after.always(() => server?.close());
  return () => {
    if (!server) throw new Error('PostgreSQL has not started');
    return server;
  };
}

/** PostgreSQL refuses to run as root. */
const nobody = 65_534;
const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

export interface PostgresOptions {
  /** The address of this machine on which clients reach it. Default: 127.0.0.1. */
  address?: string;
}

/** Starts a server with a new data folder. What it has written survives `kill`. */
export async function startPostgres(
  bin: string,
  { address = '127.0.0.1' }: PostgresOptions = {},
): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-postgres-'));
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password);
  if ('uid' in user) for (const path of [folder, passwordFile]) await chown(path, nobody, nobody);
  await chmod(folder, 0o700);
  const data = join(folder, 'data');
  const options = { ...user, cwd: folder, env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' } };
  const initdb = ['-D', data, '-U', 'plane', '-A', 'scram-sha-256', '-E', 'UTF8', '--no-locale', '--no-sync'];
  await promisify(execFile)(join(bin, 'initdb'), [...initdb, `--pwfile=${passwordFile}`], options);
  await appendFile(join(data, 'pg_hba.conf'), 'host all all all scram-sha-256\n');
  const port = await freePort();
  const urlOf = (database: string) => `postgresql://plane:${password}@${address}:${port}/${database}`;
  let child: ChildProcess | undefined;
  let databases = 0;
  const query = async <Row extends object>(url: string, text: string) => {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined); // the query rejects
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  };
  const server: PostgresServer = {
    port,
    folder: data,
    query,
    async createDatabase() {
      const name = `plane_${++databases}`;
      await query(urlOf('postgres'), `CREATE DATABASE ${name} STRATEGY file_copy`);
      return urlOf(name);
    },
    async start() {
      const settings = ['fsync=off', 'shared_buffers=16MB', `listen_addresses=${address}`, `port=${port}`];
      const flags = [...settings, `unix_socket_directories=${folder}`].flatMap((setting) => ['-c', setting]);
      await eventually('PostgreSQL is ready', async () => {
        // after `kill`, it ends as long as processes of the last one use the memory that they share
        if (!isRunning(child))
          child = spawn(join(bin, 'postgres'), ['-D', data, ...flags], { ...options, stdio: 'ignore' });
        return await query(urlOf('postgres'), 'SELECT').then(
          () => true,
          () => false,
        );
      });
    },
    async kill() {
      if (!isRunning(child)) return;
      child.kill('SIGKILL'); // its other processes notice that and end
      await once(child, 'exit');
    },
    async close() {
      await server.kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 }); // processes of the server may still write
    },
  };
  try {
    await server.start();
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}

function isRunning(child: ChildProcess | undefined): child is ChildProcess {
  return child !== undefined && child.exitCode === null && child.signalCode === null;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || !address) throw new Error('a TCP server has no port');
  return address.port;
}
