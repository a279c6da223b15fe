import { messageOf } from '../errors/index.ts';
import type { CancelCommandMode } from '../protocol/commands/cancel-command.ts';
import type { CommandTable } from '../protocol/commands/table.ts';
import type { CommandResult } from '../protocol/messages.ts';
import { lastRestoreOf } from './backup.ts';
import { ControlPlaneError } from './error.ts';
import type { ControlPlaneLimits } from './limits.ts';
import type { Logger } from './logger.ts';
import { OpenCommands } from './open-commands.ts';
import { ResultFeed } from './result-feed.ts';
import type {
  AgentSighting,
  CommandRecord,
  CommandStore,
  EventRecord,
  StoreContents,
  StoredEntry,
} from './store/command-store.ts';
import { type Change, StoreWriter } from './store/store-writer.ts';
import { Sweeps } from './sweeps.ts';
import { type CommandContext, TrackedCommand } from './tracked-command.ts';

/** Number of commands that have ended whose events stay in memory. */
const maxLoaded = 500;

/** Bytes of the packets of their events. */
const maxLoadedBytes = 32 * 1024 * 1024;

/** Number of commands whose events are read at once when the store is opened. */
const pageSize = 1000;

/** Bytes of these events, but for those of the last command. */
const pageBytes = 4 * 1024 * 1024;

/** The entry with the number of the newest result, if that is forgotten. */
const newestEntry = { collection: 'results', id: 'newest' };

export interface CommandIndexOptions {
  /** The commands whose results are checked. */
  table: CommandTable;
  store: CommandStore;
  limits: ControlPlaneLimits;
  log: Logger;
  now: () => Date;
  /** Called when a result is stored. */
  onResult: (command: TrackedCommand, result: CommandResult) => void;
  cancel: (command: TrackedCommand, mode: CancelCommandMode | undefined) => Promise<boolean>;
}

/** All commands that the store keeps, by key, and the agents that were ever connected. */
export class CommandIndex {
  /** The results that are stored. */
  readonly results: ResultFeed;
  readonly #store: CommandStore;
  readonly #log: Logger;
  readonly #now: () => Date;
  readonly #writer: StoreWriter;
  readonly #context: CommandContext;
  readonly #commands = new Map<string, TrackedCommand>();
  readonly #open: OpenCommands;
  readonly #loaded = new Set<TrackedCommand>();
  /** The agents that were ever connected, with the last time if it is known. */
  readonly #agents = new Map<string, AgentSighting | undefined>();
  readonly #maxAgents: number;
  readonly #storeWaitMs: number;
  /** Between the attempts to open: what the store has. */
  #contents: StoreContents | undefined;
  #loadedBytes = 0;
  #lastResult = 0;
  /** New results and events have higher numbers: those since the backup are not known. */
  #lastRestore = 0;
  readonly #closed = new AbortController();
  readonly #sweeps: Sweeps;
  #isOpen = false;
  /** Whether the last read of events has not failed. */
  #isReadable = true;
  #version = 1;

  constructor({ table, store, limits, log, now, onResult, cancel }: CommandIndexOptions) {
    this.#store = store;
    this.#log = log;
    this.#now = now;
    this.#maxAgents = limits.knownAgents;
    this.#storeWaitMs = limits.storeWaitMs;
    this.#open = new OpenCommands(limits);
    this.#writer = new StoreWriter(store, log, limits);
    this.results = new ResultFeed(store.retention, (command) => this.#forget(command));
    this.#sweeps = new Sweeps({
      ...{ what: 'old results', log, stored: () => this.storedLater() },
      forget: (max) => this.results.forgetOld(now().getTime(), max),
    });
    this.#context = {
      table,
      write: (change) => this.#writer.add(change),
      events: (key) => this.#read(key),
      closed: this.#closed.signal,
      nextEnd: (outcome) => ({ number: ++this.#lastResult, at: now().getTime(), isDelivered: false, outcome }),
      onChanged: (command) => {
        this.#version++;
        this.#open.update(command);
      },
      onEnded: (command, result) => {
        this.#version++;
        this.#open.delete(command);
        // one that could not be stored has no place among the results
        if (command.record.end) {
          this.#onLoaded(command);
          this.results.add(command, now().getTime());
        }
        onResult(command, result);
      },
      onLoaded: (command) => this.#onLoaded(command),
      cancel,
    };
  }

