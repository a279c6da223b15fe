import { getHeapStatistics } from 'node:v8';
import type { CollectGarbage } from './garbage.ts';

export interface TidyUpOptions {
  /** Resident memory of the process from which on memory is scarce, in bytes. */
  scarceBytes: number;
  collectGarbage: CollectGarbage;
  /** Returns the size of the heap of the calling thread, in bytes. */
  heapBytes: () => number;
  /** Returns the resident memory of the process, in bytes. */
  residentBytes: () => number;
}

/** Size from which on a heap is large, in bytes. */
const largeHeap = 48 * 2 ** 20;

/** Growth of a heap that is worth a collection if memory is scarce, in bytes. */
const worthwhileGrowth = 8 * 2 ** 20;

/**
 * Returns a function to call after each task of a thread. It gives memory back that tasks took, if
 * the memory of the process is limited: a thread keeps it until the next task otherwise. A
 * collection takes up to some tenths of a second, so it has to be worth it: the heap has grown by
 * half since the last one, or by some megabytes if memory is scarce.
 */
export function createTidyUp({ scarceBytes, collectGarbage, heapBytes, residentBytes }: TidyUpOptions): () => void {
  let kept = 0;
  return () => {
    if (scarceBytes === Infinity) return;
    const bytes = heapBytes();
    const isLarge = bytes > largeHeap && bytes > kept * 1.5;
    const isScarce = bytes > kept + worthwhileGrowth && residentBytes() > scarceBytes;
    if (!isLarge && !isScarce) return;
    collectGarbage('all-and-shrink');
    kept = heapBytes();
  };
}

/** Returns the memory that the heap of the calling thread takes, in bytes. */
export function heapBytes(): number {
  const { total_physical_size, external_memory } = getHeapStatistics();
  return total_physical_size + external_memory;
}
