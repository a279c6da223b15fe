import { setTimeout as sleep } from 'node:timers/promises';
import { backoffDelay, type BackoffTimes } from './backoff.ts';
import type { Channel } from './channel.ts';
import { dial, DialError } from './dial.ts';
import type { Logger } from '../logger.ts';
import type { TokenSource } from './token-file.ts';
import type { WireForm } from '../../protocol/subprotocol.ts';

export interface UplinkOptions {
  url: string;
  readToken?: TokenSource | undefined;
  channel: Channel;
  log: Logger;
  backoff: BackoffTimes;
  handshakeTimeoutMs: number;
  /** Numbers from 0 up to 1. */
  random: () => number;
}

/** Keeps the channel connected to the control plane until the signal aborts; then it dials no more, and ends once the connection is closed. */
export async function keepUplink(options: UplinkOptions, signal: AbortSignal): Promise<void> {
  const { url, log, backoff } = options;
  let form: WireForm = 'v1';
  let attempt = 0;
  while (await pause(backoffDelay(attempt, backoff, options.random), signal)) {
    attempt++;
    try {
      const lastedMs = await connectOnce(options, form, signal);
      log.warn({ url: withoutCredentials(url) }, 'the connection to the control plane is closed');
      if (lastedMs >= backoff.stableMs) attempt = 0;
    } catch (error) {
      if (form === 'v1' && error instanceof DialError && error.isPlainServer) {
        log.info({ url: withoutCredentials(url) }, 'the control plane speaks the plain form of the Go helm-agent');
        form = 'plain';
        attempt = 0;
      } else if (!signal.aborted) {
        log.warn({ url: withoutCredentials(url), attempt, reason: reasonOf(error) }, 'cannot reach the control plane');
      }
    }
  }
}

/** Resolves once the connection is closed, with the milliseconds for which it was open. */
async function connectOnce(options: UplinkOptions, form: WireForm, signal: AbortSignal): Promise<number> {
  const { url, channel, handshakeTimeoutMs, log } = options;
  const token = await options.readToken?.();
  const closed = Promise.withResolvers<number>();
  await dial({ url, form, token, handshakeTimeoutMs, signal }, (socket) => {
    const opened = performance.now();
    log.info({ url: withoutCredentials(url), form }, 'connected to the control plane');
    channel.attach(socket, () => closed.resolve(performance.now() - opened));
  });
  return closed.promise;
}

/** False where the signal aborted meanwhile. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}

function withoutCredentials(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
