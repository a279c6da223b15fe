import type { Client, ClientConfig, Pool } from 'pg';
import { codeOf, messageOf } from '../../errors/index.ts';
import { ControlPlaneError } from '../error.ts';
import type { DatabaseUrl } from './database-url.ts';

/** Time after which PostgreSQL ends a session that sends nothing, so that another one can lead. */
export const idleSessionMs = 10_000;

/** Time after which PostgreSQL ends a statement, in milliseconds. */
const statementMs = 30_000;

/** Returns clients of a database that are not connected yet. */
export async function clientsOf(url: DatabaseUrl): Promise<{ leader: Client; readers: Pool }> {
  const { Client, Pool } = await import('pg'); // only those who use it load it
  const connectionString = (typeof url === 'string' ? url : await url()).trim();
  const config: ClientConfig = {
    connectionString,
    application_name: 'helm-agent control-plane',
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    statement_timeout: statementMs,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: idleSessionMs,
    query_timeout: statementMs + 5000, // if the server cannot be reached any more
  };
  if (!/^postgres(?:ql)?:\/\//.test(connectionString) || !URL.canParse(connectionString)) {
    throw new Error('its URL is not valid; write postgresql://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full');
  }
  const readers = new Pool({ ...config, max: 4 });
  readers.on('error', () => undefined); // an idle connection has ended
  const leader = new Client({ ...config, pipeline: true }); // statements are sent without waiting for others
  leader.on('error', () => undefined); // `end` follows
  return { leader, readers };
}

/** Ends a connection at once. What the server has not committed is undone. */
export function destroy({ connection }: Client): void {
  connection.stream.destroy();
}

/** Whether PostgreSQL has refused a statement, so that the connection still works. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && error.severity === 'ERROR';
}

const networkCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'],
  ...['EAI_AGAIN', 'EPIPE', 'ETIMEDOUT'],
]);

/** Whether a connection may be possible later, without any change of the settings. */
export function isTemporary(error: unknown): boolean {
  const code = codeOf(error);
  // PostgreSQL is starting, stopping, or has too many connections
  if (code !== undefined) return networkCodes.has(code) || /^(?:08|53|57)...$/.test(code);
  return /^(?:Connection terminated|timeout|Query read timeout)|not queryable$/.test(messageOf(error)); // of pg
}

/** Returns the error of the store for one of a connection. It has no values and no password. */
export function unavailable(error: unknown): ControlPlaneError {
  if (error instanceof ControlPlaneError) return error;
  const reason = messageOf(error) || (codeOf(error) ?? 'unknown error'); // an AggregateError has only a code
  return new ControlPlaneError('store_unavailable', `cannot use the database of the control plane: ${reason}`);
}
