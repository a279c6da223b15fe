import type { CollectGarbage } from './garbage.ts';

export interface MemoryKeeperOptions {
  /** Memory that the process may take, in bytes. */
  processBytes: number;
  /** Returns the resident memory of the process, in bytes. */
  residentBytes: () => number;
  /** Returns the bytes that values of the main thread take, garbage included. */
  valueBytes: () => number;
  /** Collects the garbage of the main thread. */
  collectGarbage: CollectGarbage;
  /** Time between two measurements, in milliseconds (default: 100). */
  intervalMs?: number;
}

/** Garbage to collect from a share of the memory on, if the values have grown this much. */
const rules = [
  { garbage: 'young', share: 0.5, growth: 4 * 2 ** 20 },
  { garbage: 'all', share: 0.65, growth: 24 * 2 ** 20 },
] as const;

/**
 * Collects the garbage of the main thread when the process takes much memory. V8 lets tens of
 * megabytes pile up outside of its heap, such as the chunks of a download and the files of charts
 * that are no longer used. Returns a function that stops it.
 */
export function startMemoryKeeper({
  processBytes,
  residentBytes,
  valueBytes,
  collectGarbage,
  intervalMs = 100,
}: MemoryKeeperOptions): () => void {
  const start = valueBytes();
  const watched = rules.map((rule) => ({ ...rule, last: start }));
  const timer = setInterval(() => {
    const share = residentBytes() / processBytes;
    for (const rule of watched) {
      const bytes = valueBytes();
      rule.last = Math.min(rule.last, bytes);
      if (share < rule.share || bytes < rule.last + rule.growth) continue;
      collectGarbage(rule.garbage);
      rule.last = valueBytes();
    }
  }, intervalMs).unref();
  return () => clearInterval(timer);
}
