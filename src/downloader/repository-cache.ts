import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openError } from '../go/file-error.ts';
import { fromBytes } from '../go/text.ts';
import type { DownloadContext } from './context.ts';

/** Returns the path of the index that Helm keeps of a repository. */
export function indexPath(name: string, { settings }: Pick<DownloadContext, 'settings'>): string {
  return join(settings.repositoryCache, `${name}-index.yaml`);
}

/** Returns the path of the list of charts that Helm keeps of a repository. */
export function chartListPath(name: string, { settings }: Pick<DownloadContext, 'settings'>): string {
  return join(settings.repositoryCache, `${name}-charts.txt`);
}

/** Reads the index that Helm keeps of a repository. Throws an error with Helm's text. */
export async function readCachedIndex(name: string, context: Pick<DownloadContext, 'settings'>): Promise<string> {
  const path = indexPath(name, context);
  try {
    return fromBytes(await readFile(path));
  } catch (error) {
    throw openError(path, error);
  }
}
