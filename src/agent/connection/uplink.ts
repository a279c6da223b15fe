import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../errors/index.ts';
import { closeCodes } from '../../protocol/close-codes.ts';
import type { AgentRecorder } from '../../metrics/agent-metrics.ts';
import type { Logger } from '../logger.ts';
import { backoffDelay, type BackoffTimes } from './backoff.ts';
import type { Channel, ClosedConnection } from './channel.ts';
import type { ProxyEnvironment } from '../../source/http/proxy-environment.ts';
import { dial } from './dial.ts';
import type { TlsSource } from './tls-files.ts';
import type { TokenSource } from './token-file.ts';
import { UrlOrder } from './url-order.ts';

export interface UplinkOptions {
  /** In the order in which they are tried. At least one. */
  urls: readonly string[];
  readToken?: TokenSource | undefined;
  readTls?: TlsSource | undefined;
  proxyEnv?: ProxyEnvironment | undefined;
  channel: Channel;
  log: Logger;
  recorder: AgentRecorder;
  backoff: BackoffTimes;
  handshakeTimeoutMs: number;
  /** Time by which an attempt may be late before the agent counts as stuck. */
  slackMs: number;
  /** Returns numbers from 0 up to 1. */
  random: () => number;
}

/** Status codes after which connecting again at once would have the same result. */
const refusals = new Set<number>([closeCodes.revoked, closeCodes.wrongAgent, closeCodes.replaced]);

/** Number of attempts after which waits have their longest bound, with the default times. */
const longestWait = 6;

/** Keeps a channel connected to the first control plane that can be reached. */
export class Uplink {
  readonly #options: UplinkOptions;
  readonly #urls: UrlOrder;
  /** Number of rounds through the URLs since the last stable connection. */
  #attempt = 0;
  /** Reason of the last failure with each URL since its last success. */
  readonly #reasons = new Map<string, string>();
  /** Time by which the next attempt starts or ends, unless the channel is connected. */
  #nextChangeMs = Infinity;

  constructor(options: UplinkOptions) {
    this.#options = options;
    this.#urls = new UrlOrder(options.urls);
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
    while (await this.#pause(this.#delay(), signal)) {
      if (this.#urls.isNewRound) this.#attempt++;
      this.#urls.begin();
      this.#expectChange(this.#options.handshakeTimeoutMs);
      const url = this.#urls.current;
      try {
        this.#onClosed(url, await this.#connect(url, signal));
      } catch (error) {
        if (!signal.aborted) this.#onFailure(url, error);
        this.#urls.advance();
      }
    }
  }

  /** Returns the milliseconds to wait before the next attempt. */
  #delay(): number {
    const { backoff, random } = this.#options;
    const wait = this.#urls.skip(performance.now());
    return Math.max(wait, this.#urls.isNewRound ? backoffDelay(this.#attempt, backoff, random) : 0);
  }

  /** Resolves when the connection is closed. */
  async #connect(url: string, signal: AbortSignal): Promise<ClosedConnection & { lastedMs: number }> {
    const { channel, handshakeTimeoutMs, log, recorder, readToken, readTls, proxyEnv } = this.#options;
    const [token, secureContext] = await Promise.all([readToken?.(), readTls?.()]);
    const closed = Promise.withResolvers<ClosedConnection & { lastedMs: number }>();
    await dial({ url, token, secureContext, proxyEnv, handshakeTimeoutMs, signal }, (socket, form) => {
      const opened = performance.now();
      this.#reasons.delete(url);
      recorder.count('helm_agent_connections_total', { result: 'success' });
      log.info({ url: withoutCredentials(url), form }, 'connected to the control plane');
      channel.attach(socket, form, (connection) => {
        closed.resolve({ ...connection, lastedMs: performance.now() - opened });
      });
    });
    return closed.promise;
  }

  #onClosed(url: string, { lastedMs, code, reason, retryAfterMs }: ClosedConnection & { lastedMs: number }): void {
    const { backoff, log, random } = this.#options;
    log.warn({ url: withoutCredentials(url), code, reason }, 'the connection to the control plane is closed');
    if (retryAfterMs !== undefined) {
      // all agents of the control plane come back, but not at the same time
      this.#urls.leaveOut(performance.now() + retryAfterMs * (1 + random()));
      this.#attempt = 0;
    } else if (refusals.has(code)) {
      this.#attempt = Math.max(this.#attempt, longestWait);
      this.#urls.restart();
    } else if (lastedMs >= backoff.stableMs) {
      this.#attempt = 0;
      this.#urls.restart();
    } else {
      this.#urls.advance();
    }
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

  #onFailure(url: string, error: unknown): void {
    const { log, recorder } = this.#options;
    recorder.count('helm_agent_connections_total', { result: 'failure' });
    const reason = messageOf(error);
    const fields = { url: withoutCredentials(url), attempt: this.#attempt, reason };
    if (reason === this.#reasons.get(url)) log.debug(fields, 'still cannot connect to the control plane');
    else log.warn(fields, 'cannot connect to the control plane');
    this.#reasons.set(url, reason);
  }
}

function withoutCredentials(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
