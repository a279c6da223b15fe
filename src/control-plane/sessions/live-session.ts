import type { Duplex } from 'node:stream';
import { abortable, Notice } from '../../async/index.ts';
import { ControlPlaneError } from '../error.ts';
import type { RecordedSession } from './asciicast.ts';

/** A person who watches the session of another one. */
export interface Watcher {
  readonly user: string;
  /** Is given the output. Must not wait: one that is too slow leaves. */
  send(channel: 1 | 2, bytes: Buffer): void;
  /** Called when the session has ended. */
  end(): void;
}

/** Something that the first person of a session gets to know. */
export interface SessionNotice {
  state: 'waiting' | 'joined' | 'left';
  /** The person who has joined or left. */
  user?: string;
}

/** A session between its first person and an agent, and those who watch it. */
export class LiveSession {
  readonly facts: RecordedSession;
  readonly #stream: Duplex;
  readonly #notify: (notice: SessionNotice) => void;
  readonly #watchers = new Set<Watcher>();
  readonly #changed = new Notice();

  constructor(facts: RecordedSession, stream: Duplex, notify: (notice: SessionNotice) => void) {
    this.facts = facts;
    this.#stream = stream;
    this.#notify = notify;
  }

  /** Resolves when someone watches. Rejects with the signal's reason. */
  async watched(signal: AbortSignal): Promise<void> {
    if (this.#watchers.size === 0) this.#notify({ state: 'waiting' });
    while (this.#watchers.size === 0) await abortable(this.#changed.next(signal), signal);
  }

  add(watcher: Watcher): void {
    this.#watchers.add(watcher);
    this.#notify({ state: 'joined', user: watcher.user });
    this.#changed.give();
  }

  /** Returns how many others watch. */
  delete(watcher: Watcher): number {
    if (this.#watchers.delete(watcher)) this.#notify({ state: 'left', user: watcher.user });
    return this.#watchers.size;
  }

  send(channel: 1 | 2, bytes: Buffer): void {
    for (const watcher of [...this.#watchers]) watcher.send(channel, bytes);
  }

  /** Ends the session, and the program's input. */
  terminate(message: string): void {
    this.#stream.destroy(new ControlPlaneError('cancelled', message));
  }

  /** Tells the watchers that the session has ended. */
  close(): void {
    for (const watcher of [...this.#watchers]) watcher.end();
    this.#watchers.clear();
  }
}
