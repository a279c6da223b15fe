import type { Journal, JournaledCommand, KnownCommand, ListedCommand } from './journal.ts';
import { progressOf, stateOf } from './operation-state.ts';

export interface MemoryJournalLimits {
  /** Number of finished commands that are kept. Default: 1000. */
  maxFinished: number;
  /** Total length of their outcomes, in UTF-16 units. Default: 16 Mi. */
  maxOutcomeLength: number;
}

const defaultLimits: MemoryJournalLimits = { maxFinished: 1000, maxOutcomeLength: 16 * 1024 * 1024 };

interface Running {
  command: JournaledCommand;
  acceptedAt: number | undefined;
  /** JSON text of the last state. */
  state?: string;
  failedContinuations: number;
  isSuspect: boolean;
}

interface Finished extends Required<KnownCommand> {
  /** Undefined for a command that only reads. */
  listed: ListedCommand | undefined;
}

/**
 * Returns a journal that lives as long as the process. The command that finished first is forgotten
 * first; a running command is never forgotten. `now` returns a time in milliseconds; without it, no
 * command is listed.
 */
export function createMemoryJournal(limits: MemoryJournalLimits = defaultLimits, now?: () => number): Journal {
  const running = new Map<string, Running>();
  const finished = new Map<string, Finished>();
  /** The commands that this process continues, and what was known of them before. */
  const continued = new Map<Running, Pick<Running, 'failedContinuations' | 'isSuspect'>>();
  let outcomeLength = 0;

  function known(key: string): KnownCommand | undefined {
    const entry = running.get(key);
    if (entry !== undefined) return { fingerprint: entry.command.fingerprint };
    const ended = finished.get(key);
    return ended && { fingerprint: ended.fingerprint, outcome: ended.outcome };
  }

  function runningEntry(key: string): Running {
    const entry = running.get(key);
    if (entry === undefined) throw new Error(`journal: no running command has the key ${key}`);
    return entry;
  }

  function forgetOldest(): void {
    for (const [key, { outcome }] of finished) {
      if (finished.size <= limits.maxFinished && outcomeLength <= limits.maxOutcomeLength) return;
      finished.delete(key);
      outcomeLength -= outcome.length;
    }
  }

  return {
    durable: false,
    accept(command) {
      const found = known(command.key);
      if (!found) running.set(command.key, { command, acceptedAt: now?.(), failedContinuations: 0, isSuspect: false });
      return Promise.resolve(found);
    },
    async save(key, state) {
      await Promise.resolve();
      const entry = runningEntry(key);
      const before = stateOf(entry.state);
      if (before !== undefined && progressOf(before) !== progressOf(state)) {
        entry.failedContinuations = 0;
        entry.isSuspect = false;
        continued.delete(entry);
      }
      entry.state = JSON.stringify(state);
    },
    async finish(key, outcome) {
      await Promise.resolve();
      const entry = runningEntry(key);
      const { command } = entry;
      running.delete(key);
      if (!command.isAnonymous) {
        finished.set(key, { fingerprint: command.fingerprint, outcome, listed: listedOf(entry) });
        outcomeLength += outcome.length;
        forgetOldest();
      }
    },
    find: (key) => Promise.resolve(known(key)),
    list() {
      const all = [...Array.from(finished.values(), ({ listed }) => listed), ...Array.from(running.values(), listedOf)];
      return all.filter((listed) => listed !== undefined).sort((a, b) => a.acceptedAt - b.acceptedAt);
    },
    takeOver() {
      const left = [...running.values()].filter(({ command }) => command.isDurable);
      continued.clear();
      return Promise.resolve(
        left.map(({ command, state, failedContinuations, isSuspect }) => {
          return { ...command, state: stateOf(state), failedContinuations, isSuspect };
        }),
      );
    },
    async continuing(key, isAlone) {
      await Promise.resolve();
      const entry = runningEntry(key);
      const { failedContinuations, isSuspect } = entry;
      continued.set(entry, { failedContinuations, isSuspect });
      if (isAlone) entry.failedContinuations += 1;
      entry.isSuspect = true;
    },
    leave() {
      for (const [entry, before] of continued) Object.assign(entry, before);
      continued.clear();
      return Promise.resolve();
    },
    check: () => Promise.resolve(),
    close: () => undefined,
  };
}

/** Returns undefined for a command that only reads, or has no time, or whose sender has no key. */
function listedOf({ command, acceptedAt }: Pick<Running, 'command' | 'acceptedAt'>): ListedCommand | undefined {
  const { key, fingerprint, type, isDurable, isAnonymous } = command;
  return isDurable && !isAnonymous && acceptedAt !== undefined ? { key, fingerprint, type, acceptedAt } : undefined;
}
