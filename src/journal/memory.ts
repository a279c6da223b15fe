import type { Journal, JournalEntry } from './journal.ts';

export interface MemoryJournalLimits {
  /** Number of finished commands that are kept. Default: 1000. */
  maxFinished: number;
  /** Total length of their outcomes, in UTF-16 units. Default: 16 Mi. */
  maxOutcomeLength: number;
}

const defaultLimits: MemoryJournalLimits = { maxFinished: 1000, maxOutcomeLength: 16 * 1024 * 1024 };

/**
 * Returns a journal that lives as long as the process. The command that finished first is forgotten
 * first; a running command is never forgotten.
 */
export function createMemoryJournal(limits: MemoryJournalLimits = defaultLimits): Journal {
  const running = new Map<string, JournalEntry>();
  const finished = new Map<string, JournalEntry & { outcome: string }>();
  let outcomeLength = 0;

  function forgetOldest(): void {
    for (const [key, entry] of finished) {
      if (finished.size <= limits.maxFinished && outcomeLength <= limits.maxOutcomeLength) return;
      finished.delete(key);
      outcomeLength -= entry.outcome.length;
    }
  }

  return {
    durable: false,
    accept(key, fingerprint) {
      const known = running.get(key) ?? finished.get(key);
      if (!known) running.set(key, { key, fingerprint });
      return Promise.resolve(known);
    },
    finish(key, outcome) {
      const entry = running.get(key);
      if (!entry) return Promise.reject(new Error(`journal: no running command has the key ${key}`));
      running.delete(key);
      finished.set(key, { ...entry, outcome });
      outcomeLength += outcome.length;
      forgetOldest();
      return Promise.resolve();
    },
  };
}
