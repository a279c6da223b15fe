import { createReadStream } from 'node:fs';
import { lstat, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';
import type { CopyCount } from './copy-count.ts';

/** The bits of a mode that are copied: without set-user-ID, set-group-ID and sticky. */
export const copiedMode = 0o777;

export interface PackOptions {
  /** Name of the file or folder in the archive. */
  name: string;
  count: CopyCount;
  signal: AbortSignal;
}

/**
 * Returns an archive of a file, or of a folder and all that is in it. Links and special files in a
 * folder are left out, and counted. Rejects if the path cannot be read; what fails later destroys
 * the archive.
 */
export async function packFiles(path: string, options: PackOptions): Promise<Pack> {
  const { isFile, isDirectory } = kindOf(await stat(path));
  if (!isFile && !isDirectory) throw new Error(`${path} is neither a file nor a folder`);
  const archive = pack();
  addPath(archive, path, options).then(
    () => archive.finalize(),
    (error: unknown) => archive.destroy(error instanceof Error ? error : new Error('the archive failed')),
  );
  return archive;
}

/** Adds a file or a folder. */
async function addPath(archive: Pack, path: string, options: PackOptions): Promise<void> {
  const { name, count, signal } = options;
  signal.throwIfAborted();
  const found = await stat(path);
  const header = { name, mode: found.mode & copiedMode, mtime: found.mtime };
  if (found.isFile()) {
    const entry = archive.entry({ ...header, size: found.size });
    // a file that grows meanwhile is copied up to its first size
    if (found.size === 0) entry.end(undefined);
    else await pipeline(count.counted(createReadStream(path, { end: found.size - 1 })), entry, { signal });
    count.files++;
    return;
  }
  archive.entry({ ...header, name: `${name}/`, type: 'directory' });
  for await (const { name: child } of await opendir(path)) {
    const childPath = join(path, child);
    const { isFile, isDirectory } = kindOf(await lstat(childPath));
    if (isFile || isDirectory) await addPath(archive, childPath, { ...options, name: `${name}/${child}` });
    else count.leaveOut(childPath);
  }
}

function kindOf(found: { isFile(): boolean; isDirectory(): boolean }) {
  return { isFile: found.isFile(), isDirectory: found.isDirectory() };
}
