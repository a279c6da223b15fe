/** A signal for one request, and what to call when the request has ended. */
export interface LimitedTime {
  signal: AbortSignal | null;
  /** Whether the time is over. */
  isOver(): boolean;
  end(): void;
}

/** Returns a signal that aborts with another one, or when the time is over. */
export function limitedTime(milliseconds: number | undefined, signal: AbortSignal | undefined): LimitedTime {
  if (milliseconds === undefined) return { signal: signal ?? null, isOver: () => false, end: () => undefined };
  const late = new AbortController();
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    late.abort();
  }, milliseconds);
  const abort = () => {
    late.abort(signal?.reason);
  };
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return {
    signal: late.signal,
    isOver: () => isOver,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    },
  };
}
