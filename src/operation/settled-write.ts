/** Time that a write gets to end after its signal has aborted, in milliseconds. */
const settlingTime = 10_000;

/**
 * Calls `send` with a signal that aborts some time after `signal`, so that a write that was sent is
 * answered, or at once after `abandon`. Throws if `signal` has aborted already.
 */
export async function settledWrite<T>(
  signal: AbortSignal | undefined,
  abandon: AbortSignal | undefined,
  send: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  if (signal === undefined) return await send(undefined);
  const ended = new AbortController();
  const late = new AbortController();
  const end = { signal: ended.signal };
  const abort = () => {
    late.abort(signal.reason);
  };
  signal.addEventListener(
    'abort',
    () => {
      if (abandon?.aborted === true) abort();
      const timer = setTimeout(abort, settlingTime);
      ended.signal.addEventListener('abort', () => {
        clearTimeout(timer);
      });
    },
    end,
  );
  abandon?.addEventListener('abort', () => late.abort(abandon.reason), end);
  try {
    return await send(late.signal);
  } finally {
    ended.abort();
  }
}
