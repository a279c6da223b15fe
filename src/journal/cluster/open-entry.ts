import { retry } from '../../async/index.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import type { ObjectRef } from '../../objects/object.ts';
import type { OperationState } from '../../operation/state/operation-state.ts';
import type { ListedCommand } from '../journal.ts';
import { JournalError } from '../journal-error.ts';
import { progressOf } from '../operation-state.ts';
import { decodeHead, encodeHead, type EntryHead, entryLabels, listedOf } from './entry-head.ts';
import { deleteParts, fieldManager, isPassing, type JournalCluster, storeText } from './entry-texts.ts';
import type { FinishedEntry } from './retention.ts';

export interface OpenEntryOptions {
  cluster: JournalCluster;
  ref: ObjectRef;
  head: EntryHead;
  resourceVersion: string;
  /** Ends all attempts. */
  signal: AbortSignal;
}

/** Pauses before further attempts to store a state, in milliseconds. */
const statePauses = [100, 250, 500, 1000, 2000, 4000, 4000];

/** Pauses before further attempts to store an outcome. The last one repeats. */
const outcomePauses = [100, 500, 2000, 5000, 15_000];

/**
 * The entry of a command that this process runs. Each write names the version that it changes, so
 * that a process whose command was taken over can write nothing.
 */
export class OpenEntry {
  readonly #cluster: JournalCluster;
  readonly #ref: ObjectRef;
  readonly #signal: AbortSignal;
  #head: EntryHead;
  #resourceVersion: string;
  #tail: Promise<unknown> = Promise.resolve();
  #next: { state: OperationState; stored: Promise<void> } | undefined;
  #progress: string | undefined;

  constructor({ cluster, ref, head, resourceVersion, signal }: OpenEntryOptions) {
    this.#cluster = cluster;
    this.#ref = ref;
    this.#head = head;
    this.#resourceVersion = resourceVersion;
    this.#signal = signal;
  }

