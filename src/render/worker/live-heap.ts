import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Returns the heap size of the calling thread in bytes. If that is more than `limit`, garbage is
 * collected first, so a larger result counts live data only.
 */
export type LiveHeap = (limit: number) => number;

/** V8 lets several times as much garbage pile up as there is live data, hence the collection. */
export function createLiveHeap(): LiveHeap {
  const collectGarbage = exposeGarbageCollector();
  return (limit) => {
    const bytes = usedBytes();
    if (bytes <= limit) return bytes;
    collectGarbage();
    return usedBytes();
  };
}

function usedBytes(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

/**
 * Returns V8's `gc` function. With `--expose-gc`, V8 defines a global `gc` in every context that it
 * creates afterwards. The flag is set here because a worker cannot be started with it, and a new
 * context is created because the current one already exists.
 */
function exposeGarbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  // V8's function takes no arguments that matter here
  return gc as () => void;
}
