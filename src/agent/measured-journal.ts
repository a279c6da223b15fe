import { isJournalLost, type Journal } from '../journal/index.ts';
import type { AgentRecorder } from '../metrics/agent-metrics.ts';

/** A journal whose writes are counted. */
export interface MeasuredJournal {
  journal: Journal;
  /**
   * Resolves if the last write was stored, and otherwise if one could be stored now. Rejects if
   * not.
   */
  isWritable(signal: AbortSignal): Promise<void>;
}

/** Counts the writes to a journal. */
export function measuredJournal(journal: Journal, recorder: AgentRecorder): MeasuredJournal {
  let wasStored = false;
  /** Keys of commands that a durable journal keeps in memory only. */
  const unstored = new Set<string>();
  async function counted<Result>(write: Promise<Result>): Promise<Result> {
    try {
      const result = await write;
      wasStored = true;
      recorder.count('helm_agent_journal_writes_total', { result: 'success' });
      return result;
    } catch (error) {
      // another process has stored something in its place
      if (!isJournalLost(error)) wasStored = false;
      recorder.count('helm_agent_journal_writes_total', { result: 'failure' });
      throw error;
    }
  }
  return {
    journal: {
      ...journal,
      async accept(command) {
        if (command.isDurable || !journal.durable) return await counted(journal.accept(command));
        const known = await journal.accept(command);
        if (known === undefined) unstored.add(command.key);
        return known;
      },
      save: (key, state) => counted(journal.save(key, state)),
      finish: (key, outcome) =>
        unstored.delete(key) ? journal.finish(key, outcome) : counted(journal.finish(key, outcome)),
      continuing: (key, isAlone) => counted(journal.continuing(key, isAlone)),
    },
    async isWritable(signal) {
      if (wasStored) return;
      await journal.check(signal);
      wasStored = true;
    },
  };
}
