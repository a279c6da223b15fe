/** The last entry about an agent. */
interface Note {
  isConnected: boolean;
  /** The present state. */
  isConnectedNow: boolean;
  timer: NodeJS.Timeout;
}

/** Time between two entries about an agent, in milliseconds. */
const defaultIntervalMs = 10_000;

/**
 * Notes in the audit log that agents connect and disconnect. An agent whose connection changes all
 * the time gets an entry each 10 s, so that it cannot push other entries out.
 */
export class ConnectionNotes {
  readonly #note: (agentId: string, isConnected: boolean) => void;
  readonly #intervalMs: number;
  /** Of agents about which there was an entry not long ago. */
  readonly #notes = new Map<string, Note>();
  #isClosed = false;

  constructor(note: (agentId: string, isConnected: boolean) => void, intervalMs = defaultIntervalMs) {
    this.#note = note;
    this.#intervalMs = intervalMs;
  }

  /** Says that an agent has connected or disconnected. */
  changed(agentId: string, isConnected: boolean): void {
    if (this.#isClosed) return;
    const last = this.#notes.get(agentId);
    if (last) last.isConnectedNow = isConnected;
    else this.#add(agentId, isConnected);
  }

  /** Notes nothing any more. */
  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#notes.values()) clearTimeout(timer);
    this.#notes.clear();
  }

  #add(agentId: string, isConnected: boolean): void {
    this.#note(agentId, isConnected);
    const timer = setTimeout(() => this.#onInterval(agentId), this.#intervalMs).unref();
    this.#notes.set(agentId, { isConnected, isConnectedNow: isConnected, timer });
  }

  #onInterval(agentId: string): void {
    const last = this.#notes.get(agentId);
    this.#notes.delete(agentId);
    if (last && last.isConnected !== last.isConnectedNow) this.#add(agentId, last.isConnectedNow);
  }
}
