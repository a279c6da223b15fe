/** A command as the journal knows it. */
export interface JournalEntry {
  key: string;
  /** Tells commands of one key apart: equal for equal commands. It holds no secret. */
  fingerprint: string;
  /** What the command answered, as the text that was given to `finish`; absent while it runs. */
  outcome?: string;
}

/** Which commands were accepted, and what came of them. What an outcome says is opaque here. */
export interface Journal {
  /** Whether entries outlive the process. */
  readonly durable: boolean;
  /** Enters a command, unless its key is known: then the entry that is there is returned, and nothing changes. */
  accept(key: string, fingerprint: string): Promise<JournalEntry | undefined>;
  /** Enters the outcome of an accepted command. Fails with an Error where the key is unknown. */
  finish(key: string, outcome: string): Promise<void>;
}
