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

/** Notes that a control plane starts from a backup, and what it therefore does not know. */
export function noteRestored(
  entries: readonly StoredEntry[],
  { audit, log, keep }: Pick<BackupRoutesOptions, 'audit'> & { log: Logger; keep: (entry: StoredEntry) => void },
): void {
  const { collection, id } = backupEntry;
  const entry = entries.find((found) => found.collection === collection && found.id === id);
  if (!entry) return;
  const { at } = madeSchema.parse(JSON.parse(entry.text ?? ''));
  audit.add({ action: `restored from the backup of ${at}`, decision: 'allowed', outcome: 'ok' });
  const unknown =
    'started from a backup: later commands, results, rollouts and keys of agents are not known, and tokens ' +
    'that were revoked later are valid again; agents are asked for the results of the commands in it';
  log.warn({ backup: at }, unknown);
  keep({ ...backupEntry, text: undefined });
}

const madeSchema = z.object({ at: z.iso.datetime() });
