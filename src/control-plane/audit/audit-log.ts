import { Notice } from '../../async/index.ts';
import type { ControlPlaneLimits } from '../limits.ts';
import type { Logger } from '../logger.ts';
import type { AuditRecord, CommandStore } from '../store/command-store.ts';
import { NotStoredYetError } from '../store/entry-store.ts';
import type { Change } from '../store/store-writer.ts';
import { Sweeps } from '../sweeps.ts';
import { type AuditEntry, type AuditFields, lineDigest, noEntry, printableFields } from './audit-entry.ts';
import { RefusalCounter } from './refusal-counter.ts';

export interface AuditLogOptions {
  store: Pick<CommandStore, 'audit'>;
  /** Stores a change. */
  write: (change: Pick<Change, 'audit' | 'oldAudit' | 'onStored'>) => void;
  limits: Pick<ControlPlaneLimits, 'auditEntries' | 'auditMs'>;
  log: Logger;
  now: () => Date;
  /** Returns a time in milliseconds that never goes back. */
  monotonic: () => number;
  /** Called with each entry when it is stored, in their order. Default: none. */
  onEntry?: ((entry: AuditEntry) => void) | undefined;
}

/** Number of entries that are read at a time. */
const pageLength = 500;

/** Time between two entries about requests that got no entry of their own, in milliseconds. */
const countIntervalMs = 60_000;

/** Number of entries after which old ones are deleted. */
const trimInterval = 1000;

/**
 * The log of who has done what. Entries are only added, and each has the digest of the one before.
 */
export class AuditLog {
  readonly #options: AuditLogOptions;
  readonly #refusals: RefusalCounter;
  readonly #added = new Notice();
  readonly #sweeps: Sweeps;
  #number = 0;
  #previous = noEntry;
  /** The newest entry that readers get, because it is stored. */
  #stored = 0;
  #counts: NodeJS.Timeout | undefined;

  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#refusals = new RefusalCounter(options.monotonic);
    this.#sweeps = new Sweeps({
      ...{ what: 'old entries of the audit log', log: options.log },
      forget: (max) => this.#deleteOld(max),
      stored: () => new Promise((onStored) => options.write({ onStored })),
    });
  }

  /** Continues after the newest entry of the store. */
  open(newest: AuditRecord | undefined): void {
    if (newest) {
      this.#number = newest.number;
      this.#stored = newest.number;
      this.#previous = lineDigest(newest.line);
      this.#trim();
    }
    this.#counts = setInterval(() => this.#addCount(), countIntervalMs).unref();
    this.#sweeps.open();
  }

  /**
   * Adds an entry for the refused requests that have none. Nothing is added or deleted afterwards.
   */
  close(): void {
    if (this.#counts === undefined) return;
    void this.#sweeps.close(); // it would wait for ever for what cannot be stored
    clearInterval(this.#counts);
    this.#addCount();
    this.#counts = undefined;
  }

  /** The number of the newest entry that is stored. */
  get newest(): number {
    return this.#stored;
  }

  add(fields: AuditFields): void {
    if (this.#counts === undefined) return;
    const at = this.#options.now();
    const number = ++this.#number;
    const place = { number, time: at.toISOString() };
    const entry: AuditEntry = { ...place, ...printableFields(fields), previous: this.#previous };
    const line = JSON.stringify(entry);
    this.#previous = lineDigest(line);
    const onStored = () => {
      this.#stored = number;
      this.#added.give();
      // not before: after a crash, another entry would have the number of one that was not stored
      this.#options.onEntry?.(entry);
    };
    this.#options.write({ audit: { number, at: at.getTime(), line }, onStored });
    if (number % trimInterval === 0) this.#trim();
  }

  /** Returns what a change does, and adds an entry if it takes effect, also before it is stored. */
  async addChange<Result>(fields: Omit<AuditFields, 'decision' | 'outcome'>, change: Promise<Result>): Promise<Result> {
    try {
      const result = await change;
      this.add({ ...fields, decision: 'allowed', outcome: 'ok' });
      return result;
    } catch (error) {
      if (error instanceof NotStoredYetError) this.add({ ...fields, decision: 'allowed', outcome: error.code });
      throw error;
    }
  }

  /** Adds an entry for a refused request, or counts it if there are many. */
  addRefusal(fields: Omit<AuditFields, 'decision'>): void {
    const { user, from, agentId } = fields;
    if (this.#refusals.take(user ?? from ?? agentId ?? '')) this.add({ ...fields, decision: 'refused' });
  }

  /**
   * Returns the entries with a higher number, from the first one of a time in milliseconds or later
   * on: those after it may have an earlier time, because clocks are set back. With a signal, it
   * also returns those that follow, until the signal aborts.
   */
  async *after(number: number, since = 0, signal?: AbortSignal): AsyncGenerator<AuditRecord> {
    const { store } = this.#options;
    let last = number;
    let hasBegun = since === 0;
    const isEnded = () => signal?.aborted === true;
    while (!isEnded()) {
      if (!hasBegun) {
        const stored = this.#stored;
        const [first] = await store.audit({ after: 0, since, max: 1 });
        hasBegun = first !== undefined;
        last = Math.max(last, first === undefined ? stored : first.number - 1);
      }
      const records = hasBegun ? await store.audit({ after: last, since: 0, max: pageLength }) : [];
      for (const record of records) {
        if (isEnded()) return;
        yield record;
        last = record.number;
      }
      if (records.length > 0) continue;
      if (!signal) return;
      while (this.#stored <= last && !isEnded()) await this.#added.next(signal);
    }
  }

  #addCount(): void {
    const count = this.#refusals.takeCount();
    if (count > 0) this.add({ action: 'further requests', decision: 'refused', outcome: 'forbidden', count });
  }

  /** Deletes what is too old. */
  #trim(): void {
    this.#options.write({ oldAudit: { before: this.#oldestAt(), upTo: this.#mostUpTo() } });
  }

  /**
   * Deletes what is too old, at most `max` entries. Returns whether there may be more. The newest
   * stays, which says where the chain continues.
   */
  async #deleteOld(max: number): Promise<boolean> {
    const { store, write } = this.#options;
    const records = await store.audit({ after: 0, since: 0, max });
    const oldest = this.#oldestAt();
    const kept = records.findIndex(({ number, at }) => at >= oldest || number >= this.#stored);
    const old = kept === -1 ? records : records.slice(0, kept);
    const last = old.at(-1);
    if (!last || this.#counts === undefined) return false;
    write({ oldAudit: { before: 0, upTo: Math.max(last.number, this.#mostUpTo()) } });
    return old.length === max;
  }

  /** The time of the oldest entry that is kept, in milliseconds. */
  #oldestAt(): number {
    return this.#options.now().getTime() - this.#options.limits.auditMs;
  }

  /** The number of the newest entry of which there are too many. */
  #mostUpTo(): number {
    return this.#number - this.#options.limits.auditEntries;
  }
}
