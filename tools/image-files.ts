import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the paths of all files in a folder and its subfolders. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((file) => join(file.parentPath, file.name));
}

/** Returns the bytes of all files in a folder and its subfolders. */
export async function sizeOf(folder: string): Promise<number> {
  const files = await filesIn(folder);
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

export function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
