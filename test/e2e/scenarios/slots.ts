import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Milliseconds after which a task fails and another takes its slot, so that a task that hangs does
 * not stop those that wait: their tests have no limit yet.
 */
const limit = 600_000;

/** Returns a function that runs tasks, at most `count` at the same time. */
export function slots(count: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (task) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    const ended = new AbortController();
    try {
      return await Promise.race([task(), failAtLimit(ended.signal)]);
    } finally {
      ended.abort();
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}

async function failAtLimit(signal: AbortSignal): Promise<never> {
  await sleep(limit, undefined, { signal });
  throw new Error(`did not end within ${limit / 1000} s`);
}
