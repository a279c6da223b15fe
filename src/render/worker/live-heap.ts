import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Answers how many bytes the calling thread's values take, if they are more than `limit`; else whether they may be garbage as well does not matter. */
export type LiveHeap = (limit: number) => number;

/**
 * Measures the heap of the calling thread. Past the limit garbage is collected first: V8 lets several times as much garbage pile up as there is data.
 */
export function createLiveHeap(): LiveHeap {
  const collect = garbageCollector();
  return (limit) => {
    const bytes = usedBytes();
    if (bytes <= limit) return bytes;
    collect();
    return usedBytes();
  };
}

function usedBytes(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

/** There is no other way to the collector from within: Node takes `--expose-gc` only when it starts. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  // this is what the flag defines
  return runInNewContext('gc') as () => void;
}
