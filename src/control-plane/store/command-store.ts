import type { FileHandle } from 'node:fs/promises';
import type { CommandEvent } from '../command-event.ts';
import type { LeaderPlace } from '../replicas/leader-place.ts';
import type { CommandState } from '../sent-command.ts';
import type { Retention } from './retention.ts';

/** A command as a store keeps it, without its events. */
export interface CommandRecord {
  readonly key: string;
  readonly agentId: string;
  readonly type: string;
  /** Digest of type and payload, which says whether a key is used again for the same command. */
  readonly fingerprint: string;
  readonly state: CommandState;
  /** Id of the agent's process that got the command last. Undefined: none so far. */
  readonly instanceId?: string | undefined;
  /** JSON text, with all passwords, until the agent has accepted the command. */
  readonly payload?: string | undefined;
  /** Who has sent the command. Undefined: that was not said. */
  readonly sentBy?: string | undefined;
  /** The `traceparent` that the agent gets. Undefined: none. */
  readonly traceparent?: string | undefined;
  /** The signatures that the agent gets with the payload. Undefined: it is not signed. */
  readonly envelope?: string | undefined;
  /** The namespace that the command names. Undefined: all, or one that is not known. */
  readonly namespace?: string | undefined;
  /** The release that the command names. Undefined: several, none, or one that is not known. */
  readonly releaseName?: string | undefined;
  /** Time in milliseconds when the command arrived. Undefined: that is not known. */
  readonly createdAt?: number | undefined;
  /** Digest of a chart that was uploaded, and that the agent asks for. Undefined: none. */
  readonly chart?: string | undefined;
  /** Whether another process of the agent may know the command. */
  readonly isDurable: boolean;
  /** Whether the last event about the agent's connection says that it is connected. */
  readonly isConnected: boolean;
  /** Time in milliseconds after which a command that was not sent is not sent any more. */
  readonly expiresAt?: number | undefined;
  /** Number of the newest event; the next one has a higher number. */
  readonly lastEvent: number;
  /** `seq` of the newest status packet and of the newest evidence. */
  readonly lastStatus: number;
  readonly lastEvidence: number;
  /** Size of all events that are kept. */
  readonly bytes: number;
  /**
   * Ids of the agent's processes that have ended while they had answered all other commands.
   * Undefined: no process has ended before it had answered the command.
   */
  readonly lostProcesses?: readonly string[] | undefined;
  /** Of a command that has a result. */
  readonly end?: CommandEnd | undefined;
}

/** How commands can have ended. */
export const commandOutcomes = ['succeeded', 'failed'] as const;
export type CommandOutcome = (typeof commandOutcomes)[number];

export interface CommandEnd {
  /** Place of the result among the results of all commands, from 1. */
  readonly number: number;
  /** Time in milliseconds. */
  readonly at: number;
  /** Whether the application has read the result. */
  readonly isDelivered: boolean;
  /** Undefined: an earlier version has stored the result. */
  readonly outcome?: CommandOutcome | undefined;
}

/** An event of a command, with its size. */
export interface EventRecord {
  readonly event: CommandEvent;
  readonly bytes: number;
}

/** When an agent was connected last. */
export interface AgentSighting {
  readonly agentId: string;
  /** Time in milliseconds when its last connection began or ended. */
  readonly lastSeen: number;
  /** The version in its last `hello`. */
  readonly version: string;
}

/** A text that is kept under a name, such as the key of an agent. */
export interface StoredEntry {
  /** The kind of entry. */
  readonly collection: string;
  /** Its name among those of its kind. */
  readonly id: string;
  /** JSON text. Undefined: the entry is deleted. */
  readonly text: string | undefined;
}

/** The collection and the id of the entry that a backup has, and that says when it was made. */
export const backupEntry = { collection: 'backup', id: 'made' };

/** An entry of the audit log. */
export interface AuditRecord {
  /** Counts the entries from 1. */
  readonly number: number;
  /** Time in milliseconds. */
  readonly at: number;
  /** JSON text, which is kept as it is. */
  readonly line: string;
}

