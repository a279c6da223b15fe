import { setTimeout as sleep } from 'node:timers/promises';

/** Waits `milliseconds`; an abort ends the wait with the signal's own reason. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
