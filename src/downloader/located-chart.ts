import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { quote } from '../go/strconv.ts';

/**
 * A chart that was found: an absolute path of a folder, or an archive with its path, or with the
 * name under which it was downloaded.
 */
export type LocatedChart = { folder: string } | { archive: Uint8Array; name: string };

/**
 * Returns the folder or the archive at a path; undefined if there is nothing and the path may be a
 * name. Throws an error with Helm's text.
 */
export async function localChart(path: string): Promise<LocatedChart | undefined> {
  const facts = await stat(path).catch(() => undefined);
  if (facts?.isDirectory()) return { folder: resolve(path) };
  if (facts !== undefined) return { archive: await readFile(path), name: resolve(path) };
  if (isAbsolute(path) || path.startsWith('.')) throw new Error(`path ${quote(path)} not found`);
  return undefined;
}
