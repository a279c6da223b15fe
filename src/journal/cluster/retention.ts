import type { ListedCommand } from '../journal.ts';

/** A finished command. */
export interface FinishedEntry {
  name: string;
  /** Undefined if another version of the program has written it. */
  listed: ListedCommand | undefined;
  /** Milliseconds since the Unix epoch. */
  finishedAt: number;
  /** Compressed bytes of its outcome. */
  bytes: number;
  /** Number of further Secrets. */
  parts: number;
}

export interface RetentionLimits {
  /** Number of finished commands that are kept. Default: 1000. */
  maxFinished: number;
  /** Bytes of their compressed outcomes. Default: 32 MiB. */
  maxBytes: number;
  /** Time for which they are kept, in milliseconds. Default: 24 hours. */
  maxAgeMs: number;
}

export const defaultRetention: RetentionLimits = {
  maxFinished: 1000,
  maxBytes: 32 * 1024 * 1024,
  maxAgeMs: 24 * 60 * 60_000,
};

/** Decides which finished commands are forgotten: the one that finished first is the first. */
export class Retention {
  readonly #limits: RetentionLimits;
  readonly #entries: FinishedEntry[] = [];
  #bytes = 0;

  constructor(limits: RetentionLimits) {
    this.#limits = limits;
  }

  /** Adds a command that has finished after all others. */
  add(entry: FinishedEntry): void {
    this.#entries.push(entry);
    this.#bytes += entry.bytes;
  }

  /** Returns the commands, the one that finished first is the first. */
  all(): readonly FinishedEntry[] {
    return this.#entries;
  }

  /** Removes and returns the commands that are not kept any longer. */
  expired(now: number): FinishedEntry[] {
    const { maxFinished, maxBytes, maxAgeMs } = this.#limits;
    const expired: FinishedEntry[] = [];
    for (;;) {
      const [oldest] = this.#entries;
      const isKept = this.#entries.length <= maxFinished && this.#bytes <= maxBytes;
      if (oldest === undefined || (isKept && now - oldest.finishedAt < maxAgeMs)) return expired;
      this.#entries.shift();
      this.#bytes -= oldest.bytes;
      expired.push(oldest);
    }
  }
}
