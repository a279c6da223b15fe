/** Returns the reason of an aborted signal as an error. */
export function abortReason({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('the task was cancelled');
}

/** Resolves when the signal aborts. Stops to listen, without resolving, when `over` aborts. */
export async function whenAborted(signal: AbortSignal, over?: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true, ...(over && { signal: over }) });
  });
}

/** Resolves like `promise`. Rejects with the reason of a given signal if that aborts before. */
export async function abortable<Result>(
  promise: Promise<Result>,
  signal: AbortSignal | null | undefined,
): Promise<Result> {
  if (!signal) return await promise;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(abortReason(signal));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Resolves like `promise`, or with undefined if the signal aborts before. */
export async function unlessAborted<Result>(
  promise: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result | undefined> {
  try {
    return await abortable(promise, signal);
  } catch (error) {
    if (signal?.aborted === true) return undefined;
    throw error;
  }
}