/** The entries of the audit log that are not kept any more. */
export interface OldAudit {
  /** The entries up to this number. */
  readonly upTo: number;
  /** The oldest entries up to the first one of this time in milliseconds or later. */
  readonly before: number;
}

/** A part of the audit log; see `CommandStore.audit`. */
export interface AuditPage {
  readonly after: number;
  readonly since: number;
  readonly max: number;
}

/** Changes that are stored together. A command is in only one of the lists of commands. */
export interface StoreBatch {
  /** New commands, and commands that have changed. New ones are in the order of their arrival. */
  readonly commands: readonly CommandRecord[];
  /** In the order of their numbers. */
  readonly events: readonly (EventRecord & { readonly key: string })[];
  /** The events before `first` are not kept any more. */
  readonly trims: readonly { readonly key: string; readonly first: number }[];
  /** Keys of commands that are not kept any more, with their events. */
  readonly forgotten: readonly string[];
  /** Ids of agents that were never connected before. */
  readonly agents: readonly string[];
  /** When agents were connected; each replaces the one before of its agent. Default: none. */
  readonly sightings?: readonly AgentSighting[];
  /** Ids of agents that count as never connected from now on. No id is in both lists. */
  readonly forgottenAgents: readonly string[];
  /** Each replaces the one before of its name. Default: none. */
  readonly entries?: readonly StoredEntry[];
  /** New entries of the audit log, in the order of their numbers. Default: none. */
  readonly audit?: readonly AuditRecord[];
  /** Default: none. */
  readonly oldAudit?: OldAudit;
}

/** Everything that was stored before, without events. */
export interface StoreContents {
  /** In the order of their arrival. */
  readonly commands: readonly CommandRecord[];
  /** Ids of all agents that were ever connected, and were not forgotten. */
  readonly agents: readonly string[];
  /** When these were connected last. Default: that is not known. */
  readonly sightings?: readonly AgentSighting[];
  /** Default: none. */
  readonly entries?: readonly StoredEntry[];
  /** The newest entry of the audit log. Default: there are none. */
  readonly lastAudit?: AuditRecord;
}

export interface ReplicaPlaces {
  /** The place of this one, which others read while it leads. */
  readonly own: LeaderPlace;
  /** Returns the place of the one that leads; undefined if it is not known, or is this one. */
  leader(): LeaderPlace | undefined;
}

/**
 * Keeps the commands of one control plane and their events. Only one control plane uses a store at
 * a time.
 */
export interface CommandStore {
  readonly retention: Retention;
  /**
   * Aborts when another control plane has taken the store over. This one must end then. Default:
   * no other one can.
   */
  readonly lost?: AbortSignal;
  /**
   * Where control planes that share the store accept what others relay to them. Default: they
   * relay nothing.
   */
  readonly places?: ReplicaPlaces;
  /** Whether the store can be used now. Default: it can until a write fails. */
  isReachable?(): boolean;
  /**
   * Returns what is stored, when no other control plane uses the store. Called once, before all
   * other methods but `close`. Rejects with the signal's reason.
   */
  open(signal?: AbortSignal): Promise<StoreContents>;
  /**
   * Stores all changes of a batch, or none of them. Resolves when they are durable. Called again
   * only after the last call has settled.
   */
  write(batch: StoreBatch): Promise<void>;
  /** Returns the events of a command that are kept, in the order of their numbers. */
  events(key: string): Promise<EventRecord[]>;
  /**
   * Returns the oldest entries of the audit log, at most `max`, with a number above `after` and of
   * the time `since` in milliseconds or later, in the order of their numbers.
   */
  audit(page: AuditPage): Promise<AuditRecord[]>;
  /**
   * Copies what is stored now into a file, in which `backupEntry` says when. Returns the file,
   * which is deleted already; the caller closes it. Default: the store has no backups.
   */
  backup?(): Promise<FileHandle>;
  close(): Promise<void>;
}
