import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import type { AuditLog } from './audit/audit-log.ts';
import { ControlPlaneError } from './error.ts';
import type { ApiRoute } from './http-json.ts';
import type { Logger } from './logger.ts';
import { backupEntry, type CommandStore, type StoredEntry } from './store/command-store.ts';

export interface BackupRoutesOptions {
  store: Pick<CommandStore, 'backup'>;
  audit: Pick<AuditLog, 'add'>;
}

/** Time in which a client must read a part of a backup, in milliseconds. */
const unreadTimeoutMs = 30_000;

/** Returns the route of backups, which is for administrators. */
export function backupRoutes({ store, audit }: BackupRoutesOptions): ApiRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/backup',
      name: 'getBackup',
      summary: 'Returns a copy of the SQLite file of the control plane as it is now',
      responses: { 200: { description: 'A SQLite file', mediaType: 'application/vnd.sqlite3' } },
      errors: ['unsupported', 'busy', 'store_unavailable'],
      async handler(_request, response, _id, { principal, from }) {
        if (!store.backup) {
          const advice = 'back up a database of PostgreSQL with pg_dump';
          throw new ControlPlaneError('unsupported', `this control plane has no file of its own; ${advice}`);
        }
        const file = await store.backup();
        try {
          const { size } = await file.stat();
          audit.add({ action: 'backup', user: principal.name, from, decision: 'allowed', outcome: 'ok' });
          response.writeHead(200, {
            'content-type': 'application/vnd.sqlite3',
            'content-length': size,
            'cache-control': 'no-store',
          });
          response.setTimeout(unreadTimeoutMs, () => response.destroy());
          const content = file.createReadStream({ autoClose: false });
          await pipeline(content, response).catch(() => response.destroy()); // the client has gone
        } finally {
          await file.close();
        }
      },
    },
  ];
}

/** The entry of a control plane that has started from a backup, with the times of both. */
const restoredEntry = { collection: backupEntry.collection, id: 'restored' };

/** The entry with the time of the last start from a backup, in milliseconds. It stays. */
const numbersEntry = { collection: backupEntry.collection, id: 'numbers' };

/**
 * Returns the time of the last start from a backup in milliseconds, which no start before has had;
 * 0 if there was none.
 */
export function lastRestoreOf(
  entries: readonly StoredEntry[],
  { now, keep }: Pick<NoteRestoredOptions, 'now' | 'keep'>,
): number {
  const isRestored = entries.some(
    ({ collection, id }) => collection === backupEntry.collection && id === backupEntry.id,
  );
  const known = entries.find(({ collection, id }) => collection === numbersEntry.collection && id === numbersEntry.id);
  const before = Number(known?.text ?? 0);
  if (!isRestored) return before;
  const at = Math.max(before + 1, now().getTime());
  keep({ ...numbersEntry, text: String(at) });
  return at;
}

/**
 * Time after a start from a backup in which agents are asked for later commands, in milliseconds:
 * those that were away come back, and know the commands of their last day.
 */
const askedMs = 7 * 24 * 3_600_000;

/**
 * Notes that a control plane starts from a backup, and what it therefore does not know. Returns the
 * time of the backup in milliseconds, also at later starts as long as agents are asked for later
 * commands; undefined if they are not.
 */
export function noteRestored(
  entries: readonly StoredEntry[],
  { audit, log, now, keep }: NoteRestoredOptions,
): number | undefined {
  const find = ({ collection, id }: typeof backupEntry) =>
    entries.find((found) => found.collection === collection && found.id === id)?.text;
  const restored = find(restoredEntry);
  const askedSince = restored === undefined ? undefined : earlierBackup(restored, now());
  const made = find(backupEntry);
  if (made === undefined) {
    if (restored !== undefined && askedSince === undefined) keep({ ...restoredEntry, text: undefined });
    return askedSince;
  }
  const { at } = madeSchema.parse(JSON.parse(made));
  audit.add({ action: `restored from the backup of ${at}`, decision: 'allowed', outcome: 'ok' });
  const unknown =
    'started from a backup: later rollouts and keys of agents are not known, and tokens that were revoked later ' +
    'are valid again; agents are asked for later commands, and for the results of those in it';
  log.warn({ backup: at }, unknown);
  // the agents may not have replied since the start from an earlier one
  const madeAt = Math.min(Date.parse(at), askedSince ?? Infinity);
  const times = { madeAt: new Date(madeAt).toISOString(), startedAt: now().toISOString() };
  keep({ ...restoredEntry, text: JSON.stringify(times) });
  keep({ ...backupEntry, text: undefined });
  return madeAt;
}

interface NoteRestoredOptions extends Pick<BackupRoutesOptions, 'audit'> {
  log: Logger;
  now: () => Date;
  keep: (entry: StoredEntry) => void;
}

const madeSchema = z.object({ at: z.iso.datetime() });

const restoredSchema = z.object({ madeAt: z.iso.datetime(), startedAt: z.iso.datetime() });

/** Returns the time of a backup in milliseconds; undefined if agents are not asked any more. */
function earlierBackup(text: string, now: Date): number | undefined {
  const { madeAt, startedAt } = restoredSchema.parse(JSON.parse(text));
  return now.getTime() - Date.parse(startedAt) < askedMs ? Date.parse(madeAt) : undefined;
}
