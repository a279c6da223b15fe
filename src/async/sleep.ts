import { setTimeout as wait } from 'node:timers/promises';

/** The longest time that a timer of Node takes, in milliseconds. Longer ones end at once. */
export const maxTimerMs = 2 ** 31 - 1;

/** Waits `milliseconds`. If the signal aborts, throws its reason. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
