import { randomUUID } from 'node:crypto';
import { realpath, rename, rm, writeFile } from 'node:fs/promises';
import { messageOf } from '../operation/error.ts';

/**
 * Writes a file that only this user can read, or replaces it as a whole, so that nothing reads half
 * of it. Follows a symbolic link.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const temporary = `${target}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    const reason = messageOf(error);
    throw new Error(`cannot write ${path}: ${reason}`, { cause: error });
  }
}
