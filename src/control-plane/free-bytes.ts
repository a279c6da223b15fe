import { statfs } from 'node:fs/promises';

/** Returns the bytes that are free on the volume of a folder. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
