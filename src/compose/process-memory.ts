import { garbageCollector } from '../threads/garbage.ts';
import { usedBytes } from '../threads/live-heap.ts';
import { startMemoryKeeper } from '../threads/memory-keeper.ts';

/** Returns the limit of the container in MiB, or undefined outside of a container with a limit. */
export function containerMemoryMb(): number | undefined {
  const bytes = process.constrainedMemory();
  // without a limit, the kernel reports more than any machine has
  return bytes > 0 && bytes < 2 ** 50 ? bytes / 2 ** 20 : undefined;
}

export interface KeptMemory {
  /** Collects all garbage at once if memory is scarce. */
  collect: () => void;
  stop: () => void;
}

/** Collects garbage of this process as its memory gets scarce. */
export function keepMemory(limitMb: number): KeptMemory {
  const processBytes = limitMb * 2 ** 20;
  const residentBytes = () => process.memoryUsage.rss();
  const collectGarbage = garbageCollector();
  return {
    collect() {
      if (residentBytes() > processBytes / 2) collectGarbage('all');
    },
    stop: startMemoryKeeper({ processBytes, residentBytes, valueBytes: usedBytes, collectGarbage }),
  };
}