  /** Stores a state. States that arrive during a write are stored with one further write. */
  save(state: OperationState): Promise<void> {
    if (this.#next) {
      this.#next.state = state;
      return this.#next.stored;
    }
    const next = { state, stored: Promise.resolve() };
    next.stored = this.#inOrder(async () => {
      this.#next = undefined;
      await this.#saveState(next.state);
    });
    this.#next = next;
    return next.stored;
  }

  /**
   * Stores the outcome, until it succeeds. Returns what was stored, or undefined if the command is
   * anonymous, so that its entry was deleted.
   */
  async finish(outcome: string, finishedAt: number): Promise<FinishedEntry | undefined> {
    return await this.#inOrder(async () => {
      return await this.#repeat(outcomePauses, true, async () => {
        if (!this.#head.isAnonymous) return await this.#storeOutcome(outcome, finishedAt);
        await this.#cluster.delete(this.#ref, { signal: this.#signal });
        await this.#deletePrivateParts();
        return undefined;
      });
    });
  }

  /**
   * Takes the entry over for another process. That process has not ended, so no command that it has
   * continued in an earlier term has ended it.
   */
  async claim(holder: string, processId: string): Promise<void> {
    await this.#writeHead({ ...this.#head, holder, ...this.#continuedByOthersThan(processId) });
  }

  /** Notes the state from which this process continues the command. */
  startFrom(state: OperationState | undefined): void {
    this.#progress = state && progressOf(state);
  }

  /** The command as it is listed; undefined if its sender has no key. */
  get listed(): ListedCommand | undefined {
    return listedOf(this.#head);
  }

  /**
   * Number of processes that have continued the command alone without getting any further, and have
   * not ended orderly.
   */
  get failedContinuations(): number {
    return this.#head.continuedBy?.length ?? 0;
  }

  /** Whether there is such a process, also one that has continued others at the same time. */
  get isSuspect(): boolean {
    return this.failedContinuations > 0 || (this.#head.continuedWithOthersBy ?? []).length > 0;
  }

  /** Stores that a process continues the command, alone or together with others. */
  async continuing(processId: string, isAlone: boolean): Promise<void> {
    const field = isAlone ? 'continuedBy' : 'continuedWithOthersBy';
    await this.#inOrder(async () => {
      await this.#repeat(statePauses, false, async () => {
        const others = this.#continuedByOthersThan(processId);
        await this.#writeHead({ ...this.#head, ...others, [field]: [...others[field], processId] });
      });
    });
  }

  /** Stores that a process that may have continued the command ends orderly. */
  async leave(processId: string): Promise<void> {
    await this.#inOrder(async () => {
      const { continuedBy = [], continuedWithOthersBy = [], finishedAt } = this.#head;
      if (finishedAt !== undefined || ![...continuedBy, ...continuedWithOthersBy].includes(processId)) return;
      await this.#repeat(statePauses, false, async () => {
        await this.#writeHead({ ...this.#head, ...this.#continuedByOthersThan(processId) });
      });
    });
  }

  /** Returns the processes that have continued it, without one of them. */
  #continuedByOthersThan(processId: string) {
    const { continuedBy = [], continuedWithOthersBy = [] } = this.#head;
    const isOther = (id: string) => id !== processId;
    return { continuedBy: continuedBy.filter(isOther), continuedWithOthersBy: continuedWithOthersBy.filter(isOther) };
  }

  async #writeHead(head: EntryHead): Promise<void> {
    await this.#write({ data: { head: encodeHead(head) } });
    this.#head = head;
  }

  async #saveState(state: OperationState): Promise<void> {
    const text = JSON.stringify(state);
    await this.#repeat(statePauses, false, async () => {
      const { agentId } = this.#head;
      const { data, parts } = await storeText(this.#cluster, this.#ref, agentId, 'state', text, this.#signal);
      const hasProgressed = this.#progress !== undefined && progressOf(state) !== this.#progress;
      const head: EntryHead = {
        ...this.#head,
        ...(hasProgressed && { continuedBy: undefined, continuedWithOthersBy: undefined }),
        parts: { ...this.#head.parts, state: parts },
      };
      await this.#write({ data: { head: encodeHead(head), state: null, ...data } });
      this.#head = head;
    });
  }

  async #storeOutcome(outcome: string, finishedAt: number): Promise<FinishedEntry> {
    const { agentId } = this.#head;
    const { data, parts, bytes } = await storeText(this.#cluster, this.#ref, agentId, 'outcome', outcome, this.#signal);
    const head = { ...this.#head, finishedAt, parts: { outcome: parts } };
    await this.#write({
      metadata: { labels: entryLabels(agentId, 'finished') },
      data: { head: encodeHead(head), payload: null, state: null, ...data },
    });
    this.#head = { ...this.#head, finishedAt };
    await this.#deletePrivateParts();
    return { name: this.#ref.name, listed: this.listed, finishedAt, bytes, parts };
  }

  async #deletePrivateParts(): Promise<void> {
    const { payload = 0, state = 0 } = this.#head.parts;
    await deleteParts(this.#cluster, this.#ref, 'payload', payload, this.#signal);
    await deleteParts(this.#cluster, this.#ref, 'state', state, this.#signal);
  }

  /** Sends one write. After a conflict, sends it again if this process still holds the entry. */
  async #write({ metadata = {}, data }: { metadata?: object; data: Record<string, string | null> }): Promise<void> {
    for (;;) {
      const version = { resourceVersion: this.#resourceVersion };
      try {
        const patch = { metadata: { ...metadata, ...version }, data };
        const stored = await this.#cluster.mergePatch(this.#ref, patch, { fieldManager, signal: this.#signal });
        this.#resourceVersion = stored.metadata.resourceVersion ?? '';
        return;
      } catch (error) {
        if (hasClusterErrorCode(error, 'not_found')) throw lost(error);
        if (!hasClusterErrorCode(error, 'conflict')) throw error;
        await this.#readVersion(error);
      }
    }
  }

  /** Reads the version of an entry that was changed, as by a write whose answer was lost. */
  async #readVersion(cause: unknown): Promise<void> {
    const found = await this.#cluster.get(this.#ref, this.#signal);
    const head = found && decodeHead(found);
    if (found === undefined || head?.holder !== this.#head.holder) throw lost(cause);
    this.#resourceVersion = found.metadata.resourceVersion ?? '';
  }

  async #repeat<T>(pauses: readonly number[], isEndless: boolean, attempt: () => Promise<T>): Promise<T> {
    const canRetry = (error: unknown) => {
      this.#signal.throwIfAborted();
      return isPassing(error);
    };
    return await retry(attempt, { pauses, isEndless, canRetry, signal: this.#signal });
  }

  /** Runs writes one after the other. */
  #inOrder<T>(write: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(write);
    this.#tail = result.catch(() => undefined);
    return result;
  }
}

function lost(cause: unknown): JournalError {
  return new JournalError('journal_lost', 'another process has taken the command over', cause);
}
