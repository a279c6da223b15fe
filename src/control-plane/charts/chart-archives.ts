import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { messageOf } from '../../errors/index.ts';
import { maxUploadedChartBytes } from '../../protocol/limits.ts';
import { ControlPlaneError } from '../error.ts';
import { freeBytesOf } from '../free-bytes.ts';

export interface ChartArchivesOptions {
  /** Only this user can read it. Undefined: a temporary folder, which `close` removes. */
  folder: string | undefined;
  /** Returns the digests of the charts that commands without a result need. */
  needed: () => ReadonlySet<string>;
  /** Returns a new random id. */
  newId: () => string;
  /** Size of all archives together. */
  maxBytes: number;
  /**
   * Bytes of the volume that archives leave to others, such as the file of commands. Default: 0.
   */
  reservedBytes?: number;
  /** Returns the bytes that are free on the volume of a folder. Default: as the system says. */
  freeBytes?: (folder: string) => Promise<number>;
}

/**
 * The archives of charts that users have uploaded, as files in a folder, by their digests. If they
 * become too large together, those that were not used for the longest time are deleted, unless a
 * command needs them.
 */
export class ChartArchives {
  readonly #options: ChartArchivesOptions;
  /** Sizes by digest, in the order of their last use. */
  readonly #sizes = new Map<string, number>();
  #folder: string | undefined;
  /** Number of archives that are being received. */
  #receiving = 0;

  constructor(options: ChartArchivesOptions) {
    this.#options = options;
  }

  /** Finds what was stored before. Rejects with `ControlPlaneError` `store_unavailable`. */
  async open(): Promise<void> {
    const { folder } = this.#options;
    if (folder === undefined) return;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const files = await Promise.all((await readdir(folder)).map(async (name) => factsOf(folder, name)));
      for (const { name, bytes } of files.sort((a, b) => a.usedAt - b.usedAt)) {
        if (/^[0-9a-f]{64}$/.test(name)) this.#sizes.set(`sha256:${name}`, bytes);
        else if (name.endsWith(partial)) await rm(join(folder, name), { force: true });
      }
      this.#folder = folder;
    } catch (error) {
      const reason = messageOf(error);
      throw new ControlPlaneError('store_unavailable', `cannot use the folder ${folder} for charts: ${reason}`);
    }
  }

  /** Whether there is an archive with the digest. Counts as a use. */
  has(digest: string): boolean {
    const bytes = this.#sizes.get(digest);
    if (bytes === undefined) return false;
    this.#sizes.delete(digest);
    this.#sizes.set(digest, bytes);
    return true;
  }

  /**
   * Stores an archive, and returns its digest when it will not be lost any more. Rejects with
   * `ControlPlaneError` `too_large` and `busy`, and with `digest_mismatch` if it has another digest
   * than the one that is given.
   */
  async receive(content: Uint8Array | AsyncIterable<Uint8Array>, expected?: string): Promise<string> {
    this.#receiving++;
    let path = '';
    try {
      await this.#makeRoom();
      const folder = await this.#existingFolder();
      path = join(folder, `${this.#options.newId()}${partial}`);
      const file = await open(path, 'wx', 0o600);
      const { digest, bytes } = await writeArchive(
        file,
        content instanceof Uint8Array ? slicesOf(content) : content,
      ).finally(() => file.close());
      if (expected !== undefined && digest !== expected) {
        const message = `the archive does not match its digest: it is ${digest}, and should be ${expected}`;
        throw new ControlPlaneError('digest_mismatch', message);
      }
      await rename(path, pathOf(folder, digest));
      await syncFolder(folder);
      this.#sizes.set(digest, bytes);
      return digest;
    } catch (error) {
      if (path !== '') await rm(path, { force: true }).catch(() => undefined);
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      throw new ControlPlaneError('store_unavailable', `cannot store the chart: ${error.message}`);
    } finally {
      this.#receiving--;
    }
  }

  /** Returns the content of an archive from an offset on; undefined if it is not there. */
  read(digest: string, offset: number): Readable | undefined {
    if (this.#folder === undefined || !this.has(digest)) return undefined;
    return createReadStream(pathOf(this.#folder, digest), { start: offset });
  }

  /** Removes the folder if it is a temporary one. */
  async close(): Promise<void> {
    const folder = this.#folder;
    this.#folder = undefined;
    if (folder !== undefined && this.#options.folder === undefined) await rm(folder, { recursive: true, force: true });
  }

  async #existingFolder(): Promise<string> {
    return (this.#folder ??= await mkdtemp(join(tmpdir(), 'helm-agent-charts-')));
  }

  /** Deletes archives until there is room for those that are being received. */
  async #makeRoom(): Promise<void> {
    const { needed, maxBytes, reservedBytes = 0, freeBytes = freeBytesOf } = this.#options;
    const arriving = this.#receiving * maxUploadedChartBytes;
    const free = await freeBytes(await this.#existingFolder());
    const stored = [...this.#sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
    let excess = Math.max(stored + arriving - maxBytes, reservedBytes + arriving - free);
    if (excess <= 0) return;
    const kept = needed();
    const deleted: string[] = [];
    // all at once, because a command may come to need one while files are deleted
    for (const [digest, bytes] of this.#sizes) {
      if (excess <= 0) break;
      if (kept.has(digest)) continue;
      excess -= bytes;
      this.#sizes.delete(digest);
      deleted.push(digest);
    }
    for (const digest of deleted) {
      const isBack = this.#sizes.has(digest);
      if (this.#folder !== undefined && !isBack) await rm(pathOf(this.#folder, digest), { force: true });
    }
    if (excess <= 0) return;
    const message = `there is no room for further charts: ${maxBytes} bytes may have charts that commands need, and ${reservedBytes} bytes of the volume stay free; try again later`;
    throw new ControlPlaneError('busy', message);
  }
}

/** The end of the name of a file that is being written. */
const partial = '.partial';

function pathOf(folder: string, digest: string): string {
  return join(folder, digest.replace('sha256:', ''));
}

async function factsOf(folder: string, name: string) {
  const { size, mtimeMs } = await stat(join(folder, name));
  return { name, bytes: size, usedAt: mtimeMs };
}

/** Writes an archive to a file, and waits until it is on the disk. */
async function writeArchive(file: FileHandle, content: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > maxUploadedChartBytes) {
      throw new ControlPlaneError('too_large', `the chart has more than ${maxUploadedChartBytes} bytes`);
    }
    hash.update(chunk);
    await file.appendFile(chunk);
  }
  await file.sync();
  return { digest: `sha256:${hash.digest('hex')}`, bytes };
}

/** Bytes that are hashed before the event loop turns. */
const sliceBytes = 1024 * 1024;

async function* slicesOf(archive: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < archive.length; start += sliceBytes) {
    yield await Promise.resolve(archive.subarray(start, start + sliceBytes));
  }
}

/** Waits until the names of new files are on the disk. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
