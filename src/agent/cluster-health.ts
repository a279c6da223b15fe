import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../errors/index.ts';
import { type Health, maxHealthReason } from '../protocol/messages.ts';

type ClusterState = Health['cluster'];

/** Interval between two looks at the cluster, in milliseconds. */
const intervalMs = 15_000;

/** Time for the API server to respond. */
const answerTimeoutMs = 10_000;

export interface ClusterHealthOptions {
  /** Resolves if it does. */
  probe: (signal: AbortSignal) => Promise<void>;
  now: () => Date;
  /** Default: 15,000. */
  intervalMs?: number;
}

/** Whether the API server of the cluster responds, or stores the journal, as it is now. */
export class ClusterHealth {
  readonly #options: ClusterHealthOptions;
  readonly #listeners = new Set<() => void>();
  #state: ClusterState | undefined;

  constructor(options: ClusterHealthOptions) {
    this.#options = options;
  }

  /** Undefined until the first look has ended. */
  get state(): ClusterState | undefined {
    return this.#state;
  }

  /** Calls back when the state changes. Returns a function that ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Looks at the cluster until the signal aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    const { probe, intervalMs: pause = intervalMs } = this.#options;
    while (!isAborted(signal)) {
      const reason = await probe(AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)])).then(
        () => undefined,
        (error: unknown) => oneLine(messageOf(error)),
      );
      if (isAborted(signal)) return;
      this.#note(reason);
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #note(reason: string | undefined): void {
    const reachable = reason === undefined;
    if (this.#state?.reachable === reachable) return;
    this.#state = { reachable, since: this.#options.now().toISOString(), ...(!reachable && { reason }) };
    for (const listener of this.#listeners) listener();
  }
}

/** Returns the beginning of a text, without characters that a packet must not have here. */
function oneLine(text: string): string {
  return text.slice(0, maxHealthReason).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
}

/** Whether a signal has aborted, which an await can have changed. */
function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}
