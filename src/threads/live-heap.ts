import { getHeapStatistics } from 'node:v8';
import type { CollectGarbage } from './garbage.ts';

/** Returns the bytes that values of the calling thread take: exact when they are above `limit`. */
export type LiveHeap = (limit: number) => number;

/**
 * Measures the heap of the calling thread. Above the limit, garbage is collected first: V8 lets
 * several times as much garbage pile up as there is data.
 */
export function createLiveHeap(collectGarbage: CollectGarbage): LiveHeap {
  return (limit) => {
    const bytes = usedBytes();
    if (bytes <= limit) return bytes;
    collectGarbage('all');
    return usedBytes();
  };
}

/** Returns the bytes that values take, garbage included, by default those of the calling thread. */
export function usedBytes({ used_heap_size, external_memory } = getHeapStatistics()): number {
  return used_heap_size + external_memory;
}
