import type { AuditPage, AuditRecord, CommandRecord, StoreBatch, StoreContents } from './command-store.ts';
import type { CommandRow } from './sqlite-rows.ts';

/** An event as it is stored: its payload is JSON text. */
export interface StoredEvent {
  readonly id: number;
  readonly type: string;
  readonly payload: string;
  readonly bytes: number;
}

/** A batch whose commands and events are as they are stored. */
export interface StoredBatch extends Omit<StoreBatch, 'commands' | 'events'> {
  readonly commands: readonly CommandRow[];
  readonly events: readonly (StoredEvent & { readonly key: string })[];
}

/** The calls of the thread of a SQLite store. Their replies are in the same order. */
export interface SqliteCalls {
  open: { argument: undefined; result: StoreContents };
  write: { argument: StoredBatch; result: undefined };
  events: { argument: CommandRecord['key']; result: StoredEvent[] };
  audit: { argument: AuditPage; result: AuditRecord[] };
  /** Writes a copy to a path. */
  backup: { argument: string; result: undefined };
  close: { argument: undefined; result: undefined };
}

export type SqliteRequest = {
  [Call in keyof SqliteCalls]: { call: Call; argument: SqliteCalls[Call]['argument'] };
}[keyof SqliteCalls];

export type SqliteReply =
  { ok: true; result: SqliteCalls[keyof SqliteCalls]['result'] } | { ok: false; message: string };
