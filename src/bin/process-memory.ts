import { garbageCollector } from '../threads/garbage.ts';
import { usedBytes } from '../threads/live-heap.ts';
import { startMemoryKeeper } from '../threads/memory-keeper.ts';

/** Returns the limit of the container in MiB, or undefined outside of a container with a limit. */
export function containerMemoryMb(): number | undefined {
  const bytes = process.constrainedMemory();
  // without a limit, the kernel reports more than any machine has
  return bytes > 0 && bytes < 2 ** 50 ? bytes / 2 ** 20 : undefined;
}

/** Collects garbage of this process as its memory gets scarce. Returns a function that stops it. */
export function keepMemory(limitMb: number): () => void {
  return startMemoryKeeper({
    processBytes: limitMb * 2 ** 20,
    residentBytes: () => process.memoryUsage.rss(),
    valueBytes: usedBytes,
    collectGarbage: garbageCollector(),
  });
}
