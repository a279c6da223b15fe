import { checkDigest } from './digest.ts';
import { downloadKey } from './disk/kept-downloads.ts';
import { download, type DownloadOptions } from './http/download.ts';
import type { Endpoint } from './http/endpoint.ts';

export interface ArchiveOptions extends DownloadOptions {
  /** SHA-256 in hex, with or without a `sha256:` prefix. Empty if it is not known. */
  readonly digest: string;
  /** Names the archive in the error about a wrong digest. */
  readonly where: string;
  /** The endpoint without credentials that change with each download. Default: the endpoint. */
  readonly identity?: Endpoint;
}

/**
 * Downloads an archive, unless one with its digest is kept, and checks the digest. Throws
 * `SourceError`, or the signal's reason.
 */
export async function downloadArchive(
  endpoint: Endpoint,
  { digest, where, identity = endpoint, ...options }: ArchiveOptions,
  signal: AbortSignal,
): Promise<Buffer> {
  if (digest === '') return download(endpoint, options, signal);
  const { kept, ...once } = options;
  const key = downloadKey(identity, digest);
  const known = kept?.find(key);
  const body = known && (await kept?.read(key, known, signal));
  if (body) return body;
  const archive = await download(endpoint, once, signal);
  await checkDigest(archive, digest, where);
  await kept?.keep(key, archive);
  return archive;
}