  /**
   * Reads what is stored, and returns what is not about commands. Rejects with `ControlPlaneError`
   * `store_unavailable`, and can be called again then, and with the signal's reason.
   */
  async open(signal?: AbortSignal): Promise<Pick<StoreContents, 'entries' | 'lastAudit'>> {
    this.#contents ??= await this.#store.open(signal);
    const { commands, agents, sightings = [], entries = [], lastAudit } = this.#contents;
    const restored: TrackedCommand[] = [];
    for (const page of pagesOf(commands)) {
      signal?.throwIfAborted();
      const read = page.map(async ({ state, key }) => (state === 'done' ? undefined : await this.#store.events(key)));
      const events = await Promise.all(read);
      for (const [index, record] of page.entries()) {
        restored.push(new TrackedCommand(this.#context, record, events[index]));
      }
    }
    this.#contents = undefined;
    this.#lastRestore = lastRestoreOf(entries, { now: this.#now, keep: (entry) => this.keep(entry) });
    for (const agentId of agents) this.#agents.set(agentId, undefined);
    for (const sighting of sightings) this.#agents.set(sighting.agentId, sighting);
    for (const command of restored) {
      this.#commands.set(command.key, command);
      if (command.state !== 'done') this.#open.add(command);
      command.restore(this.#lastRestore);
    }
    const ended = [...this.#commands.values()].filter(({ record }) => record.end);
    ended.sort((a, b) => numberOf(a) - numberOf(b));
    for (const command of ended) this.results.add(command, this.#now().getTime());
    this.results.continueAfter(newestOf(entries));
    this.#lastResult = Math.max(this.results.newest, this.#lastRestore);
    this.#isOpen = true;
    this.#sweeps.open();
    return { entries, ...(lastAudit && { lastAudit }) };
  }

  /** The time of the last start from a backup, in milliseconds; 0: there was none. */
  get lastRestore(): number {
    return this.#lastRestore;
  }

  /** Ends the readers of results, waits until everything is stored, and closes the store. */
  async close(): Promise<void> {
    this.#isOpen = false;
    void this.#sweeps.close(); // it would wait for ever for what cannot be stored
    this.results.close();
    try {
      await this.#writer.close();
    } finally {
      this.#closed.abort(new ControlPlaneError('store_unavailable', 'the control plane is closed'));
      for (const command of this.#commands.values()) command.close();
    }
  }

  /** Whether the store is open and reachable, and the last write has not failed. */
  get isAvailable(): boolean {
    return this.#isOpen && this.#writer.problem === undefined && this.#store.isReachable?.() !== false;
  }

  /** Whether more changes wait to be stored than the limits say, so that no more should arrive. */
  get isBehind(): boolean {
    return this.#writer.isBehind;
  }

  /** Throws `ControlPlaneError` `store_unavailable` if nothing can be stored now. */
  requireAvailable(): void {
    if (!this.isAvailable) throw notStored('the control plane cannot store changes; see its log');
  }

  /** Calls back when all changes so far are stored, in the order of the calls. */
  whenStored(onStored: () => void): void {
    this.#writer.whenStored(onStored);
  }

  /** Stores a part of the audit log with the next changes. */
  write(change: Pick<Change, 'audit' | 'oldAudit' | 'onStored'>): void {
    this.#writer.add(change);
  }

  /** Stores an entry with the next changes. */
  keep(entry: StoredEntry): void {
    this.#writer.add({ entry });
  }

  /**
   * Resolves when all changes so far are stored. Rejects with `ControlPlaneError`
   * `store_unavailable` if nothing can be stored now, if a write fails, and after a limited time.
   * The changes themselves stay, and are stored later: who has made them takes them back.
   */
  async stored(): Promise<void> {
    this.requireAvailable();
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const refuse = () => reject(notStored('the control plane could not store the change; see its log'));
    const timer = setTimeout(refuse, this.#storeWaitMs);
    this.#writer.whenStored(() => resolve(undefined), refuse);
    await promise.finally(() => clearTimeout(timer));
  }

  /** Resolves when all changes so far are stored, however long that takes. */
  storedLater(): Promise<void> {
    return new Promise((resolve) => this.whenStored(resolve));
  }

  get(key: string): TrackedCommand | undefined {
    return this.#commands.get(key);
  }

  /** Whether a command for an agent is kept. */
  hasCommandFor(agentId: string): boolean {
    for (const command of this.#commands.values()) if (command.agentId === agentId) return true;
    return false;
  }

  /** Another number each time a command was added, has changed or was forgotten. */
  get version(): number {
    return this.#version;
  }

  /** Returns all commands, the newest first. */
  newestFirst(): CommandRecord[] {
    return Array.from(this.#commands.values(), ({ record }) => record).reverse();
  }

  /** Adds and stores a new command, then calls `onStored`. */
  add(record: CommandRecord, onStored: (command: TrackedCommand) => void): TrackedCommand {
    const numbered = { ...this.#open.withSharedPayload(record), lastEvent: this.#lastRestore };
    const command = new TrackedCommand(this.#context, numbered, []);
    this.#commands.set(record.key, command);
    this.#version++;
    this.#open.add(command);
    command.save(
      () => onStored(command),
      () => {
        this.#open.delete(command);
        this.#commands.delete(record.key);
        this.#version++;
      },
    );
    return command;
  }

  /** Returns the agent's commands that have no result yet, in the order in which they arrived. */
  openOf(agentId: string): TrackedCommand[] {
    return this.#open.of(agentId).filter(({ isStored, state }) => isStored && state !== 'done');
  }

  /** Returns why no command with a payload can be added for an agent. */
  refusal(agentId: string, payload: string): ControlPlaneError | undefined {
    return this.#open.refusal(agentId, payload);
  }

  /** Returns the commands of all agents that are stored and have no result yet. */
  allOpen(): TrackedCommand[] {
    return this.#open.agentIds().flatMap((agentId) => this.openOf(agentId));
  }

  /** Whether the agent was ever connected, and is one of those that are remembered. */
  knowsAgent(agentId: string): boolean {
    return this.#agents.has(agentId);
  }

  /** Returns the agents that were ever connected, with the last time if it is known. */
  knownAgents(): ReadonlyMap<string, AgentSighting | undefined> {
    return this.#agents;
  }

  /** Notes that a connection of an agent begins or ends now. */
  sawAgent(agentId: string, version: string): void {
    const isKnown = this.#agents.has(agentId);
    if (!isKnown && this.#agents.size >= this.#maxAgents) return;
    const sighting = { agentId, version, lastSeen: this.#now().getTime() };
    this.#agents.set(agentId, sighting);
    this.#writer.add({ sighting, ...(!isKnown && { agent: { id: agentId, isKnown: true } }) });
  }

  /** Makes an agent one that was never connected. */
  forgetAgent(agentId: string): void {
    if (this.#agents.delete(agentId)) this.#writer.add({ agent: { id: agentId, isKnown: false } });
  }

  async #read(key: string): Promise<EventRecord[]> {
    try {
      const events = await this.#store.events(key);
      this.#isReadable = true;
      return events;
    } catch (error) {
      if (this.#isReadable && this.#isOpen) {
        this.#log.warn({ reason: messageOf(error) }, 'cannot read stored results and events; trying again');
      }
      this.#isReadable = false;
      throw new ControlPlaneError('store_unavailable', 'the control plane cannot read its store; see its log');
    }
  }

  /** Keeps the events of those commands in memory whose events were needed last. */
  #onLoaded(command: TrackedCommand): void {
    if (!this.#loaded.delete(command)) this.#loadedBytes += command.record.bytes;
    this.#loaded.add(command);
    for (const oldest of this.#loaded) {
      if (oldest === command) return;
      if (this.#loaded.size <= maxLoaded && this.#loadedBytes <= maxLoadedBytes) return;
      this.#unload(oldest);
    }
  }

  #unload(command: TrackedCommand): void {
    if (!this.#loaded.delete(command)) return;
    this.#loadedBytes -= command.record.bytes;
    command.unload();
  }

  #forget(command: TrackedCommand): void {
    this.#commands.delete(command.key);
    this.#version++;
    // its events stay in memory for those who still read them
    if (this.#loaded.delete(command)) this.#loadedBytes -= command.record.bytes;
    const isNewest = numberOf(command) === this.results.newest;
    const entry = { ...newestEntry, text: String(numberOf(command)) };
    this.#writer.add({ forgotten: command.key, ...(isNewest && { entry }) });
  }
}

/** Returns commands in pages by the size of the events that open ones have. */
function* pagesOf(commands: readonly CommandRecord[]): Generator<CommandRecord[]> {
  let page: CommandRecord[] = [];
  let bytes = 0;
  for (const record of commands) {
    page.push(record);
    if (record.state !== 'done') bytes += record.bytes;
    if (page.length < pageSize && bytes < pageBytes) continue;
    yield page;
    [page, bytes] = [[], 0];
  }
  yield page;
}

function notStored(message: string): ControlPlaneError {
  return new ControlPlaneError('store_unavailable', message);
}

function numberOf(command: TrackedCommand | undefined): number {
  return command?.record.end?.number ?? 0;
}

/** Returns the number of the newest result that is forgotten; 0 if it is kept. */
function newestOf(entries: readonly StoredEntry[]): number {
  const { collection, id } = newestEntry;
  return Number(entries.find((entry) => entry.collection === collection && entry.id === id)?.text ?? 0);
}
