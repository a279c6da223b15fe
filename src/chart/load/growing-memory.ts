/** An attempt to take more memory than there is. */
export class MemoryFullError extends Error {
  override readonly name = 'MemoryFullError';
}

/** Memory that is handed out piece by piece. */
export interface GrowingMemory {
  /** Returns the next piece of this size. Throws {@link MemoryFullError}. */
  take: (bytes: number) => Uint8Array;
  /** Returns everything that was handed out, as one piece. */
  all(): Uint8Array;
}

/** Pages that are added at a time. */
const growthBytes = 256 * 1024;

/**
 * Returns memory that grows in place up to a limit, so that what is collected in it is never
 * copied. Threads share it, and the system gets it back at once, unlike memory of the C library.
 */
export function createGrowingMemory(maxBytes: number): GrowingMemory {
  const memory = new SharedArrayBuffer(0, { maxByteLength: maxBytes });
  let end = 0;
  return {
    take(bytes) {
      const start = end;
      if (start + bytes > maxBytes) throw new MemoryFullError(`memory of ${maxBytes} bytes is full`);
      end += bytes;
      if (end > memory.byteLength) memory.grow(Math.min(maxBytes, end + growthBytes));
      return new Uint8Array(memory, start, bytes);
    },
    all: () => new Uint8Array(memory, 0, end),
  };
}
