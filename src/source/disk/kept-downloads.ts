import { createHash } from 'node:crypto';
import type { Endpoint } from '../http/endpoint.ts';
import type { KeptFile, KeptFiles } from './kept-files.ts';
import { openTemporaryFile } from './temporary-file.ts';

export interface KeptDownloadsOptions {
  files: KeptFiles;
  /** Called if a file cannot be written to disk. The download itself is not concerned. */
  onProblem: (error: unknown) => void;
}

/** Headers of a download that are kept with it. */
export type KeptHeaders = Pick<KeptFile, 'etag' | 'link'>;

/** Downloads that are kept on disk, so that the same bytes are not downloaded again. */
export class KeptDownloads {
  readonly #options: KeptDownloadsOptions;

  constructor(options: KeptDownloadsOptions) {
    this.#options = options;
  }

  find(key: string): KeptFile | undefined {
    return this.#options.files.get(key);
  }

  /** As in {@link KeptFiles}. */
  async read(key: string, file: KeptFile, signal: AbortSignal): Promise<Buffer | undefined> {
    return this.#options.files.read(key, file, signal);
  }

  /** Writes a download to disk if there is room for it. */
  async keep(key: string, body: Uint8Array, headers: KeptHeaders = {}): Promise<void> {
    const { files, onProblem } = this.#options;
    if (!files.hasRoomFor(body.length)) return;
    try {
      const file = await openTemporaryFile();
      try {
        await file.writeFile(body);
        files.keep(key, { file, bytes: body.length, ...headers });
      } catch (error) {
        await file.close();
        throw error;
      }
    } catch (error) {
      onProblem(error);
    }
  }
}

/**
 * Returns the key of a file: it has the credentials with which the file was downloaded, so that
 * others do not get it, and its digest if that is known.
 */
export function downloadKey({ url, authorization = '' }: Endpoint, digest = ''): string {
  return createHash('sha256')
    .update(JSON.stringify([url.href, authorization, digest]))
    .digest('hex');
}
