import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open, unlink } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Extract, extract } from 'tar-stream';
import { codeOf } from '../../../errors/index.ts';
import type { CopyCount } from './copy-count.ts';
import { copiedMode } from './pack-files.ts';

/** Longest path in an archive, in UTF-16 units, and its most folders. */
const maxPathLength = 4096;
const maxDepth = 256;

type Entry = Extract extends AsyncIterable<infer E> ? E : never;

export interface UnpackOptions {
  /** Name that the file or folder has in the archive; `.` if the archive has its content. */
  name: string;
  /** Path on this machine that it gets. */
  to: string;
  count: CopyCount;
  signal: AbortSignal;
}

/**
 * Writes the files of an archive that a container has sent. The container may
 * be hostile, so nothing is written outside of the one path: names that lead elsewhere are
 * refused, links and special files are left out, and no link on this machine is followed below the
 * path. Files that exist are replaced. Rejects with an error if the archive is not a proper one.
 */
export async function unpackFiles(source: Readable, options: UnpackOptions): Promise<void> {
  const { count, signal, name } = options;
  const archive = extract();
  const reading = pipeline(source, archive, { signal });
  reading.catch(() => undefined); // it ends the entries, too
  for await (const entry of archive) {
    const { name: path, type } = entry.header;
    const parts = partsBelow(path, name);
    if (type === 'directory') await makeFolder(options.to, parts, entry);
    else if (type === 'file' || type === 'contiguous-file') await writeEntry(entry, parts, options);
    else {
      count.leaveOut(path);
      entry.resume();
    }
  }
  await reading;
}

/** Returns the parts of a path below the name. Throws an error if the path leads elsewhere. */
function partsBelow(path: string, name: string): string[] {
  const refuse = (problem: string) => new Error(`the container has sent ${shown(path)}, ${problem}`);
  if (path.length > maxPathLength) throw refuse('whose name is too long');
  const parts = path.replace(/\/$/, '').split('/');
  if (parts[0] === '.') parts.shift();
  if (name !== '.' && parts.shift() !== name) throw refuse(`which is not in ${shown(name)}`);
  if (parts.length > maxDepth) throw refuse('which is in too many folders');
  const isOdd = (part: string) => part === '' || part === '.' || part === '..' || part.includes('\0');
  const isForeign = (part: string) => sep !== '/' && /[\\:]/.test(part); // they lead elsewhere on Windows
  if (parts.some((part) => isOdd(part) || isForeign(part))) throw refuse('which is not a name that can be written');
  return parts;
}

function shown(path: string): string {
  return JSON.stringify(path.slice(0, 200));
}

/** Creates the folders of a path. Throws an error if one of them is a link or a file. */
async function makeFolders(to: string, parts: readonly string[]): Promise<string> {
  let path = to;
  for (const part of ['', ...parts]) {
    path = part === '' ? path : join(path, part);
    await mkdir(path).catch(async (error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
      // the path itself was named by the user, who may have a link there
      if (part !== '' && !(await lstat(path)).isDirectory()) throw new Error(`${path} exists, and is not a folder`);
    });
  }
  return path;
}

async function makeFolder(to: string, parts: readonly string[], entry: Entry): Promise<void> {
  const path = await makeFolders(to, parts);
  // others have to fit into it
  await chmod(path, (entry.header.mode & copiedMode) | 0o700);
  entry.resume();
}

async function writeEntry(entry: Entry, parts: readonly string[], { to, count, signal }: UnpackOptions): Promise<void> {
  const file = parts.at(-1);
  const path = file === undefined ? to : join(await makeFolders(to, parts.slice(0, -1)), file);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const mode = entry.header.mode & copiedMode;
  const opened = await open(path, flags, mode).catch((error: unknown) => {
    if (codeOf(error) === 'ELOOP') throw new Error(`${path} is a link, which is not followed`);
    throw error;
  });
  const isFile = (await opened.stat()).isFile(); // the user may have named a device
  try {
    await opened.writeFile(count.counted(entry), { signal });
    if (isFile) await opened.chmod(mode); // of a file that existed before
    count.files++;
  } catch (error) {
    if (isFile) await unlink(path).catch(() => undefined); // a part looks like the whole
    throw error;
  } finally {
    await opened.close();
  }
}
