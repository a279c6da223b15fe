import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../errors/index.ts';
import type { ControlPlaneLimits } from '../limits.ts';
import type { Logger } from '../logger.ts';
import type {
  AgentSighting,
  AuditRecord,
  CommandRecord,
  CommandStore,
  EventRecord,
  OldAudit,
  StoreBatch,
  StoredEntry,
} from './command-store.ts';

/** A change that is stored with others. */
export interface Change {
  command?: CommandRecord;
  event?: EventRecord & { key: string };
  trim?: { key: string; first: number };
  forgotten?: string;
  /** An agent that was connected, or that counts as never connected from now on. */
  agent?: { id: string; isKnown: boolean };
  sighting?: AgentSighting;
  entry?: StoredEntry;
  audit?: AuditRecord;
  oldAudit?: OldAudit;
  /** Called when the change is durable, in the order of the changes. */
  onStored?: () => void;
  /**
   * Called if a write fails before the change is stored. It is dropped then, with all changes of
   * its command. Default: the change is tried again until it is stored.
   */
  onRefused?: () => void;
}

/** Size of the events that are stored at once. */
const maxBatchBytes = 4 * 1024 * 1024;

/** Number of changes that are stored at once. */
const maxBatchChanges = 1000;

/** Time after a write that failed, in milliseconds. */
const retryMs = 1000;

/**
 * Stores changes in their order, those that arrive during a write with the next one. If a write
 * fails, it is repeated until it succeeds.
 */
export class StoreWriter {
  readonly #store: CommandStore;
  readonly #log: Logger;
  readonly #limits: Pick<ControlPlaneLimits, 'unstoredChanges' | 'unstoredBytes'>;
  readonly #closing = new AbortController();
  #changes: Change[] = [];
  /** Bytes of the events of the changes. */
  #bytes = 0;
  #writing: Promise<void> | undefined;
  #problem: unknown;

  constructor(store: CommandStore, log: Logger, limits: Pick<ControlPlaneLimits, 'unstoredChanges' | 'unstoredBytes'>) {
    this.#store = store;
    this.#log = log;
    this.#limits = limits;
  }

  /** Whether more changes wait than the limits say. */
  get isBehind(): boolean {
    return this.#changes.length > this.#limits.unstoredChanges || this.#bytes > this.#limits.unstoredBytes;
  }

  /** Why the last write failed; undefined if it did not. */
  get problem(): unknown {
    return this.#problem;
  }

  add(change: Change): void {
    this.#changes.push(change);
    this.#bytes += change.event?.bytes ?? 0;
    this.#writing ??= this.#writeAll();
  }

  /**
   * Calls back when all changes so far are stored, in the order of the calls. Calls `onRefused` if
   * a write fails before. Default of `onRefused`: the call waits until they are stored.
   */
  whenStored(onStored: () => void, onRefused?: () => void): void {
    if (this.#writing) this.#changes.push({ onStored, ...(onRefused && { onRefused }) });
    else onStored();
  }

  /** Resolves when everything is stored, or when a write has failed after `close` was called. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writing;
    await this.#store.close();
  }

  async #writeAll(): Promise<void> {
    const { signal } = this.#closing;
    await Promise.resolve(); // with the other changes of this turn
    // after a failure, an empty write finds out whether the store works again
    while (this.#changes.length > 0 || this.#problem !== undefined) {
      const count = batchLength(this.#changes);
      const changes = this.#changes.slice(0, count);
      try {
        if (changes.some(isStored) || this.#problem !== undefined) await this.#store.write(batchOf(changes));
        this.#problem = undefined;
        this.#changes.splice(0, count);
        this.#bytes -= bytesOf(changes);
      } catch (error) {
        this.#onFailure(error);
        if (signal.aborted) break;
        await sleep(retryMs, undefined, { signal }).catch(() => undefined);
        continue;
      }
      for (const { onStored } of changes) onStored?.();
    }
    this.#writing = undefined;
  }

  #onFailure(error: unknown): void {
    if (this.#problem === undefined) {
      const reason = messageOf(error);
      this.#log.warn({ reason }, 'cannot store commands and results; trying again');
    }
    this.#problem = error;
    const refused = new Set(this.#changes.filter(({ onRefused }) => onRefused));
    const keys = new Set(Array.from(refused, ({ command }) => command?.key));
    this.#changes = this.#changes.filter((change) => {
      const key = change.command?.key ?? change.event?.key;
      return !refused.has(change) && (key === undefined || !keys.has(key));
    });
    this.#bytes = bytesOf(this.#changes);
    for (const { onRefused } of refused) onRefused?.();
  }
}

function bytesOf(changes: readonly Change[]): number {
  return changes.reduce((sum, { event }) => sum + (event?.bytes ?? 0), 0);
}

/** Whether a change has something to store, besides the calls about that. */
function isStored({ onStored: _, onRefused: __, ...parts }: Change): boolean {
  return Object.keys(parts).length > 0;
}

/** A key that was forgotten is used again in a later batch. */
function batchLength(changes: readonly Change[]): number {
  const forgottenKeys = new Set<string>();
  let bytes = 0;
  const end = changes.findIndex(({ command, event, forgotten }, index) => {
    bytes += event?.bytes ?? 0;
    if (forgotten !== undefined) forgottenKeys.add(forgotten);
    const isReused = command !== undefined && forgottenKeys.has(command.key);
    return index > 0 && (isReused || bytes > maxBatchBytes || index === maxBatchChanges);
  });
  return end === -1 ? changes.length : end;
}

/** Only the last state of each command, agent and entry counts. */
function batchOf(changes: readonly Change[]): StoreBatch {
  const commands = new Map<string, CommandRecord>();
  const agents = new Map<string, boolean>();
  const sightings = new Map<string, AgentSighting>();
  const entries = new Map<string, StoredEntry>();
  for (const { command, agent, sighting, entry } of changes) {
    if (command) commands.set(command.key, command);
    if (agent) agents.set(agent.id, agent.isKnown);
    if (sighting) sightings.set(sighting.agentId, sighting);
    if (entry) entries.set(`${entry.collection} ${entry.id}`, entry);
  }
  const audit = changes.flatMap((change) => change.audit ?? []);
  const oldAudit = changes.findLast((change) => change.oldAudit)?.oldAudit;
  const agentsThat = (are: boolean) => [...agents].flatMap(([id, isKnown]) => (isKnown === are ? id : []));
  return {
    commands: [...commands.values()],
    events: changes.flatMap(({ event }) => event ?? []),
    trims: changes.flatMap(({ trim }) => trim ?? []),
    forgotten: changes.flatMap(({ forgotten }) => forgotten ?? []),
    agents: agentsThat(true),
    sightings: [...sightings.values()],
    forgottenAgents: agentsThat(false),
    ...(entries.size > 0 && { entries: [...entries.values()] }),
    ...(audit.length > 0 && { audit }),
    ...(oldAudit && { oldAudit }),
  };
}
