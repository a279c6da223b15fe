/** Requests that are under way at the same time. */
const limit = 8;

/**
 * Calls `run` for every item, some at a time, and waits for all of them. Answers the results in the order of the items; an error is a result too,
 * so that one failure does not leave others unobserved.
 */
export async function settleEach<T, R>(
  items: readonly T[],
  run: (item: T) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const results: PromiseSettledResult<R>[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) {
      results[index] = await run(item).then(
        (value) => ({ status: 'fulfilled', value }),
        (reason: unknown) => ({ status: 'rejected', reason }),
      );
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

/** As {@link settleEach}, but fails with the first error, in the order of the items, once all have ended. */
export async function forEach<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results = await settleEach(items, run);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** The errors among the results. */
export function failures(results: readonly PromiseSettledResult<unknown>[]): unknown[] {
  return results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []));
}
