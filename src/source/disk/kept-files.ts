import { LRUCache } from 'lru-cache';
import { smallDownloadBytes, type WaitForTurn } from '../wait-for-turn.ts';
import { readTemporaryFile, type TemporaryFile } from './temporary-file.ts';

/** Total size of the files that are kept. */
const maxKeptBytes = 200 * 1024 * 1024;

/** A file, and what its server has said of it. */
export interface KeptFile extends TemporaryFile {
  /** The `ETag` header, with which the server can be asked whether the file has changed. */
  readonly etag?: string;
  /** The `Link` header, which leads to the next one of several. */
  readonly link?: string;
}

export interface KeptFilesOptions {
  /** Total size of the files. Default: 200 MiB. */
  maxBytes?: number | undefined;
  /** Waits until the calling command may have large texts in memory. Default: it may at once. */
  waitForTurn?: WaitForTurn | undefined;
}

/** Charts and indexes on disk, by key. Those that were used last are kept. */
export class KeptFiles {
  readonly #files: LRUCache<string, KeptFile>;
  readonly #maxBytes: number;
  readonly #waitForTurn: WaitForTurn | undefined;

  constructor({ maxBytes = maxKeptBytes, waitForTurn }: KeptFilesOptions = {}) {
    this.#maxBytes = maxBytes;
    this.#waitForTurn = waitForTurn;
    this.#files = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => Math.max(1, bytes),
      // waits for those that read it
      dispose: ({ file }) => void file.close().catch(() => undefined),
    });
  }

  get(key: string): KeptFile | undefined {
    return this.#files.get(key);
  }

  /** Whether a file of this size can be kept. */
  hasRoomFor(bytes: number): boolean {
    return bytes <= this.#maxBytes;
  }

  /** Keeps a file for which there is room, and closes it when others take its place. */
  keep(key: string, file: KeptFile): void {
    this.#files.set(key, file);
  }

  /**
   * Returns the contents of a file, or undefined if another one has taken its place. Rejects with
   * the signal's reason if that aborts while a large one waits for its turn.
   */
  async read(key: string, file: KeptFile, signal: AbortSignal): Promise<Buffer | undefined> {
    if (file.bytes > smallDownloadBytes) await this.#waitForTurn?.(signal);
    return this.#files.peek(key) === file ? readTemporaryFile(file) : undefined;
  }

  /** Deletes the files. */
  clear(): void {
    this.#files.clear();
  }
}
