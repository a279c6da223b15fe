import { Notice } from '../../async/index.ts';
import type { StreamKind } from '../../protocol/streams/stream-kinds.ts';
import type { Tunnel } from '../../protocol/streams/tunnel.ts';

/** Gives the tunnel of the newest connection to those that open streams. */
export class TunnelSource {
  /** False: the control plane has no streams. Undefined: there is no connection. */
  #tunnel: Tunnel | false | undefined;
  #kinds: readonly string[] = [];
  readonly #connected = new Notice();

  /**
   * Uses the tunnel of a new connection, for the kinds of streams that its control plane knows;
   * false if that has no streams.
   */
  connect(tunnel: Tunnel | false, kinds: readonly string[] = []): void {
    this.#tunnel = tunnel;
    this.#kinds = kinds;
    this.#connected.give();
  }

  /** Ends the use of a tunnel. Has no effect if another one is used. */
  disconnect(tunnel: Tunnel | false): void {
    if (this.#tunnel === tunnel) this.#tunnel = undefined;
  }

  /**
   * Waits for a connection. Returns undefined if its control plane has no streams of the kind.
   * Rejects with the signal's reason.
   */
  async tunnel(kind: StreamKind, signal: AbortSignal): Promise<Tunnel | undefined> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#tunnel !== undefined)
        return this.#tunnel !== false && this.#kinds.includes(kind) ? this.#tunnel : undefined;
      await this.#connected.next(signal);
    }
  }
}
