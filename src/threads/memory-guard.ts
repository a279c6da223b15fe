/** A thread as the guard sees it. */
export interface GuardedThread {
  /** Resolves to the bytes of the thread's heap, or undefined if it is too busy to report them. */
  heapBytes(): Promise<number | undefined>;
  /** Ends the thread: its task fails with this reason. */
  end(reason: string): void;
}

export interface MemoryGuardOptions {
  /** Resident memory of the process above which the guard acts, in bytes. */
  processBytes: number;
  /** Heap that the running threads may have together in any case, in bytes. */
  threadBytes: number;
  /** Returns the resident memory of the process, in bytes. */
  residentBytes: () => number;
  /** Time between two measurements, in milliseconds (default: 20). */
  intervalMs?: number;
}

export interface MemoryGuard {
  /** Watches a thread until it is removed. */
  add(thread: GuardedThread): void;
  remove(thread: GuardedThread): void;
}

/** Growth of the process during which a thread that allocates reports nothing, in bytes. */
const silentGrowth = 4 * 2 ** 20;

/**
 * Ends the largest thread when the process takes more memory than it may. A task checks its own
 * limit between its steps; this stops a single step that allocates without end. If no thread
 * reports more than its share, a thread is ended that reports nothing while the process grows.
 */
export function createMemoryGuard({
  processBytes,
  threadBytes,
  residentBytes,
  intervalMs = 20,
}: MemoryGuardOptions): MemoryGuard {
  const threads = new Set<GuardedThread>();
  /** Threads that report nothing, and the memory of the process when that began. */
  const silent = new Map<GuardedThread, number>();
  let timer: NodeJS.Timeout | undefined;
  let isEnding = false;

  async function endLargest(): Promise<void> {
    const asked = residentBytes();
    const measured = await Promise.all(
      Array.from(threads, async (thread) => ({ thread, bytes: await thread.heapBytes() })),
    );
    const running = measured.filter(({ thread }) => threads.has(thread));
    const share = threadBytes / running.length;
    const [largest] = running
      .filter(({ bytes }) => bytes !== undefined && bytes > share)
      .sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0));
    for (const { thread, bytes } of running) {
      if (bytes !== undefined) silent.delete(thread);
      else if (!silent.has(thread)) silent.set(thread, asked);
    }
    // if the process has not grown, a silent thread may only wait for a processor
    const grown = residentBytes() - silentGrowth;
    const allocating = running.find(({ thread }) => grown >= (silent.get(thread) ?? Infinity));
    (largest ?? allocating)?.thread.end(`needs more memory than the ${Math.floor(share / 2 ** 20)} MiB of its share`);
  }

  function measure(): void {
    if (isEnding) return;
    if (residentBytes() <= processBytes) {
      silent.clear();
      return;
    }
    isEnding = true;
    void endLargest().finally(() => {
      isEnding = false;
    });
  }

  return {
    add(thread) {
      threads.add(thread);
      timer ??= setInterval(measure, intervalMs).unref();
    },
    remove(thread) {
      threads.delete(thread);
      silent.delete(thread);
      if (threads.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}
