import { Buffer } from 'node:buffer';
import { createGrowingMemory } from '../../chart/load/growing-memory.ts';

/** Collects the chunks of a body of at most `maxBytes` in memory that threads share. */
export class BodyCollector {
  readonly #memory;
  readonly #maxBytes: number;
  /** Number of bytes so far. */
  length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#memory = createGrowingMemory(maxBytes);
  }

  /** Adds a chunk. Returns false if the body is too long. */
  add(chunk: Uint8Array): boolean {
    this.length += chunk.length;
    if (this.length > this.#maxBytes) return false;
    this.#memory.take(chunk.length).set(chunk);
    return true;
  }

  /** Returns the whole body. */
  bytes(): Buffer {
    const { buffer, byteOffset, byteLength } = this.#memory.all();
    return Buffer.from(buffer, byteOffset, byteLength);
  }
}
