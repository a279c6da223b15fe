import type { OperationState } from '../operation/state/operation-state.ts';

/** A command as it was accepted. */
export interface JournaledCommand {
  key: string;
  /** Equal for equal commands, so that a reused key is detected. Holds no secret. */
  fingerprint: string;
  type: string;
  /** JSON text. It may have credentials, so it is deleted when the command has ended. */
  payload: string;
  /** Whether another process can continue it. Commands that only read are not continued. */
  isDurable: boolean;
  /** Whether its sender has no key to ask for the result again. The entry is deleted at the end. */
  isAnonymous: boolean;
  /** The service account that performs it, as `NAMESPACE/NAME`. Default: the agent itself. */
  account?: string | undefined;
  /** The span that has sent it, as in a packet. Default: none. */
  traceparent?: string | undefined;
  /** Its signatures, as in a packet. Default: none. */
  envelope?: string | undefined;
}

/** A command that a process has left behind. */
export interface UnfinishedCommand extends JournaledCommand {
  /** The state of its operation at the last checkpoint. Undefined if there was none. */
  state: OperationState | undefined;
  /** Number of processes that have continued it alone since its last progress, and then crashed. */
  failedContinuations: number;
  /** Whether a process has continued it since then, alone or not, and crashed. */
  isSuspect: boolean;
}

/** The known facts about a key. */
export interface KnownCommand {
  fingerprint: string;
  /** The text that was given to `finish`. Undefined while the command runs. */
  outcome?: string;
}

/** A command that the journal has, without what is private to its sender. */
export interface ListedCommand extends Pick<JournaledCommand, 'key' | 'fingerprint' | 'type'> {
  /** Time in milliseconds. */
  acceptedAt: number;
}

/** The accepted commands and their outcomes. Outcomes are opaque text. */
export interface Journal {
  /** Whether commands that change a release survive the process. */
  readonly durable: boolean;
  /**
   * Adds a command. If the key is known, returns what is known and changes nothing. Rejects with
   * `JournalError` `journal_unavailable` if the command cannot be stored.
   */
  accept(command: JournaledCommand): Promise<KnownCommand | undefined>;
  /**
   * Stores the state of a running command in place of earlier ones. Rejects with `JournalError`
   * `journal_lost` if another process has taken the command over.
   */
  save(key: string, state: OperationState): Promise<void>;
  /**
   * Adds the outcome of a running command, and deletes its payload and its state. Rejects with an
   * Error if no running command has the key.
   */
  finish(key: string, outcome: string): Promise<void>;
  /** Returns what is known about a key. */
  find(key: string): Promise<KnownCommand | undefined>;
  /**
   * Returns the commands that change a release, in the order of their acceptance: those that run,
   * and those whose outcome is kept. None is anonymous.
   */
  list(): ListedCommand[];
  /** Takes over the commands that an earlier process has left, in the order of their acceptance. */
  takeOver(): Promise<UnfinishedCommand[]>;
  /**
   * Stores that this process continues a command that it has taken over, before it does so: alone,
   * or together with others, of which any could end the process. Rejects with `JournalError`
   * `journal_lost` if another process has taken the command over.
   */
  continuing(key: string, isAlone: boolean): Promise<void>;
  /** Stores that this process ends orderly, so that no command that it continued has ended it. */
  leave(): Promise<void>;
  /** Resolves if commands can be stored, and rejects if not. Stores nothing. */
  check(signal: AbortSignal): Promise<void>;
  /** Ends attempts to store something. */
  close(): void;
}
