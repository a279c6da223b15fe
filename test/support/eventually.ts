import { setTimeout as sleep } from 'node:timers/promises';

/** Less than the time limit of ava for a test, so that the description is printed. */
const defaultLimitMs = 50_000;

const pauseMs = 5;

/**
 * Resolves when a condition is true. Rejects if it is not after a time in milliseconds (default:
 * 50,000). The description says what is waited for, such as `the agent is ready`.
 */
export async function eventually(
  description: string,
  isTrue: () => boolean | Promise<boolean>,
  limitMs = defaultLimitMs,
): Promise<void> {
  const start = performance.now();
  while (!(await isTrue())) {
    if (performance.now() - start > limitMs) throw new Error(`not after ${limitMs / 1000} s: ${description}`);
    await sleep(pauseMs);
  }
}
