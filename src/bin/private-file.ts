import { randomUUID } from 'node:crypto';
import { readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isMissing, messageOf } from '../errors/index.ts';
import { withLock } from './file-lock.ts';

/**
 * Changes a file that only this user can read, or creates it. It is replaced as a whole, so that
 * nothing reads half of it, and not at the same time as by another process that uses this function,
 * so that no change is lost. `change` gets the present text; undefined if there is no file. Follows
 * a symbolic link.
 */
export async function updatePrivateFile(path: string, change: (text: string | undefined) => string): Promise<void> {
  const target = await targetOf(path);
  await withLock(`${target}.lock`, async () => {
    const before = await textOf(target);
    const text = change(before);
    const temporary = `${target}.${randomUUID()}.tmp`;
    try {
      await writeFile(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
      // an editor takes no lock
      if ((await textOf(target)) !== before) throw new Error('another program has changed it meanwhile; try again');
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      throw new Error(`cannot write ${path}: ${messageOf(error)}`, { cause: error });
    }
  });
}

/** Returns the file that a path leads to, also if it does not exist yet. */
async function targetOf(path: string): Promise<string> {
  return realpath(path).catch(async () => {
    const folder = await realpath(dirname(path)).catch(() => dirname(path));
    return join(folder, basename(path));
  });
}

async function textOf(path: string): Promise<string | undefined> {
  const bytes = await readFile(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error(`${path} is not a text file`);
  }
}
