import { setTimeout as wait } from 'node:timers/promises';

/** Waits `milliseconds`. If the signal aborts, throws its reason. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
