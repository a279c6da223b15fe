import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from './api-request.ts';

/** Number of failures in a row after which a command gives up, and the pause after each. */
const maxFailures = 30;
const defaultRetryMs = 1000;

export interface ReconnectionOptions {
  /** Ends the pauses. */
  signal: AbortSignal;
  /** Receives a line when the connection is lost, and one when it is back. Default: no one does. */
  say?: ((line: string) => void) | undefined;
  /** Pause in milliseconds after a failed attempt. Default: a second. */
  retryMs?: number | undefined;
  /**
   * Whether the control plane has responded to this program before. If it has not, the first
   * failure is the last one, because its address may be wrong. Default: true.
   */
  hasResponded?: boolean | undefined;
}

/** The rule by which a command that follows something continues after a lost connection. */
export interface Reconnection {
  /** Notes that the control plane responds. */
  responds: () => void;
  /**
   * Resolves when it is time for another attempt. Rejects with the error if another attempt would
   * not help, and with the signal's reason.
   */
  pauseAfter: (error: unknown) => Promise<void>;
}

/** Counts the failures in a row of a command that follows something. */
export function reconnection(options: ReconnectionOptions): Reconnection {
  const { signal, say, retryMs = defaultRetryMs } = options;
  let { hasResponded = true } = options;
  let failures = 0;
  return {
    responds() {
      if (failures > 0) say?.('connected again');
      failures = 0;
      hasResponded = true;
    },
    async pauseAfter(error) {
      signal.throwIfAborted();
      const isFinal = error instanceof ApiError && !error.isTemporary;
      if (isFinal || !hasResponded || failures === maxFailures) throw error;
      failures += 1;
      if (failures === 1) {
        say?.(`the connection is lost; trying again each ${secondsText(retryMs)}, ${maxFailures} times at most`);
      }
      await sleep(retryMs, undefined, { signal });
    },
  };
}

function secondsText(milliseconds: number): string {
  return milliseconds === 1000 ? 'second' : `${milliseconds / 1000} s`;
}
