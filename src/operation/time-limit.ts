import { messageOf } from '../errors/index.ts';
import { OperationError } from './error.ts';

/** A signal with a time limit. Its reason is always an {@link OperationError}. */
export interface TimeLimit {
  signal: AbortSignal;
  /** Stops the timer. Must always be called. */
  close(): void;
}

/** Calls `onEnd` after a number of milliseconds. Returns a function that stops the timer. */
export type StartTimer = (milliseconds: number, onEnd: () => void) => () => void;

/** The timers of the process. */
export const processTimer: StartTimer = (milliseconds, onEnd) => {
  const timer = setTimeout(onEnd, milliseconds);
  return () => {
    clearTimeout(timer);
  };
};

/**
 * Returns a signal that aborts with `timeout` after `left` milliseconds of a time limit, or with
 * `cancelled` when one of `signals` aborts. Default of `left`: the whole time limit.
 */
export function timeLimit(
  timeout: number,
  signals: readonly (AbortSignal | undefined)[] = [],
  startTimer: StartTimer = processTimer,
  left = timeout,
): TimeLimit {
  const controller = new AbortController();
  const onTimeout = () => {
    controller.abort(new OperationError('timeout', `timed out after ${durationText(timeout)}`));
  };
  const stopTimer = startTimer(Math.max(left, 0), onTimeout);
  const sources = signals.filter((signal) => signal !== undefined);
  const onAbort = () => {
    controller.abort(cancellation(sources.find(({ aborted }) => aborted)));
  };
  for (const source of sources) source.addEventListener('abort', onAbort, { once: true });
  if (sources.some(({ aborted }) => aborted)) onAbort();
  if (left <= 0) onTimeout();
  return {
    signal: controller.signal,
    close() {
      stopTimer();
      for (const source of sources) source.removeEventListener('abort', onAbort);
    },
  };
}

/** Returns the error of an operation that a signal has ended. */
export function cancellation(source: AbortSignal | undefined): OperationError {
  const cause: unknown = source?.reason;
  if (cause instanceof OperationError) return cause;
  return new OperationError('cancelled', `cancelled: ${messageOf(cause)}`, { cause });
}

/** Formats a duration like Go, in milliseconds: `5m0s`, `1h0m0s`, `1.5s`, `300ms`. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds}ms`;
  const hours = Math.floor(milliseconds / 3_600_000);
  const minutes = Math.floor(milliseconds / 60_000) % 60;
  const seconds = (milliseconds % 60_000) / 1000;
  const minutesText = hours > 0 || minutes > 0 ? `${minutes}m` : '';
  return `${hours > 0 ? `${hours}h` : ''}${minutesText}${seconds}s`;
}
