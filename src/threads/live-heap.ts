import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Returns the bytes that values of the calling thread take: exact when they are above `limit`. */
export type LiveHeap = (limit: number) => number;

/**
 * Measures the heap of the calling thread. Above the limit, garbage is collected first: V8 lets
 * several times as much garbage pile up as there is data.
 */
export function createLiveHeap(): LiveHeap {
  const collectGarbage = garbageCollector();
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

/** Node accepts `--expose-gc` at its start only; V8 accepts it for a new context at any time. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  // the function that this flag defines
  return runInNewContext('gc') as () => void;
}
