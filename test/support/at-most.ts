import type { TestFn } from 'ava';

/**
 * Runs at most `count` tests of a file at the same time. On a busy machine, a hundred tests that
 * share one server make it respond so slowly that clients time out.
 */
export function atMost<Context>(count: number, test: TestFn<Context>): void {
  let free = count;
  const waiting: (() => void)[] = [];
  test.beforeEach('wait for a slot', async () => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  });
  test.afterEach.always('free the slot', () => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  });
}
