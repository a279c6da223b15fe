import pMap from 'p-map';

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
  return pMap(
    items,
    async (item): Promise<PromiseSettledResult<R>> => {
      const [result] = await Promise.allSettled([run(item)]);
      return result;
    },
    { concurrency: limit },
  );
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
