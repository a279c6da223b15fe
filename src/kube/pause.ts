import { setTimeout as sleep } from 'node:timers/promises';

/** Waits `milliseconds`. If `signal` aborts, throws its reason. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
