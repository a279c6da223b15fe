import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../../source/configuration/replace-file.ts';

/** Helm's cache of downloaded archives by their SHA-256, in hex (pkg/downloader/cache.go). */
export function contentCache(folder: string) {
  const pathOf = (digest: string) => join(folder, digest.slice(0, 2), `${digest}.chart`);
  return {
    /** Returns undefined if the cache lacks the archive, or has another one in its place. */
    async get(digest: string): Promise<Buffer | undefined> {
      const data = await readFile(pathOf(digest)).catch(() => undefined);
      return data !== undefined && digestOf(data) === digest ? data : undefined;
    },
    async put(data: Uint8Array): Promise<string> {
      const path = pathOf(digestOf(data));
      await mkdir(dirname(path), { recursive: true, mode: 0o755 });
      await replaceFile(path, data);
      return path;
    },
  };
}

function digestOf(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
