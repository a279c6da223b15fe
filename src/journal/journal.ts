/** A command in the journal. */
export interface JournalEntry {
  key: string;
  /** Equal for equal commands, so that a reused key is detected. Holds no secret. */
  fingerprint: string;
  /** The text that was given to `finish`; absent while the command runs. */
  outcome?: string;
}

/** The accepted commands and their outcomes. Outcomes are opaque text. */
export interface Journal {
  /** Whether entries survive the process. */
  readonly durable: boolean;
  /** Adds a command. If the key is known, returns its entry and changes nothing. */
  accept(key: string, fingerprint: string): Promise<JournalEntry | undefined>;
  /**
   * Adds the outcome of an accepted command. Rejects with an Error if no running command has the
   * key.
   */
  finish(key: string, outcome: string): Promise<void>;
}
