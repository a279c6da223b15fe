import type { Cluster, ObjectQuery } from '../../objects/cluster.ts';
import type { KubeObject } from '../../objects/object.ts';

/** The objects of a query, kept up to date by list and watch. */
export interface ObjectWatch {
  /** By `namespace/name`. Empty before the first list. */
  readonly objects: ReadonlyMap<string, KubeObject>;
  readonly isListed: boolean;
  /** The error with which the API server refused the watch. */
  readonly refusal: Error | undefined;
}

/** Watches that end together. A change in one of them wakes the wait that uses them. */
export interface WatchGroup {
  watch(query: ObjectQuery): ObjectWatch;
  /**
   * Resolves at the next change in a watch, at once if there was one since the last call. Also
   * resolves when the signal aborts, and regularly, because some statuses depend on the clock.
   */
  nextChange(): Promise<void>;
}

/** Interval of `nextChange` without a change, in milliseconds. */
const recheckInterval = 250;

/** Calls `run` with a group of watches, which ends when `run` does or when `signal` aborts. */
export async function withWatches<T>(
  cluster: Cluster,
  signal: AbortSignal,
  run: (watches: WatchGroup) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const ended: Promise<void>[] = [];
  const { notify, next } = changeNotice();
  signal.addEventListener('abort', notify, { signal: ending.signal });
  const timer = setInterval(notify, recheckInterval);
  const watchSignal = AbortSignal.any([signal, ending.signal]);
  try {
    return await run({
      watch(query) {
        const { watch, end } = startWatch(cluster, query, watchSignal, notify);
        ended.push(end);
        return watch;
      },
      nextChange: next,
    });
  } finally {
    clearInterval(timer);
    ending.abort();
    await Promise.all(ended);
  }
}

/** Returns the key of an object in a watch. */
export function objectKey({ namespace = '', name }: { namespace?: string; name: string }): string {
  return `${namespace}/${name}`;
}

function startWatch(
  cluster: Cluster,
  query: ObjectQuery,
  signal: AbortSignal,
  notify: () => void,
): { watch: ObjectWatch; end: Promise<void> } {
  const objects = new Map<string, KubeObject>();
  const watch = { objects, isListed: false, refusal: undefined as Error | undefined }; // set below
  return { watch, end: follow() };

  async function follow(): Promise<void> {
    try {
      for await (const change of cluster.observe(query, signal)) {
        if (change.type === 'snapshot') {
          objects.clear();
          for (const object of change.objects) objects.set(objectKey(object.metadata), object);
          watch.isListed = true;
        } else if (change.type === 'changed') {
          objects.set(objectKey(change.object.metadata), change.object);
        } else {
          objects.delete(objectKey(change.object.metadata));
        }
        notify();
      }
    } catch (error) {
      watch.refusal = error instanceof Error ? error : new Error(String(error));
      notify();
    }
  }
}

/** Wakes one waiter. Changes while it is busy count as one. */
function changeNotice(): { notify: () => void; next: () => Promise<void> } {
  let hasChanged = false;
  let wake: (() => void) | undefined;
  return {
    notify: () => {
      hasChanged = true;
      wake?.();
    },
    next: async () => {
      if (!hasChanged) await new Promise<void>((resolve) => (wake = resolve));
      wake = undefined;
      hasChanged = false;
    },
  };
}
