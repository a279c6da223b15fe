import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { messageOf } from '../../errors/index.ts';
import type { AgentRecorder } from '../../metrics/agent-metrics.ts';
import type { HeartbeatTimes } from '../../net/heartbeat.ts';
import { closeCodes } from '../../protocol/close-codes.ts';
import type { AgentKey } from '../key/agent-key.ts';
import type { Logger } from '../logger.ts';
import { backoffDelay, type BackoffTimes } from './backoff.ts';
import type { Channel, ClosedConnection } from './channel.ts';
import { dial, DialError, type DialOptions } from './dial.ts';
import { proveKey } from './prove-key.ts';
import type { TlsSource } from './tls-files.ts';
import type { TokenSource } from './token-file.ts';
import { UrlOrder } from './url-order.ts';

export interface UplinkOptions {
  /** In the order in which they are tried. At least one. */
  urls: readonly string[];
  readToken?: TokenSource | undefined;
  /** The key that the agent proves in place of a token. Default: none. */
  key?: AgentKey | undefined;
  readTls?: TlsSource | undefined;
  proxyEnv?: DialOptions['proxyEnv'];
  channel: Channel;
  log: Logger;
  recorder: AgentRecorder;
  backoff: BackoffTimes;
  handshakeTimeoutMs: number;
  heartbeat: HeartbeatTimes;
  /** Time by which an attempt may be late before the agent counts as stuck. */
  slackMs: number;
  /** Returns numbers from 0 up to 1. */
  random: () => number;
}

/** Status codes after which connecting again at once would have the same result. */
const refusals = new Set<number>([
  closeCodes.revoked,
  closeCodes.notEnrolled,
  closeCodes.wrongAgent,
  closeCodes.replaced,
  closeCodes.copied,
]);

/** The longest time between two looks at the age of the key, in milliseconds. */
const keyCheckMs = 3_600_000;

/** Number of attempts after which waits have their longest bound, with the default times. */
const longestWait = 6;

/** Keeps a channel connected to the first control plane that can be reached. */
export class Uplink {
  readonly #options: UplinkOptions;
  readonly #urls: UrlOrder;
  /** Time to wait before the next attempt because a control plane has lost all of its agents. */
  #spreadMs = 0;
  /** Number of rounds through the URLs since the last stable connection. */
  #attempt = 0;
  /** Reason of the last failure with each URL since its last success. */
  readonly #reasons = new Map<string, string>();
  /** Time by which the next attempt starts or ends, unless the channel is connected. */
  #nextChangeMs = Infinity;
  /** Whether the control plane decides about the key, which may take as long as a person does. */
  #isProving = false;

  constructor(options: UplinkOptions) {
    this.#options = options;
    this.#urls = new UrlOrder(options.urls);
  }

  /** Whether the channel is connected, or attempts to connect it are made when they are due. */
  get isAlive(): boolean {
    return this.#options.channel.isConnected || this.#isProving || performance.now() <= this.#nextChangeMs;
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
        this.#afterFailure(error);
      }
    }
  }

  /** Returns the milliseconds to wait before the next attempt. */
  #delay(): number {
    const { backoff, random } = this.#options;
    const wait = Math.max(this.#spreadMs, this.#urls.skip(performance.now()));
    this.#spreadMs = 0;
    return Math.max(wait, this.#urls.isNewRound ? backoffDelay(this.#attempt, backoff, random) : 0);
  }

  /** Resolves when the connection is closed. Rejects if it cannot be opened, or has no proof. */
  async #connect(url: string, signal: AbortSignal): Promise<ClosedConnection & { lastedMs: number }> {
    const { channel, handshakeTimeoutMs, log, recorder, readToken, readTls, proxyEnv, key } = this.#options;
    const [token, secureContext] = await Promise.all([key ? undefined : readToken?.(), readTls?.()]);
    const closed = Promise.withResolvers<ClosedConnection & { lastedMs: number }>();
    const options = { url, token, secureContext, proxyEnv, handshakeTimeoutMs, signal, hasKey: key !== undefined };
    await dial(options, (socket, form, asksForKey) => {
      const start = () => {
        const opened = performance.now();
        this.#reasons.delete(url);
        recorder.count('helm_agent_connections_total', { result: 'success' });
        log.info({ url: withoutCredentials(url), form }, 'connected to the control plane');
        const stopRenewing = this.#renewKey();
        channel.attach(socket, form, (connection) => {
          stopRenewing();
          closed.resolve({ ...connection, lastedMs: performance.now() - opened });
        });
      };
      if (key && asksForKey) this.#prove(socket, key, { signal, start, closed });
      else start();
    });
    return closed.promise.finally(() => (this.#isProving = false));
  }

  #prove(
    socket: WebSocket,
    key: AgentKey,
    given: {
      signal: AbortSignal;
      start: () => void;
      closed: PromiseWithResolvers<ClosedConnection & { lastedMs: number }>;
    },
  ): void {
    const { heartbeat, handshakeTimeoutMs: timeoutMs, log } = this.#options;
    const { signal, start, closed } = given;
    this.#isProving = true;
    proveKey(socket, {
      ...{ prover: key.prover(), heartbeat, timeoutMs, signal, log },
      onProved: () => {
        this.#isProving = false;
        start();
      },
      onClosed: (code, reason) => closed.resolve({ code, reason, retryAfterMs: undefined, spreadMs: 0, lastedMs: 0 }),
      onFailed: closed.reject,
    });
  }

  /** Connects again when the key is due to be replaced. Returns a function that ends that. */
  #renewKey(): () => void {
    const { key, channel } = this.#options;
    if (!key) return () => undefined;
    let timer: NodeJS.Timeout | undefined;
    const wait = () => {
      const left = key.dueInMs;
      // also a key that could not be replaced at the start of this connection waits
      timer = setTimeout(check, left > 0 ? Math.min(left, keyCheckMs) : keyCheckMs);
    };
    const check = () => {
      if (key.dueInMs > 0) wait();
      else void channel.hangUp('the key of the agent is due to be replaced');
    };
    wait();
    return () => clearTimeout(timer);
  }

  #onClosed(url: string, connection: ClosedConnection & { lastedMs: number }): void {
    const { backoff, log, random } = this.#options;
    const { lastedMs, code, reason, retryAfterMs, spreadMs } = connection;
    log.warn({ url: withoutCredentials(url), code, reason }, 'the connection to the control plane is closed');
    if (retryAfterMs !== undefined) {
      // all agents of the control plane come back, but not at the same time
      this.#urls.leaveOut(performance.now() + retryAfterMs * (1 + random()));
      this.#attempt = 0;
      return;
    }
    // the others may have lost it at the same time
    if (spreadMs > 0) this.#spreadMs = random() * spreadMs;
    if (refusals.has(code)) {
      this.#attempt = Math.max(this.#attempt, longestWait);
      this.#urls.restart();
    } else if (lastedMs >= backoff.stableMs) {
      this.#attempt = 0;
      this.#urls.restart();
    } else {
      this.#urls.advance();
    }
  }

  /** Selects the next URL, and leaves one out whose control plane said when to come. */
  #afterFailure(error: unknown): void {
    const failure = error instanceof DialError ? error.failure : undefined;
    if (failure?.kind !== 'status' || failure.retryAfterMs === undefined) {
      this.#urls.advance();
      return;
    }
    this.#urls.leaveOut(performance.now() + failure.retryAfterMs * (1 + this.#options.random()));
    this.#attempt = 0;
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
