import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../source/configuration/replace-file.ts';
import { maxProvenanceBytes } from '../source/download-settings.ts';
import { readLimited } from './read-limited.ts';

/**
 * Helm's cache of downloaded archives and their signatures, by the SHA-256 of the archive in hex
 * (pkg/downloader/cache.go).
 */
export function contentCache(folder: string) {
  const pathOf = (digest: string, kind: 'chart' | 'prov') => join(folder, digest.slice(0, 2), `${digest}.${kind}`);

  async function store(path: string, data: Uint8Array): Promise<string> {
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    await replaceFile(path, data);
    return path;
  }

  return {
    /** Returns undefined if the cache lacks the archive, or has another one in its place. */
    async get(digest: string): Promise<Buffer | undefined> {
      const data = await readFile(pathOf(digest, 'chart')).catch(() => undefined);
      return data !== undefined && digestOf(data) === digest ? data : undefined;
    },
    put: (data: Uint8Array) => store(pathOf(digestOf(data), 'chart'), data),
    /** Returns undefined if the cache lacks the signature of the archive. */
    async getProvenance(archive: Uint8Array): Promise<Uint8Array | undefined> {
      const path = pathOf(digestOf(archive), 'prov');
      const data = await readLimited(path, maxProvenanceBytes).catch(() => undefined);
      return data?.length === 0 ? undefined : data;
    },
    putProvenance: (archive: Uint8Array, data: Uint8Array) => store(pathOf(digestOf(archive), 'prov'), data),
  };
}

function digestOf(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
