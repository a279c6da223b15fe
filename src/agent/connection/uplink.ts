import { setTimeout as sleep } from 'node:timers/promises';
import { closeCodes } from '../../protocol/close-codes.ts';
import type { WireForm } from '../../protocol/subprotocol.ts';
import type { Logger } from '../logger.ts';
import { backoffDelay, type BackoffTimes } from './backoff.ts';
import type { Channel } from './channel.ts';
import { dial, DialError } from './dial.ts';
import type { TokenSource } from './token-file.ts';

export interface UplinkOptions {
  url: string;
  readToken?: TokenSource | undefined;
  channel: Channel;
  log: Logger;
  backoff: BackoffTimes;
  handshakeTimeoutMs: number;
  /** Time by which an attempt may be late before the agent counts as stuck. */
  slackMs: number;
  /** Returns numbers from 0 up to 1. */
  random: () => number;
}

/** A connection that was closed. */
interface Closed {
  /** Time for which it was open, in milliseconds. */
  lastedMs: number;
  /** Status code of the WebSocket. */
  code: number;
  reason: string;
}

/** Status codes after which connecting again at once would have the same result. */
const refusals = new Set<number>([closeCodes.revoked, closeCodes.wrongAgent, closeCodes.replaced]);

/** Number of attempts after which waits have their longest bound, with the default times. */
const longestWait = 6;

/** Keeps a channel connected to the control plane. */
export class Uplink {
  readonly #options: UplinkOptions;
  readonly #url: string;
  #form: WireForm = 'v1';
  #attempt = 0;
  /** Reason of the last attempt's failure; undefined after a success. */
  #lastReason: string | undefined;
  /** Time by which the next attempt starts or ends, unless the channel is connected. */
  #nextChangeMs = Infinity;

  constructor(options: UplinkOptions) {
    this.#options = options;
    this.#url = withoutCredentials(options.url);
  }

  /** Whether the channel is connected, or attempts to connect it are made when they are due. */
  get isAlive(): boolean {
    return this.#options.channel.isConnected || performance.now() <= this.#nextChangeMs;
  }

  /**
   * Connects and reconnects until the signal aborts, and resolves when the last connection is
   * closed.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { backoff, handshakeTimeoutMs, log, random } = this.#options;
    while (await this.#pause(backoffDelay(this.#attempt, backoff, random), signal)) {
      this.#attempt++;
      this.#expectChange(handshakeTimeoutMs);
      try {
        const { lastedMs, code, reason } = await this.#connect(signal);
        log.warn({ url: this.#url, code, reason }, 'the connection to the control plane is closed');
        if (refusals.has(code)) this.#attempt = Math.max(this.#attempt, longestWait);
        else if (lastedMs >= backoff.stableMs) this.#attempt = 0;
      } catch (error) {
        if (!signal.aborted) this.#onFailure(error);
      }
    }
  }

  /** Resolves when the connection is closed. */
  async #connect(signal: AbortSignal): Promise<Closed> {
    const { url, channel, handshakeTimeoutMs, log, readToken } = this.#options;
    const form = this.#form;
    const token = await readToken?.();
    const closed = Promise.withResolvers<Closed>();
    await dial({ url, form, token, handshakeTimeoutMs, signal }, (socket) => {
      const opened = performance.now();
      this.#lastReason = undefined;
      log.info({ url: this.#url, form }, 'connected to the control plane');
      channel.attach(socket, (code, reason) => {
        closed.resolve({ lastedMs: performance.now() - opened, code, reason });
      });
    });
    return closed.promise;
  }

  /** Returns false if the signal aborted meanwhile. */
  async #pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
    this.#expectChange(milliseconds);
    await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  }

  #expectChange(milliseconds: number): void {
    this.#nextChangeMs = performance.now() + milliseconds + this.#options.slackMs;
  }

  #onFailure(error: unknown): void {
    const { log } = this.#options;
    if (error instanceof DialError && error.failure.kind === 'no-subprotocol') {
      log.info({ url: this.#url }, 'the control plane uses the plain form of the Go helm-agent');
      this.#form = 'plain';
      this.#attempt = 0;
      return;
    }
    const reason = error instanceof Error ? error.message : String(error);
    const fields = { url: this.#url, attempt: this.#attempt, reason };
    if (reason === this.#lastReason) log.debug(fields, 'still cannot connect to the control plane');
    else log.warn(fields, 'cannot connect to the control plane');
    this.#lastReason = reason;
  }
}

function withoutCredentials(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
