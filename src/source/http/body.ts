import { Buffer } from 'node:buffer';

const blockSize = 64 * 1024;

/**
 * Collects the chunks of a body. Small chunks are copied together, because each chunk of its own
 * takes a hundred bytes: a server could send a gigabyte of overhead in chunks of one byte.
 */
export class BodyCollector {
  readonly #blocks: Buffer[] = [];
  #block: Buffer = Buffer.alloc(0);
  #end = 0;
  /** Number of bytes so far. */
  length = 0;

  add(chunk: Uint8Array): void {
    this.length += chunk.length;
    if (chunk.length > this.#block.length - this.#end) {
      this.#flush();
      if (chunk.length >= blockSize / 4) {
        this.#blocks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
        return;
      }
      this.#block = Buffer.allocUnsafe(blockSize);
      this.#end = 0;
    }
    this.#block.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  /** Returns the whole body. */
  bytes(): Buffer {
    this.#flush();
    return Buffer.concat(this.#blocks, this.length);
  }

  #flush(): void {
    if (this.#end > 0) this.#blocks.push(this.#block.subarray(0, this.#end));
    this.#block = Buffer.alloc(0);
    this.#end = 0;
  }
}
