/** Maximum number of concurrent requests. */
const limit = 8;

/**
 * Calls `run` for every item, some in parallel, and waits for all of them, even if one fails.
 * Returns the results in the order of the items.
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

/**
 * Calls `run` like {@link settleEach}, and then throws the first error in the order of the items,
 * if there is one.
 */
export async function forEach<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results = await settleEach(items, run);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** Returns the errors among the results. */
export function failures(results: readonly PromiseSettledResult<unknown>[]): unknown[] {
  return results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []));
}
